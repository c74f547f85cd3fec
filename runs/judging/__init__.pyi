from .card_report import render_card_page as render_card_page, write_card_page as write_card_page
from .card_request import make_card as make_card
from .card_set import CardSet as CardSet, make_card_set as make_card_set
from .comparison_report import render_judge_report as render_judge_report, write_judge_report as write_judge_report
from .judge_card import JudgeCard as JudgeCard, SetCard as SetCard, write_card as write_card
