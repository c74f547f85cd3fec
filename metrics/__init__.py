"""What is measured: `Metric`, `Score`, and one module (or folder) per metric."""

from ..text.quotes import Place
from .answer_length import AnswerLength
from .answer_relevance import AnswerRelevance
from .bertscore import BertScore
from .bleu import Bleu
from .bleurt import Bleurt
from .claim import Claim, Verdict
from .declined import Declined
from .factoid import Factoid
from .faithfulness import Faithfulness
from .judge_completeness import JudgeCompleteness
from .judge_relatedness import JudgeRelatedness
from .judge_truthfulness import JudgeTruthfulness
from .metric import ComputedMetric, Metric, Score
from .numeric.numeric_claims import NumericClaims
from .ragas_adapter import RagasMetric, as_ragas_metric
from .rouge_1 import Rouge1
from .rouge_2 import Rouge2
from .rouge_l import RougeL
from .rouge_l_precision import RougeLPrecision
from .token_overlap import TokenOverlap
from .weakest_claim import WeakestClaim

__all__ = [
    "AnswerLength",
    "AnswerRelevance",
    "BertScore",
    "Bleu",
    "Bleurt",
    "Claim",
    "ComputedMetric",
    "Declined",
    "Factoid",
    "Faithfulness",
    "JudgeCompleteness",
    "JudgeRelatedness",
    "JudgeTruthfulness",
    "Metric",
    "NumericClaims",
    "Place",
    "RagasMetric",
    "Rouge1",
    "Rouge2",
    "RougeL",
    "RougeLPrecision",
    "Score",
    "TokenOverlap",
    "Verdict",
    "WeakestClaim",
    "as_ragas_metric",
]
