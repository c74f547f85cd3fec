"""Cross-evaluation of a chatbot (003, 4.3 and 4.7): each fold loaded in turn, the questions of both asked."""

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
    "SplitSummary",
    "build_pages",
    "cross_evaluate",
    "load_bot",
    "summarise_split",
]
