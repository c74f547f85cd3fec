"""Who answers: the Judge protocol, litellm, local models, cassettes, budgets, embedders."""

from .budget import Budget
from .cassette import Cassette, Mode
from .litellm_judge import Judge, LiteLLMJudge, ReplyStore
from .question import Choice, PlainText, Question, RawReply, Reply, ReplyCounts, Usage
from .settings import JudgeSettings, bundled_judge_names, load_settings
from .typed_questions import (
    Answer,
    Answers,
    ChoiceQuestion,
    Level,
    Predicate,
    Request,
    ScoreQuestion,
    TypedQuestion,
)

__all__ = [
    "Answer",
    "Answers",
    "Budget",
    "Cassette",
    "Choice",
    "ChoiceQuestion",
    "Judge",
    "JudgeSettings",
    "Level",
    "LiteLLMJudge",
    "Mode",
    "PlainText",
    "Predicate",
    "Question",
    "RawReply",
    "Reply",
    "ReplyCounts",
    "ReplyStore",
    "Request",
    "ScoreQuestion",
    "TypedQuestion",
    "Usage",
    "bundled_judge_names",
    "load_settings",
]
