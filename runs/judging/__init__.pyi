from .card import (
    CardSet as CardSet,
    JudgeCard as JudgeCard,
    SetCard as SetCard,
    make_card as make_card,
    make_card_set as make_card_set,
)
from .card_report import card_report as card_report
from .judge_comparison import comparison_report as comparison_report
