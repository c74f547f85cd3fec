"""The card of a judge as a value, and its stable JSON form."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ...meta_eval.estimate import Estimate

FORMAT = "assay-judge-card/1"


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Agreement(_Value):
    """How a scorer of answers agrees with their ratings.

    Attributes:
        name: What scores the answers: a metric, a baseline, or several joined by " + ".
        spearman: Spearman's rho with the ratings; of pairs, with how much better the second answer was rated.
        auroc: P(a good answer scores above a bad one); good is rated above the scale's middle.
        source: Of a published figure, where it was published; "" for what Assay computed.
    """

    name: str
    spearman: Estimate
    auroc: Estimate
    source: str = ""


class PublishedFigure(_Value):
    """A figure that others published about the same set.

    Attributes:
        name: What was measured.
        statistic: Which statistic ("Spearman", "AUROC", "accuracy", ...).
        value: The figure.
        source: The publication and its table, or the file.
    """

    name: str
    statistic: str
    value: float
    source: str


class CalibrationBin(_Value):
    """Answers whose scores are alike.

    Attributes:
        low: The least score of the bin, in [0, 1].
        high: The bin's upper end.
        n: How many answers.
        score: Their mean score.
        rating: Their mean rating as a share of the scale, in [0, 1].
    """

    low: float
    high: float
    n: int
    score: float
    rating: float


class Calibration(_Value):
    """How far a score between 0 and 1 is the rating as a share of the scale.

    Attributes:
        error: The mean distance of score and rating over the bins, by answers (expected calibration error).
        bins: The bins that have answers, from low to high.
    """

    error: Estimate
    bins: tuple[CalibrationBin, ...] = ()


class BiasFigure(_Value):
    """What moves the judge's score though the answer is no better.

    Attributes:
        bias: position, length, style, self-preference, order of the contexts, instructions.
        source: What measured it: a probe, `pairwise` or `metadata.system`.
        change: How far the score moves; without a value its problem says why it is not measured.
    """

    bias: str
    source: str
    change: Estimate


class Injections(_Value):
    """Instructions to the judge that were put into the answers.

    Attributes:
        tried: How many answers were given one.
        worked: How many of them scored higher by more than the judge's own noise, or turned a verdict.
        share: worked / tried, with an interval over groups.
    """

    tried: int
    worked: int
    share: Estimate


class Cost(_Value):
    """What 1,000 answers take.

    Attributes:
        usd: None where the price is unknown.
        tokens_in: Tokens of the requests.
        tokens_out: Tokens of the replies.
        requests: Requests.
        seconds: The duration of the calls, divided by how many run at once.
    """

    usd: float | None
    tokens_in: float
    tokens_out: float
    requests: float
    seconds: float


class SetCard(_Value):
    """What the judge is worth on one set and one metric.

    Attributes:
        set_name: As it was named: `public:mtrag:dev`, `helpdesk_en`, a file.
        rated: What people rated, in words.
        metric: The metric that the judge was asked for.
        answers: How many were taken, after the choice of `most` by hash.
        groups: How many groups they form.
        scored: How many have a score.
        skipped: How many have none because the metric does not apply.
        failed: How many failed; `failure` has the first reason.
        failure: Why the first of them failed.
        judge: The judge's agreement with the ratings.
        baselines: Token overlap, and what else is computed without a judge, on the same answers.
        difference: Spearman of the judge less that of token overlap, on the same answers.
        combined: The judge and token overlap together, out of fold.
        ceiling: What another rater would reach; without a value its problem says why.
        published: Scores by others of the same answers, compared with the ratings here.
        published_figures: Figures by others on the whole set, as they were published.
        calibration: None for a score that is no share.
        biases: Position, length, style and what else was measured.
        flips: Of the claims (or answers) asked again with another seed, the share with another verdict.
        injections: What instructions in the answers did; None where none could be tried.
        cost: What 1,000 answers take.
        unparsable: The share of the replies that could not be used as they came.
        lost: The share of the questions without any usable reply.
    """

    set_name: str
    rated: str
    metric: str
    answers: int
    groups: int
    scored: int
    skipped: int
    failed: int
    failure: str = ""
    judge: Agreement
    baselines: tuple[Agreement, ...]
    difference: Estimate
    combined: Agreement
    ceiling: Estimate
    published: tuple[Agreement, ...] = ()
    published_figures: tuple[PublishedFigure, ...] = ()
    calibration: Calibration | None
    biases: tuple[BiasFigure, ...]
    flips: Estimate
    injections: Injections | None
    cost: Cost
    unparsable: Estimate
    lost: Estimate


class JudgeCard(_Value):
    """The card of one judge.

    Attributes:
        format: The form of the JSON file; it changes when a field does.
        judge: The judge's name.
        model: The model as it is recorded.
        settings: How the judge was asked (`decide`, `logprobs`, the temperature, ...); no keys.
        assay: The version of Assay.
        date: The day.
        seed: Seed of the choice, the folds, the probes.
        sets: One entry per set and metric.
    """

    format: Literal["assay-judge-card/1"] = FORMAT
    judge: str
    model: str
    settings: dict[str, str | float | bool | None] = Field(default_factory=dict)
    assay: str
    date: date
    seed: int
    sets: tuple[SetCard, ...]
