from .answers.pairing import PairedAnswer as PairedAnswer, pair_samples as pair_samples
from .answers.rating_join import (
    join_ratings as join_ratings,
    join_run_ratings as join_run_ratings,
    rated_ids as rated_ids,
    rated_samples as rated_samples,
)
from .answers.score_table import find_answer_evidence as find_answer_evidence, join_scores as join_scores
from .answers.summary import (
    MetricSummary as MetricSummary,
    place_among_baselines as place_among_baselines,
    summarise as summarise,
)
from .answers.table import AnswerTable as AnswerTable
from .decision.answer_contrast import NamedAnswer as NamedAnswer, contrast_answers as contrast_answers
from .decision.compare import compare as compare
from .decision.decide import (
    decide_reading as decide_reading,
    read_versions as read_versions,
)
from .decision.page import (
    find_deciding_questions as find_deciding_questions,
    preferred_shares as preferred_shares,
)
from .decision.queue_source import (
    find_pairs as find_pairs,
    find_source as find_source,
    open_pair_queue as open_pair_queue,
    open_queue as open_queue,
    select_rated as select_rated,
)
from .decision.tables import comparison_sentences as comparison_sentences
from .decision.version_ratings import (
    RatedText as RatedText,
    comparable_ratings as comparable_ratings,
    find_common_raters as find_common_raters,
    store_preferences as store_preferences,
)
from .decision.versions import VersionOptions as VersionOptions
from .failures.bad_answers import read_peoples_texts as read_peoples_texts, select_bad_answers as select_bad_answers
from .failures.failure_groups import failure_sentences as failure_sentences
from .judging.align import Aligner as Aligner
from .judging.card import CardAgreement as CardAgreement, make_set_card as make_set_card
from .judging.card_report import (
    CardEntry as CardEntry,
    cost_table as cost_table,
    reliability_table as reliability_table,
)
from .judging.experiment import (
    OVERLAP as OVERLAP,
    JudgeScores as JudgeScores,
    score_by_judges as score_by_judges,
)
from .judging.judge_comparison import compare_judges as compare_judges
from .judging.probes import (
    check_injections as check_injections,
    inject as inject,
    measure_flips as measure_flips,
)
from .ratings.answer_pair import ComparedVersion as ComparedVersion, PairComparison as PairComparison
from .ratings.judgement import find_judgements as find_judgements, queue_ids as queue_ids
from .ratings.rating_progress import (
    disagreements as disagreements,
    queue_choices as queue_choices,
    rater_agreement as rater_agreement,
    rater_progress as rater_progress,
    version_counts as version_counts,
)
from .score.evaluate import aevaluate as aevaluate, evaluate as evaluate
from .score.parquet_run import run_parquet as run_parquet
from .score.progress_display import progress_line as progress_line
from .score.run_writer import RunWriter as RunWriter, execute as execute
from .score.scoring_request import (
    OpenedMetrics as OpenedMetrics,
    RunOptions as RunOptions,
    ScoringRequest as ScoringRequest,
)
from .score.session import (
    SetProfile as SetProfile,
    StoredRun as StoredRun,
    run_plan as run_plan,
    score_samples as score_samples,
)
from .show.results import Results as Results, write_scores as write_scores
from .show.run_report import (
    compute_figures as compute_figures,
    describe_change as describe_change,
    find_run_before as find_run_before,
    report_table as report_table,
    summarise_run as summarise_run,
)
from .show.sample_audit import Audit as Audit, sample_lines as sample_lines
from .store.answer_index import AnswerIndex as AnswerIndex, AnswerQuery as AnswerQuery
from .store.database import Database as Database, migrate as migrate, open_database as open_database
from .store.plan import Outcome as Outcome, Plan as Plan, Progress as Progress, judge_identity as judge_identity
from .store.postgres import without_password as without_password
from .store.store import RunRow as RunRow, Store as Store
from .suite.evidence import Evidence as Evidence, weigh_bound as weigh_bound, weigh_falls as weigh_falls
from .suite.gate_decisions import decide_gates as decide_gates
from .suite.gates import (
    CoverageGate as CoverageGate,
    Gate as Gate,
    GateResult as GateResult,
    MeanGate as MeanGate,
    RegressionGate as RegressionGate,
    ShareGate as ShareGate,
    Spending as Spending,
)
from .suite.history import (
    History as History,
    JudgedRun as JudgedRun,
    Night as Night,
    find_baseline as find_baseline,
    read_history as read_history,
)
from .suite.ledger import Ledger as Ledger, NightlyRunRow as NightlyRunRow
from .suite.nightly_report import (
    RunReport as RunReport,
    SampleReport as SampleReport,
    decide_verdict as decide_verdict,
    read_report as read_report,
)
from .suite.report_files import summary_markdown as summary_markdown, write_site as write_site
