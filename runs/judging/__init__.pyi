from .card_report import card_report as card_report
from .card_request import make_card as make_card
from .card_set import CardSet as CardSet, make_card_set as make_card_set
from .comparison_report import comparison_report as comparison_report
from .judge_card import JudgeCard as JudgeCard, SetCard as SetCard, write_card as write_card
