"""Who answers: the Judge protocol, litellm, local models, cassettes, budgets, embedders."""

from .budget import Budget
from .cassette import Cassette, Mode
from .litellm_judge import Judge, LiteLLMJudge, ReplyStore
from .question import Choice, PlainText, Question, RawReply, Reply, ReplyCounts, Usage
from .settings import JudgeSettings, bundled_judge_names, load_settings

__all__ = [
    "Budget",
    "Cassette",
    "Choice",
    "Judge",
    "JudgeSettings",
    "LiteLLMJudge",
    "Mode",
    "PlainText",
    "Question",
    "RawReply",
    "Reply",
    "ReplyCounts",
    "ReplyStore",
    "Usage",
    "bundled_judge_names",
    "load_settings",
]
