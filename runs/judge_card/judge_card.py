"""The card of a judge as a value, and its stable JSON form."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ...meta_eval.estimate import Estimate

FORMAT: Literal["assay-judge-card/1"] = "assay-judge-card/1"


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class CardAgreement(_Value):
    """How something that scores answers agrees with their ratings.

    Attributes:
        name: What scores the answers: a metric, a baseline, or several joined by " + ".
        spearman: Spearman's rho with the ratings; of pairs, with how much better the second answer was rated.
        auroc: P(a good answer scores above another); good is rated above the scale's middle, a good pair is one whose
            second answer was rated better.
        source: Of scores that others published, where they did; "" for what Assay computed.
    """

    name: str
    spearman: Estimate
    auroc: Estimate
    source: str = ""


class ScoreBin(_Value):
    """Answers whose scores are alike.

    Attributes:
        low: The least score of the bin, in [0, 1].
        high: The bin's upper end; only the last bin holds it.
        n: How many answers.
        score: Their mean score.
        rating: Their mean rating as a share of the scale, in [0, 1].
    """

    low: float
    high: float
    n: int = Field(ge=1)
    score: float
    rating: float


class Calibration(_Value):
    """How far a score between 0 and 1 is the rating as a share of the scale.

    Attributes:
        error: The distance of mean score and mean rating in each bin, weighted by answers (expected calibration error).
        bins: The bins that have answers, from low to high.
    """

    error: Estimate
    bins: tuple[ScoreBin, ...] = ()


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
        tried: How many answers were given one, and scored: unchanged, with it, and, where any was, when asked again.
        worked: How many of them scored higher with it, or have a claim that turned to supported.
        again: How many did when the same answers were merely asked again; None where none was.
        share: (worked - again) / tried, with an interval over groups; without a value where none was asked again.
        unseen: Whether no question had the instruction in it, as far as the replies tell: the metric's merit.
    """

    tried: int = Field(ge=0)
    worked: int = Field(ge=0)
    again: int | None = Field(default=None, ge=0)
    share: Estimate
    unseen: bool = False


class JudgeCost(_Value):
    """What 1,000 answers take.

    Attributes:
        usd: None where the price is unknown.
        tokens_in: Tokens of the requests.
        tokens_out: Tokens of the replies.
        requests: Requests.
        seconds: The duration of the calls when they were made, divided by how many ran at once.
    """

    usd: float | None
    tokens_in: float
    tokens_out: float
    requests: float
    seconds: float


class SetCard(_Value):
    """What the judge is worth on one set and one metric.

    Attributes:
        set_name: As it was named: `public:mtrag:dev`, `helpdesk_en`, a file without its folder.
        rated: What was rated and by whom, in words.
        metric: The metric that the judge was asked for.
        most: At most so many answers were taken, the first by the hash of their ids.
        taken: A digest of what was taken: the answers' ids with their ratings and scale. Where it is the same, two
            cards are about the same answers with the same ratings.
        answers: How many were taken; pairs and conversations count as answers.
        groups: How many groups they form.
        scored: How many have a score.
        skipped: How many have none because the metric does not apply.
        failed: How many failed; `failure` has the first reason.
        failure: Why the first of them failed.
        judge: The judge's agreement with the ratings.
        baselines: Token overlap, and what else is computed without a judge, on the same answers.
        difference: Spearman of the judge less that of token overlap, on the same answers.
        combined: The judge and token overlap together, combined and weighted by other folds.
        gain: Spearman of the two together less that of token overlap alone: what the judge adds.
        ceiling: The best Spearman with these ratings that any measure could reach; its problem says why it is unknown.
        one_rater: What one rater reaches against the mean of the others.
        published: Scores by others of the same answers, compared with the ratings here.
        calibration: None for a score that is no share.
        biases: Position, length, style and what else was measured.
        flips: Of the claims of answers that were asked again with another seed, the share with another verdict.
        injections: What instructions in the answers did; None where none was tried.
        cost: What 1,000 answers take; None where no reply is there.
        unparsable: The share of the questions whose first reply could not be used as it came.
        lost: The share of the questions without any usable reply.
    """

    set_name: str
    rated: str
    metric: str
    most: int = Field(ge=1)
    taken: str = Field(pattern="^[0-9a-f]{16}$")
    answers: int = Field(ge=0)
    groups: int = Field(ge=0)
    scored: int = Field(ge=0)
    skipped: int = Field(ge=0)
    failed: int = Field(ge=0)
    failure: str = ""
    judge: CardAgreement
    baselines: tuple[CardAgreement, ...]
    difference: Estimate
    combined: CardAgreement
    gain: Estimate
    ceiling: Estimate
    one_rater: Estimate
    published: tuple[CardAgreement, ...] = ()
    calibration: Calibration | None
    biases: tuple[BiasFigure, ...]
    flips: Estimate
    injections: Injections | None
    cost: JudgeCost | None
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
        date: The day that the card was made, in UTC.
        seed: Seed of the folds and the probes.
        probed: At most so many answers of each set were asked again and changed by probes.
        sets: One entry per set.
    """

    format: Literal["assay-judge-card/1"] = FORMAT
    judge: str = Field(min_length=1)
    model: str
    settings: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    assay: str
    date: date
    seed: int
    probed: int = Field(ge=0)
    sets: tuple[SetCard, ...] = Field(min_length=1)
