from .card_file import read_card as read_card, read_cards as read_cards, write_card as write_card
from .card_page import render_card_page as render_card_page, write_card_page as write_card_page
from .card_scoring import CardRequest as CardRequest, make_card as make_card
from .card_set import CardSet as CardSet, make_card_set as make_card_set
from .comparison_page import render_judge_report as render_judge_report, write_judge_report as write_judge_report
from .judge_card import JudgeCard as JudgeCard, SetCard as SetCard
