"""Assay: tests what a support chatbot's answers are made of, and which measure agrees with your support team.

from assay import evaluate
results = evaluate("answers.csv", judge="openai/gpt-4o-mini")
"""

import os
from typing import TYPE_CHECKING, Any

# The subpackages of an installed package are inside it; in a checkout they are the folders beside it.
if not os.path.isdir(os.path.join(__path__[0], "languages")):  # noqa: PTH118, PTH112
    __path__.append(os.path.dirname(__path__[0]))  # noqa: PTH120 - pathlib takes longer to import than all the rest

if TYPE_CHECKING:
    from .errors import AssayError as AssayError
    from .eval_sets import Sample as Sample
    from .eval_sets import load_set as load_set
    from .eval_sets import write_set as write_set
    from .judges import Budget as Budget
    from .judges import Judge as Judge
    from .judges import JudgeSettings as JudgeSettings
    from .judges import LiteLLMJudge as LiteLLMJudge
    from .metrics import AnswerCorrectness as AnswerCorrectness
    from .metrics import AnswerRelevance as AnswerRelevance
    from .metrics import ChoiceMetric as ChoiceMetric
    from .metrics import Claim as Claim
    from .metrics import ContextPrecision as ContextPrecision
    from .metrics import ContextRecall as ContextRecall
    from .metrics import ContextRelevance as ContextRelevance
    from .metrics import Declined as Declined
    from .metrics import Factoid as Factoid
    from .metrics import FactualCorrectness as FactualCorrectness
    from .metrics import Faithfulness as Faithfulness
    from .metrics import Metric as Metric
    from .metrics import NoiseSensitivity as NoiseSensitivity
    from .metrics import NumericClaims as NumericClaims
    from .metrics import Place as Place
    from .metrics import PredicateMetric as PredicateMetric
    from .metrics import RubricMetric as RubricMetric
    from .metrics import Score as Score
    from .metrics import TopicAdherence as TopicAdherence
    from .metrics import Verdict as Verdict
    from .metrics import WeakestClaim as WeakestClaim
    from .metrics.function_metric import metric as metric
    from .metrics.heuristic import Heuristic as Heuristic
    from .metrics.metric import failed as failed
    from .metrics.metric import scored as scored
    from .metrics.metric import skipped as skipped
    from .runs import Results as Results
    from .runs import aevaluate as aevaluate
    from .runs import evaluate as evaluate

__version__ = "0.1.0"

_HOME = {
    "AnswerCorrectness": "metrics",
    "AnswerRelevance": "metrics",
    "AssayError": "errors",
    "Budget": "judges",
    "ChoiceMetric": "metrics",
    "Claim": "metrics",
    "ContextPrecision": "metrics",
    "ContextRecall": "metrics",
    "ContextRelevance": "metrics",
    "Declined": "metrics",
    "Factoid": "metrics",
    "FactualCorrectness": "metrics",
    "Faithfulness": "metrics",
    "Heuristic": "metrics.heuristic",
    "Judge": "judges",
    "JudgeSettings": "judges",
    "LiteLLMJudge": "judges",
    "Metric": "metrics",
    "NoiseSensitivity": "metrics",
    "NumericClaims": "metrics",
    "Place": "metrics",
    "PredicateMetric": "metrics",
    "Results": "runs",
    "RubricMetric": "metrics",
    "Sample": "eval_sets",
    "Score": "metrics",
    "TopicAdherence": "metrics",
    "Verdict": "metrics",
    "WeakestClaim": "metrics",
    "aevaluate": "runs",
    "evaluate": "runs",
    "failed": "metrics.metric",
    "load_set": "eval_sets",
    "metric": "metrics.function_metric",
    "scored": "metrics.metric",
    "skipped": "metrics.metric",
    "write_set": "eval_sets",
}

__all__ = [
    "AnswerCorrectness",
    "AnswerRelevance",
    "AssayError",
    "Budget",
    "ChoiceMetric",
    "Claim",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "Declined",
    "Factoid",
    "FactualCorrectness",
    "Faithfulness",
    "Heuristic",
    "Judge",
    "JudgeSettings",
    "LiteLLMJudge",
    "Metric",
    "NoiseSensitivity",
    "NumericClaims",
    "Place",
    "PredicateMetric",
    "Results",
    "RubricMetric",
    "Sample",
    "Score",
    "TopicAdherence",
    "Verdict",
    "WeakestClaim",
    "__version__",
    "aevaluate",
    "evaluate",
    "failed",
    "load_set",
    "metric",
    "scored",
    "skipped",
    "write_set",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that `import assay` costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
