"""What is measured: `Metric`, `Score`, and one module (or folder) per metric."""

from ..text.quotes import Place
from .answer_correctness import AnswerCorrectness
from .answer_length import AnswerLength
from .answer_relevance import AnswerRelevance
from .bertscore import BertScore
from .bleu import Bleu
from .bleurt import Bleurt
from .choice import ChoiceMetric
from .claim import Claim, Verdict
from .context_precision import ContextPrecision
from .context_recall import ContextRecall
from .context_relevance import ContextRelevance
from .declined import Declined
from .factoid import Factoid
from .factual_correctness import FactualCorrectness
from .faithfulness import Faithfulness
from .judge_rating import JudgeCompleteness, JudgeRelatedness, JudgeTruthfulness
from .metric import ComputedMetric, Metric, Score
from .noise_sensitivity import NoiseSensitivity
from .numeric.numeric_claims import NumericClaims
from .predicate import PredicateMetric
from .ragas_adapter import RagasMetric, as_ragas_metric
from .rouge import Rouge1, Rouge2, RougeL, RougeLPrecision
from .rubric import RubricMetric
from .token_overlap import TokenOverlap
from .topic_adherence import TopicAdherence
from .weakest_claim import WeakestClaim

__all__ = [
    "AnswerCorrectness",
    "AnswerLength",
    "AnswerRelevance",
    "BertScore",
    "Bleu",
    "Bleurt",
    "ChoiceMetric",
    "Claim",
    "ComputedMetric",
    "ContextPrecision",
    "ContextRecall",
    "ContextRelevance",
    "Declined",
    "Factoid",
    "FactualCorrectness",
    "Faithfulness",
    "JudgeCompleteness",
    "JudgeRelatedness",
    "JudgeTruthfulness",
    "Metric",
    "NoiseSensitivity",
    "NumericClaims",
    "Place",
    "PredicateMetric",
    "RagasMetric",
    "Rouge1",
    "Rouge2",
    "RougeL",
    "RougeLPrecision",
    "RubricMetric",
    "Score",
    "TokenOverlap",
    "TopicAdherence",
    "Verdict",
    "WeakestClaim",
    "as_ragas_metric",
]
