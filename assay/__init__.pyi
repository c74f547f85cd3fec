from .errors import AssayError as AssayError
from .eval_sets.sample import Sample as Sample
from .eval_sets.set_reader import load_set as load_set
from .eval_sets.set_writer import write_set as write_set
from .judges.budget import Budget as Budget
from .judges.judge import Judge as Judge
from .judges.run import LiteLLMJudge as LiteLLMJudge
from .judges.settings import JudgeSettings as JudgeSettings
from .meta_eval.decision.version_decision import Decision as Decision
from .metrics.answer_relevance import AnswerRelevance as AnswerRelevance
from .metrics.citations import Citations as Citations
from .metrics.claims_against_reference import (
    AnswerCorrectness as AnswerCorrectness,
    FactualCorrectness as FactualCorrectness,
    NoiseSensitivity as NoiseSensitivity,
)
from .metrics.declined import Declined as Declined
from .metrics.factoid import Factoid as Factoid
from .metrics.faithfulness import Faithfulness as Faithfulness, WeakestClaim as WeakestClaim
from .metrics.function_metric import metric as metric
from .metrics.heuristic.score import Heuristic as Heuristic
from .metrics.metric import Metric as Metric
from .metrics.numeric.numeric_claims import NumericClaims as NumericClaims
from .metrics.own_questions import PredicateMetric as PredicateMetric, RubricMetric as RubricMetric
from .metrics.retrieval import (
    ContextPrecision as ContextPrecision,
    ContextRecall as ContextRecall,
    ContextRelevance as ContextRelevance,
)
from .metrics.score import (
    Claim as Claim,
    Score as Score,
    Verdict as Verdict,
    failed as failed,
    scored as scored,
    skipped as skipped,
)
from .metrics.topic_adherence import TopicAdherence as TopicAdherence
from .runs.decision.decide import decide as decide
from .runs.score.evaluate import aevaluate as aevaluate, evaluate as evaluate
from .runs.show.results import Results as Results
from .text.text_matching import Place as Place

__version__: str
