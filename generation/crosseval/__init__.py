"""Cross-evaluation of a chatbot (Twente paper, 4.3 and 4.7): each fold is loaded in turn, all questions are asked."""

from .bot_comparison import SplitResult, compare_bots, exchange_samples, read_pages, split_questions
from .bots import Bot, BotAnswer, load_bot
from .exchange import Exchange, Setup, cross_evaluate
from .pages import Page, build_pages
from .summary import SplitSummary, summarise_split

__all__ = [
    "Bot",
    "BotAnswer",
    "Exchange",
    "Page",
    "Setup",
    "SplitResult",
    "SplitSummary",
    "build_pages",
    "compare_bots",
    "cross_evaluate",
    "exchange_samples",
    "load_bot",
    "read_pages",
    "split_questions",
    "summarise_split",
]
