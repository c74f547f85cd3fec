"""What is measured: Metric, Score, and a module (or folder) a metric."""

from .answer_length import AnswerLength
from .answer_relevance import AnswerRelevance
from .faithfulness import Faithfulness
from .judge_rating import JudgeCompleteness, JudgeRelatedness, JudgeTruthfulness
from .metric import Metric, Score
from .ragas_adapter import RagasMetric, as_ragas_metric
from .rouge_l_precision import RougeLPrecision
from .token_overlap import TokenOverlap
from .weakest_claim import WeakestClaim

__all__ = [
    "AnswerLength",
    "AnswerRelevance",
    "Faithfulness",
    "JudgeCompleteness",
    "JudgeRelatedness",
    "JudgeTruthfulness",
    "Metric",
    "RagasMetric",
    "RougeLPrecision",
    "Score",
    "TokenOverlap",
    "WeakestClaim",
    "as_ragas_metric",
]
