"""What a meta-evaluation finds: plain values, for a command and a report to tell. Nothing here computes."""

from dataclasses import dataclass, field

from .agreement import MetricAgreement
from .estimate import Estimate


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters on the items that both rated: Cohen's kappa as in 001 IV-C, and quadratic-weighted."""

    first: str
    second: str
    n: int
    kappa: float | None
    weighted_kappa: float | None


@dataclass(frozen=True, slots=True)
class RaterCeiling:
    """One rater against the mean of the others (Spearman), on the items that it shares with any of them."""

    rater: str
    n: int
    rho: float | None


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """The alternative-annotator test for one metric (Calderon, Reichart and Dror, 2025).

    `winning_rate` is the share of raters whom the metric may replace; 0.5 or more passes. `advantage` is the mean
    probability that the metric is as close to the other raters as the rater left out is.
    """

    metric: str
    raters: int
    winning_rate: float | None
    advantage: float | None
    passes: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Raters:
    """How far the raters agree with each other: what a metric can reach at best.

    `alpha` is Krippendorff's, ordinal. `ceiling` is the mean over raters of each against the mean of the others.
    `validates` is False where raters hardly agree: then no metric can be validated here, and `problem` says so.
    """

    count: int
    items_rated_twice: int
    alpha: Estimate
    ceiling: Estimate
    by_rater: tuple[RaterCeiling, ...]
    pairs: tuple[RaterPair, ...]
    alternatives: tuple[AlternativeAnnotator, ...]
    validates: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Combination:
    """A way to join metrics: what it reaches on the data that chose it, and on data that did not.

    `kind` is `subset` (the best of `size` metrics, equal weights), or the combiner that took all metrics. `metrics` is
    what it chooses on all rated items; `out_of_fold` belongs to the whole way of choosing, repeated inside each
    training part. `optimism` is in_sample - out_of_fold. `candidates` is how many subsets stood for choice.
    """

    kind: str
    size: int
    metrics: tuple[str, ...]
    in_sample: float | None
    out_of_fold: Estimate
    optimism: float | None
    candidates: int
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """All combinations, the one chosen, and what chance gives.

    `combinations` are by size, then the fitted combiners. `chosen` is the simplest within one standard error of the
    best, its size too chosen inside each training part. `best_by_chance` is the mean of the best in-sample correlation
    of all subsets on shuffled ratings, `p_of_selection` how often that reaches the real one (where a combiner was asked
    for: how often its predictions out of fold agree as well with shuffled ratings).
    `stability` is, per metric, the share of
    resampled tables whose best subset, of any size, holds it. `left_out` says why a metric was no candidate.
    """

    combine: str
    combinations: tuple[Combination, ...]
    chosen: Combination
    best_by_chance: float
    best_in_sample: float
    p_of_selection: float
    stability: tuple[tuple[str, float], ...]
    left_out: tuple[tuple[str, str], ...]
    repeats: int
    folds: int
    predictions: tuple[float | None, ...] = field(repr=False, default=())
    """The chosen combination's score of each item of the table on the rating scale, out of fold where rated."""


@dataclass(frozen=True, slots=True)
class PaperStep:
    """What the paper's procedure (001, V-B) did with one metric."""

    metric: str
    rho: float | None
    p: float | None
    kept_by: str
    """`correlation`, `separates`, or empty: dropped at the first step."""
    ablation: float | None
    """The combined correlation without it; None where it did not come so far."""
    kept: bool


@dataclass(frozen=True, slots=True)
class PaperProcedure:
    """001, V-B: keep features that correlate or separate, then ablation. `rho` is in-sample, as in the paper."""

    steps: tuple[PaperStep, ...]
    metrics: tuple[str, ...]
    rho: float | None
    p: float | None
    out_of_fold: Estimate


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of scores of the same items against the same ratings: rho(first) - rho(second).

    `p_williams` is Williams' t-test, items independent; `p_permutation` swaps the two by whole groups. `equivalent` is
    True where the 90% interval of the difference lies within the margin on both sides.
    """

    first: str
    second: str
    n: int
    rho_first: float | None
    rho_second: float | None
    difference: Estimate
    p_williams: float | None
    p_permutation: float | None
    margin: float
    equivalent: bool | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SliceAgreement:
    """The agreement on the items of one label of an attribute, such as language nl."""

    attribute: str
    label: str
    n: int
    mean_rating: float | None
    metrics: tuple[tuple[str, Estimate], ...]
    chosen: Estimate


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A line of Table III of 001."""

    label: str
    n: int
    f1: float
    accuracy: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class StarRow:
    """A line of Table IV of 001: Spearman with its stars (* p < 0.05, ** p < 0.01)."""

    label: str
    metric: str
    n: int
    rho: float | None
    p: float | None
    stars: str


@dataclass(frozen=True, slots=True)
class DeviationRow:
    """A line of Table V of 001: per rating level, the share of its answers whose score meets the condition."""

    condition: str
    shares: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class PaperTables:
    """Tables III, IV and V of 001. `levels` are Table V's rating levels, `counts` the answers at each (Table I)."""

    types: tuple[TypeRow, ...]
    correlations: tuple[StarRow, ...]
    deviations_of: str
    levels: tuple[float, ...]
    counts: tuple[int, ...]
    deviations: tuple[DeviationRow, ...]


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a threshold does, scores out of fold: answers at or above it are sent, those below it held back.

    Counts are of rated answers. Bad is rated below the middle, good above it. `wrong_rate` is the share of bad answers
    among those sent, with its Clopper-Pearson interval; `hours_saved` counts the sent ones, per 1,000 answers.
    """

    at: float
    sent: int
    sent_bad: int
    sent_good: int
    held: int
    held_bad: int
    held_good: int
    wrong_rate: Estimate
    hours_saved: float


@dataclass(frozen=True, slots=True)
class Policy:
    """Table V of 001 as a policy: two thresholds, and a person for what lies between.

    `send_at` and `hold_below` are chosen on all rated items (None: no threshold keeps the bound); what they do is told
    out of fold: each fold's answers are sent, held or left to a person by thresholds chosen without them.
    """

    thresholds: tuple[Threshold, ...]
    bound: float
    confidence: float
    minutes: float
    send_at: float | None
    hold_below: float | None
    n: int
    bad: int
    good: int
    sent: int
    sent_bad: int
    held: int
    held_good: int
    to_person: int
    wrong_rate: Estimate
    right_held_rate: Estimate
    hours_saved: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class MeanRating:
    """The mean rating of all answers from the few rated ones and the scores of all (prediction-powered inference).

    `classical` is the mean of the rated ones alone. `power` is the factor lambda of PPI++ (0: no help).
    `ratings_for_width` pairs a wanted width of the interval with how many ratings would reach it (None: none would).
    """

    rated: int
    unrated: int
    mean: Estimate
    classical: Estimate
    power: float
    ratings_for_width: tuple[tuple[float, int | None], ...]


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How every number was made: sizes, seed, resampling and versions of the packages."""

    items: int
    rated: int
    groups: int
    rating_min: float
    rating_max: float
    seed: int
    level: float
    bootstrap: int
    permutations: int
    versions: dict[str, str]


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """Which metric, alone or combined, agrees with the ratings, how far, and what that would save.

    Parts are None where the table does not allow them.

    Attributes:
        recommendation: One sentence for a support lead: which measure follows the team, and what it may be used for.
        explanation: The statistics under it, in one sentence.
        metrics: The agreement of each metric with the mean rating, and of a constant.
        raters: The agreement of the raters with each other.
        selection: All combinations, the one chosen, and what chance gives.
        paper_procedure: The paper's way of choosing, beside it.
        comparisons: The choice with the best single metric and baseline; then the best single metric with each other.
        paper_tables: Tables III to V of the paper.
        policy: Which answers could be sent or held back without a person.
        mean_rating: The mean rating of all answers from few ratings.
        slices: The agreement by language, message type or another attribute.
        settings: How every number was made.
    """

    recommendation: str
    explanation: str
    metrics: tuple[MetricAgreement, ...]
    raters: Raters | None
    selection: Selection | None
    paper_procedure: PaperProcedure | None
    comparisons: tuple[Comparison, ...]
    paper_tables: PaperTables | None
    policy: Policy | None
    mean_rating: MeanRating | None
    slices: tuple[SliceAgreement, ...]
    settings: EvaluationSettings
