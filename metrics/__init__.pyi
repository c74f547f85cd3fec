from .answer_relevance import AnswerRelevance as AnswerRelevance, ReverseQuestions as ReverseQuestions
from .baselines import (
    AnswerLength as AnswerLength,
    ConversationLength as ConversationLength,
    ConversationTurns as ConversationTurns,
    ThanksAtEnd as ThanksAtEnd,
    TokenOverlap as TokenOverlap,
)
from .catalogue import (
    describe_metric as describe_metric,
    higher_is_better as higher_is_better,
    load_metric as load_metric,
    metric_names as metric_names,
    needs_judge as needs_judge,
)
from .citation_marks import (
    CitableSources as CitableSources,
    CitedAnswer as CitedAnswer,
    SourceMatch as SourceMatch,
    citation_pattern as citation_pattern,
    read_citations as read_citations,
)
from .citations import Citations as Citations
from .claims_against_reference import (
    AnswerCorrectness as AnswerCorrectness,
    FactualCorrectness as FactualCorrectness,
    NoiseSensitivity as NoiseSensitivity,
)
from .consistent import (
    MOST_CLAIMS as MOST_CLAIMS,
    Consistent as Consistent,
    alike_pairs as alike_pairs,
    read_claims as read_claims,
)
from .declined import Declined as Declined, find_refusal as find_refusal
from .effort import Effort as Effort
from .expected_actions import match_most as match_most
from .f_score import f_beta as f_beta
from .factoid import Factoid as Factoid
from .faithfulness import (
    Claims as Claims,
    ClaimsBy as ClaimsBy,
    Faithfulness as Faithfulness,
    WeakestClaim as WeakestClaim,
    predicate_claim as predicate_claim,
    support_request as support_request,
)
from .handover import (
    Handover as Handover,
    customer_wish as customer_wish,
    find_handover as find_handover,
    find_needs as find_needs,
    hands_over as hands_over,
)
from .heuristic.company_terms import (
    build_vocabulary as build_vocabulary,
    company_terms as company_terms,
    read_vocabulary as read_vocabulary,
)
from .heuristic.hal import find_pairs as find_pairs, nearness as nearness
from .heuristic.message_type import Rules as Rules
from .heuristic.parse_cache import Parsed as Parsed, ParsedTexts as ParsedTexts, find_pipeline as find_pipeline
from .heuristic.score import plain_score as plain_score, rate as rate
from .heuristic.text_features import (
    complex_answer as complex_answer,
    components_defined as components_defined,
    find_signal_words as find_signal_words,
    prompt_overlap as prompt_overlap,
    subject_combination as subject_combination,
)
from .heuristic.translation import translation_question as translation_question
from .heuristic.verbatim_guide import step_cosine as step_cosine
from .judge_rating import (
    JudgeCompleteness as JudgeCompleteness,
    JudgeRelatedness as JudgeRelatedness,
    JudgeTruthfulness as JudgeTruthfulness,
    rating_request as rating_request,
)
from .metric import ComputedMetric as ComputedMetric, Metric as Metric, run_to_end as run_to_end
from .numeric.columns import (
    header_unit as header_unit,
    read_cell as read_cell,
    read_numbers as read_numbers,
    read_times as read_times,
)
from .numeric.lexicon import LANGUAGES as LANGUAGES, lexicon as lexicon
from .numeric.numeric_claims import (
    NumericClaims as NumericClaims,
    check_claims as check_claims,
    read_sentence as read_sentence,
    scene_of as scene_of,
)
from .numeric.sample_tables import (
    Grid as Grid,
    grids_in_text as grids_in_text,
    table_of as table_of,
    tables_of_file as tables_of_file,
    tables_of_sample as tables_of_sample,
)
from .numeric.statistics import (
    STATISTICS as STATISTICS,
    Finding as Finding,
    compute as compute,
    holds as holds,
    verify as verify,
)
from .numeric.table import (
    Condition as Condition,
    Direction as Direction,
    Hedge as Hedge,
    NumericTable as NumericTable,
    Period as Period,
    Specification as Specification,
    Statistic as Statistic,
    Times as Times,
    Unverifiable as Unverifiable,
    Window as Window,
    unit_and_power as unit_and_power,
)
from .numeric.times import find_times as find_times
from .numeric.trends import anomalies_of as anomalies_of
from .own_questions import (
    PredicateMetric as PredicateMetric,
    Rubric as Rubric,
    RubricMetric as RubricMetric,
    read_rubric as read_rubric,
)
from .policy_compliance import PolicyKept as PolicyKept
from .reference_similarity import (
    BertScore as BertScore,
    Bleu as Bleu,
    Rouge1 as Rouge1,
    Rouge2 as Rouge2,
    RougeL as RougeL,
    RougeLPrecision as RougeLPrecision,
)
from .resolved import Requests as Requests, Resolved as Resolved, find_meeting_turns as find_meeting_turns
from .retrieval import (
    ContextPrecision as ContextPrecision,
    ContextRecall as ContextRecall,
    ContextRelevance as ContextRelevance,
    average_precision as average_precision,
)
from .sample_state import (
    Documentation as Documentation,
    collect_documents as collect_documents,
    fitting_documents as fitting_documents,
    write_thread as write_thread,
)
from .score import (
    Claim as Claim,
    Place as Place,
    Score as Score,
    Verdict as Verdict,
    failed as failed,
    scored as scored,
    skipped as skipped,
)
from .scorer import judge_record as judge_record
from .specification import (
    BASELINES as BASELINES,
    GROUP as GROUP,
    coerce_options as coerce_options,
    option_types as option_types,
    parse_specification as parse_specification,
)
from .tool_calls import ToolCalls as ToolCalls
from .topic_adherence import TopicAdherence as TopicAdherence, Topics as Topics
