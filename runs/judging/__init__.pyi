from .card_report import card_report as card_report
from .card_set import CardSet as CardSet, make_card_set as make_card_set
from .judge_card import JudgeCard as JudgeCard, SetCard as SetCard, write_card as write_card
from .judge_comparison import comparison_report as comparison_report
from .set_card import make_card as make_card
