"""What is measured: Metric, Score, and a module (or folder) a metric."""

from .answer_length import AnswerLength
from .answer_relevance import AnswerRelevance
from .bertscore import BertScore
from .bleu import Bleu
from .bleurt import Bleurt
from .declined import Declined
from .factoid import Factoid
from .faithfulness import Faithfulness
from .judge_rating import JudgeCompleteness, JudgeRelatedness, JudgeTruthfulness
from .metric import Metric, Score
from .numeric.numeric_claims import NumericClaims
from .ragas_adapter import RagasMetric, as_ragas_metric
from .rouge import Rouge1, Rouge2, RougeL
from .rouge_l_precision import RougeLPrecision
from .token_overlap import TokenOverlap
from .weakest_claim import WeakestClaim

__all__ = [
    "AnswerLength",
    "AnswerRelevance",
    "BertScore",
    "Bleu",
    "Bleurt",
    "Declined",
    "Factoid",
    "Faithfulness",
    "JudgeCompleteness",
    "JudgeRelatedness",
    "JudgeTruthfulness",
    "Metric",
    "NumericClaims",
    "RagasMetric",
    "Rouge1",
    "Rouge2",
    "RougeL",
    "RougeLPrecision",
    "Score",
    "TokenOverlap",
    "WeakestClaim",
    "as_ragas_metric",
]
