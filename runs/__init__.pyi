from .align import Aligner as Aligner
from .answer_contrast import NamedAnswer as NamedAnswer, contrast_answers as contrast_answers
from .answer_index import AnswerIndex as AnswerIndex, AnswerQuery as AnswerQuery, index_runs as index_runs
from .compare import PairedSample as PairedSample, compare as compare
from .compare_tables import comparison_sentences as comparison_sentences
from .database import Database as Database, migrate as migrate, open_database as open_database
from .decide import (
    VersionOptions as VersionOptions,
    VersionReading as VersionReading,
    decide_reading as decide_reading,
    list_next as list_next,
    rating_set as rating_set,
    read_versions as read_versions,
)
from .deciding_answers import (
    DecidingAnswer as DecidingAnswer,
    find_deciding_questions as find_deciding_questions,
    read_deciding_answers as read_deciding_answers,
)
from .evaluate import aevaluate as aevaluate, evaluate as evaluate
from .execute import execute as execute
from .failures.bad_answers import count_others as count_others, select_bad_answers as select_bad_answers
from .failures.failure_blocks import failure_notes as failure_notes, failure_sentences as failure_sentences
from .failures.failure_texts import embeddable_texts as embeddable_texts, read_peoples_texts as read_peoples_texts
from .judge_card.bias import Bias as Bias, describe_unmeasured as describe_unmeasured, measure_biases as measure_biases
from .judge_card.card_scoring import PROBES as PROBES, perturb as perturb
from .judge_card.card_tables import (
    CardEntry as CardEntry,
    card_blocks as card_blocks,
    cost_table as cost_table,
    reliability_table as reliability_table,
)
from .judge_card.injection_check import check_injections as check_injections
from .judge_card.judge_card import CardAgreement as CardAgreement
from .judge_card.page import render_card_markdown as render_card_markdown
from .judge_card.probe_findings import ProbeFindings as ProbeFindings, compare_probed as compare_probed
from .judge_card.rated_scores import RatedScores as RatedScores, rater_ceilings_of as rater_ceilings_of
from .judge_card.set_card import OVERLAP as OVERLAP, first_failure as first_failure, make_set_card as make_set_card
from .judge_comparison import (
    ClaimAgreement as ClaimAgreement,
    JudgeComparison as JudgeComparison,
    JudgeFindings as JudgeFindings,
    Unit as Unit,
    compare_judges as compare_judges,
)
from .judge_report.tables import comparison_block as comparison_block, judge_table as judge_table
from .judge_scoring import JudgeScores as JudgeScores, JudgeScoring as JudgeScoring, score_by_judges as score_by_judges
from .nightly.evidence import Evidence as Evidence, weigh_bound as weigh_bound, weigh_falls as weigh_falls
from .nightly.gate_check import JudgedRun as JudgedRun
from .nightly.gate_decisions import decide_gates as decide_gates
from .nightly.gates import (
    CoverageGate as CoverageGate,
    DecideGate as DecideGate,
    Gate as Gate,
    GateResult as GateResult,
    MeanGate as MeanGate,
    RegressionGate as RegressionGate,
    ShareGate as ShareGate,
    Spending as Spending,
)
from .nightly.history import History as History, RunValues as RunValues, read_history as read_history
from .nightly.history_site import write_site as write_site
from .nightly.ledger import Ledger as Ledger, NightlyRunRow as NightlyRunRow
from .nightly.nightly_report import (
    MetricReport as MetricReport,
    RunReport as RunReport,
    SampleReport as SampleReport,
    decide_verdict as decide_verdict,
    read_report as read_report,
)
from .nightly.report_files import summary_markdown as summary_markdown
from .nightly.workflow_draft import PLACEHOLDER as PLACEHOLDER, draft_workflow as draft_workflow
from .options import RunOptions as RunOptions
from .pair_difference import adjust_p_values as adjust_p_values, paired_difference as paired_difference
from .pairwise_preferences import (
    PairwisePreferences as PairwisePreferences,
    measure_position_bias as measure_position_bias,
    net_preferences as net_preferences,
    prefer_versions as prefer_versions,
)
from .pairwise_versions import compare_by_judge as compare_by_judge, count_comparisons as count_comparisons
from .panels import Panel as Panel, compare_panels as compare_panels
from .parquet_run import run_parquet as run_parquet
from .plan import Plan as Plan, judge_identity as judge_identity
from .postgres import without_password as without_password
from .progress_display import progress_line as progress_line
from .rated_level import find_level_items as find_level_items
from .ratings.item_queue import queue_ids as queue_ids
from .ratings.pair_progress import pair_disagreements as pair_disagreements, pair_progress as pair_progress
from .ratings.pair_queue import (
    ComparedVersion as ComparedVersion,
    PairComparison as PairComparison,
    open_item_queue as open_item_queue,
)
from .ratings.pair_source import find_pairs as find_pairs, open_pair_queue as open_pair_queue
from .ratings.rated_pairs import (
    queue_choices as queue_choices,
    store_preferences as store_preferences,
)
from .ratings.rated_set import (
    rated_ids as rated_ids,
    rated_samples as rated_samples,
    ratings_of_answers as ratings_of_answers,
)
from .ratings.rating_join import join_ratings as join_ratings, join_run_ratings as join_run_ratings
from .ratings.rating_meaning import has_scores as has_scores, predict_queue_stability as predict_queue_stability
from .ratings.rating_order import rating_order as rating_order, score_columns as score_columns
from .ratings.rating_progress import (
    disagreements as disagreements,
    rater_agreement as rater_agreement,
    rater_progress as rater_progress,
)
from .ratings.rating_source import find_source as find_source, open_queue as open_queue, select_rated as select_rated
from .reply_drift import estimate_drift as estimate_drift
from .results import Results as Results, write_scores as write_scores
from .run_figures import compute_figures as compute_figures, report_table as report_table
from .run_scores import find_answer_evidence as find_answer_evidence
from .run_summary import (
    describe_change as describe_change,
    find_run_before as find_run_before,
    summarise_run as summarise_run,
)
from .run_tables import place_among_baselines as place_among_baselines
from .run_writer import RunWriter as RunWriter
from .sample_audit import Audit as Audit, sample_lines as sample_lines
from .sample_pairing import pair_samples as pair_samples
from .score_table import join_scores as join_scores
from .scoring_request import OpenedMetrics as OpenedMetrics, ScoringRequest as ScoringRequest
from .session import (
    Outcome as Outcome,
    Progress as Progress,
    StoredRun as StoredRun,
    run_plan as run_plan,
    score_samples as score_samples,
)
from .set_profile import SetProfile as SetProfile
from .store import RunRow as RunRow, Store as Store
from .summary import MetricSummary as MetricSummary, Row as Row, summarise as summarise
from .version_pairing import PairedAnswer as PairedAnswer
from .version_ratings import (
    RatedText as RatedText,
    comparable_ratings as comparable_ratings,
    find_common_raters as find_common_raters,
)
