from .agreement import MetricAgreement as MetricAgreement, metric_agreements as metric_agreements
from .agreement_power import STRENGTHS as STRENGTHS, AgreementPower as AgreementPower
from .alignment import (
    AS_IT_IS as AS_IT_IS,
    AlignmentResult as AlignmentResult,
    compare_candidates as compare_candidates,
    fit_calibration as fit_calibration,
)
from .answer_evidence import AnswerEvidence as AnswerEvidence, MetricEvidence as MetricEvidence
from .arrays import Floats as Floats, Places as Places
from .chance import Chance as Chance, chance_of_any as chance_of_any, chance_of_measures as chance_of_measures
from .clustering import (
    Measures as Measures,
    choose_group_count as choose_group_count,
    cluster_by_ward as cluster_by_ward,
    measure_clustering as measure_clustering,
    measure_document_match as measure_document_match,
    measure_robustness as measure_robustness,
    share_in_same_group as share_in_same_group,
)
from .combinations import (
    RankedScores as RankedScores,
    all_subsets as all_subsets,
    best_of_each_size as best_of_each_size,
    fit_ridge as fit_ridge,
    largest_size as largest_size,
    subset_correlations as subset_correlations,
    weigh as weigh,
)
from .comparison import (
    Comparison as Comparison,
    Standing as Standing,
    compare_metrics as compare_metrics,
    describe_more_ratings as describe_more_ratings,
    find_standing as find_standing,
)
from .correlation import auroc as auroc, correlation_problem as correlation_problem, spearman as spearman
from .cross_validation import (
    CombinationTask as CombinationTask,
    FoldScores as FoldScores,
    choose_best as choose_best,
    choose_simple as choose_simple,
)
from .decision.variant_decision import variant_sentences as variant_sentences
from .decision.version_difference import GroupCounts as GroupCounts, estimate_difference as estimate_difference
from .decision.version_table import VersionQuestions as VersionQuestions
from .estimate import (
    OF_CORRELATIONS as OF_CORRELATIONS,
    Estimate as Estimate,
    estimate as estimate,
    estimate_mean as estimate_mean,
    estimate_share as estimate_share,
    p_of_share as p_of_share,
)
from .evaluation import evaluate_table as evaluate_table
from .groups import (
    Predict as Predict,
    cross_predict as cross_predict,
    grouped_folds as grouped_folds,
    intraclass_correlation as intraclass_correlation,
    jackknife_interval as jackknife_interval,
    merge_groups as merge_groups,
    name_questions as name_questions,
    t_quantile as t_quantile,
    variance_of_mean as variance_of_mean,
)
from .meta_evaluation import MetaEvaluation as MetaEvaluation
from .monitoring.bound_evidence import (
    CLEARED as CLEARED,
    FALSE_ALARMS as FALSE_ALARMS,
    DayEvidence as DayEvidence,
    t_of_score as t_of_score,
)
from .monthly_p_value import monthly_p_value as monthly_p_value, needed_z as needed_z
from .pass_fail import (
    PassFail as PassFail,
    choose_threshold as choose_threshold,
    cohen_kappa as cohen_kappa,
    gwet_ac2 as gwet_ac2,
    pass_fail_agreement as pass_fail_agreement,
    repeated_trials as repeated_trials,
)
from .prediction_powered import (
    MeanRating as MeanRating,
    mean_of_table as mean_of_table,
    powered_mean as powered_mean,
    prediction_powered_mean as prediction_powered_mean,
    ratings_for_width as ratings_for_width,
)
from .question_only import add_question_only as add_question_only
from .randomisation import (
    max_t as max_t,
    shuffle_by_group as shuffle_by_group,
    sign_flip_max_t as sign_flip_max_t,
)
from .ranks import (
    auroc_statistic as auroc_statistic,
    column_spearmans as column_spearmans,
    mean_spearman as mean_spearman,
    spearman_statistic as spearman_statistic,
)
from .raters import (
    agreement_of_raters as agreement_of_raters,
    estimate_ceiling as estimate_ceiling,
    kappas as kappas,
    means_of_others as means_of_others,
    ordinal_alpha as ordinal_alpha,
)
from .report.page import worst_disagreements as worst_disagreements
from .score_join import JoinedScores as JoinedScores, join_sources as join_sources
from .scorer import (
    AgreementRecord as AgreementRecord,
    Scorer as Scorer,
    ScorerPart as ScorerPart,
    fingerprint_answer as fingerprint_answer,
    fingerprint_ratings as fingerprint_ratings,
    percentile_knots as percentile_knots,
)
from .scorer_fit import (
    FittedCombination as FittedCombination,
    build_scorer as build_scorer,
    conformal_bands as conformal_bands,
    conformal_half_width as conformal_half_width,
    fit_combination as fit_combination,
    fit_scorer as fit_scorer,
)
from .selection import (
    Combination as Combination,
    Selection as Selection,
    select as select,
)
from .sending import BOUND as BOUND, Policy as Policy, triage_policy as triage_policy
from .sequence import (
    ConfidenceSequence as ConfidenceSequence,
    Look as Look,
    next_look as next_look,
    spent_error as spent_error,
)
from .stopping import predict_stability as predict_stability
from .table import ScoreTable as ScoreTable
from .version_agreement import (
    MetricVersions as MetricVersions,
    VersionAgreement as VersionAgreement,
    version_agreement as version_agreement,
)
from .winner_estimate import estimate_winner as estimate_winner, winning_limits as winning_limits
