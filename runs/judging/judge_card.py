"""The card of a judge as a value, and its stable JSON form."""

import math
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, model_validator
from pydantic_core import PydanticCustomError

from ...meta_eval.estimate import Estimate

FORMAT: Literal["assay-judge-card/1"] = "assay-judge-card/1"
_MOST = 10**12  # of whatever is counted, and the size of a figure: what a card shows can be reckoned with
_LARGEST_SETTING = 2**63
_ROUNDING = 1e-9  # a figure that was reckoned may be beyond its bound by so much


def _check_figure(figure: Estimate, lowest: float, highest: float) -> Estimate:
    """Raises where a count or a number of a figure is none that an evaluation can have."""
    for name in ("n", "groups"):
        count = getattr(figure, name)
        if count is not None and not 0 <= count <= _MOST:
            _refuse(name, count, f"write a whole number from 0 to {_MOST:,}, or null")
    for name in ("value", "low", "high", "p"):
        least, most = (0, 1) if name == "p" else (lowest, highest)
        number = getattr(figure, name)
        if number is not None and not least - _ROUNDING <= number <= most + _ROUNDING:
            _refuse(name, number, f"write a number from {least:,} to {most:,}, or null")
    if figure.low is not None and figure.high is not None and figure.low > figure.high:
        _refuse("low", figure.low, f"write one that is not above high, {figure.high:g}")
    return figure


def _bounds(lowest: float, highest: float) -> AfterValidator:
    """Checks that a figure's value and its interval lie in [lowest, highest]."""
    return AfterValidator(lambda figure: _check_figure(figure, lowest, highest))


def _check_setting(value: Any) -> Any:
    """A setting as it is: a text, a number that is not too large, true, false or null."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float) and abs(value) < _LARGEST_SETTING and math.isfinite(value):
        return value
    shown = str(value)
    context = {"value": shown if len(shown) <= 40 else f"{shown[:40]}..."}
    raise PydanticCustomError("no_setting", "is {value}; write a text, a number, true, false or null", context)


def _refuse(name: str, value: float, cure: str) -> None:
    shown = str(value)
    context = {"name": name, "value": shown if len(shown) <= 40 else f"{shown[:40]}...", "cure": cure}
    raise PydanticCustomError("no_figure", "{name} is {value}; {cure}", context)


CardFigure = Annotated[Estimate, _bounds(-_MOST, _MOST)]
Correlation = Annotated[Estimate, _bounds(-1, 1)]
CorrelationDifference = Annotated[Estimate, _bounds(-2, 2)]
ShareDifference = Annotated[Estimate, _bounds(-1, 1)]
Share = Annotated[Estimate, _bounds(0, 1)]
Setting = Annotated[str | int | float | bool | None, PlainValidator(_check_setting)]
Count = Annotated[int, Field(ge=0, le=_MOST)]
FromOne = Annotated[int, Field(ge=1, le=_MOST)]
Amount = Annotated[float, Field(ge=0, le=_MOST)]
Part = Annotated[float, Field(ge=-_ROUNDING, le=1 + _ROUNDING)]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


class CardAgreement(_Value):
    """How something that scores answers agrees with their ratings."""

    name: str  # what scores the answers: a metric, a baseline, or several joined by " + "
    spearman: Correlation  # Spearman's rho with the ratings; of pairs, with how much better the second answer was rated
    # P(a good answer scores above another); good is rated above the scale's middle, a good pair is one whose second
    # answer was rated better
    auroc: Share
    source: str = ""  # of scores that others published, where they did; "" for what Assay computed


class CardPassFail(_Value):
    """How a judge passes and fails answers at its threshold, beside people."""

    threshold: float
    true_positive: Count  # people and the judge pass them
    false_positive: Count  # only the judge does
    false_negative: Count  # only people do
    true_negative: Count
    sensitivity: Share
    specificity: Share
    precision: Share
    kappa: Correlation
    ac2: Correlation


class ScoreBin(_Value):
    """Answers whose scores are alike."""

    low: Part  # the least score of the bin, in [0, 1]
    high: Part  # the bin's upper end; only the last bin holds it
    n: FromOne
    score: Part  # their mean score
    rating: Part  # their mean rating as a share of the scale, in [0, 1]

    @model_validator(mode="after")
    def _check_ends(self) -> Self:
        if self.low > self.high:
            _refuse("low", self.low, f"write one that is not above high, {self.high:g}")
        return self


class Calibration(_Value):
    """How far a score between 0 and 1 is the rating as a share of the scale."""

    # the distance of mean score and mean rating in each bin, weighted by answers (expected calibration error)
    error: Share
    bins: tuple[ScoreBin, ...] = ()


class BiasFigure(_Value):
    """What moves the judge's score though the answer is no better."""

    bias: str  # position, length, style or instructions
    source: str  # what measured it: a probe, or `pairwise`
    change: CardFigure  # how far the score moves; without a value its problem says why it is not measured


class Injections(_Value):
    """Instructions to the judge that were put into the answers."""

    # how many answers were given one, and scored: unchanged, with it, and, where any was, when asked again
    tried: Count
    worked: Count  # how many of them scored higher with it, or have a claim that turned to supported
    again: Count | None = None  # how many did when the same answers were merely asked again; None where none was
    # (worked - again) / tried, with an interval over groups; without a value where none was asked again
    share: ShareDifference
    # whether no question had the instruction in it, as far as the replies tell: the metric's merit
    unseen: bool = False


class JudgeCost(_Value):
    """What 1,000 answers take."""

    usd: Amount | None  # None where the price is unknown
    tokens_in: Amount
    tokens_out: Amount
    requests: Amount
    seconds: Amount  # the duration of the calls when they were made, divided by how many ran at once
    # whether tokens and USD are the most that they may be, because not every reply stated what it took
    is_at_most: bool


class MissingReason(_Value):
    """Why answers have no score."""

    status: Literal["skipped", "failed"]  # `skipped` where the metric does not apply, else `failed`
    reason: str
    count: FromOne  # how many answers it holds for


class SetCard(_Value):
    """What the judge is worth on one set and one metric.

    Attributes:
        set_name: As it was named: `public:mtrag:dev`, `helpdesk_en`, a file without its folder.
        rated: What was rated and by whom, in words.
        metric: The metric that the judge was asked for.
        most: At most so many answers were taken, the first by the hash of their ids.
        digest: A digest of what was taken: the answers' ids with their ratings and scale. Where it is the same, two
            cards are about the same answers with the same ratings.
        unrated: How many answers of the set have no rating; they were not judged.
        answers: How many were taken; pairs and conversations count as answers.
        groups: How many groups they form.
        scored: How many have a score.
        skipped: How many have none because the metric does not apply.
        failed: How many failed; `failure` has the first reason.
        failure: Why the first of them failed.
        missing: The reasons of the skipped and failed, the most frequent first; at most fifty.
        judge: The judge's agreement with the ratings.
        agreement: How the judge passes and fails answers at its threshold, beside people; None in older cards, and
            where there is no threshold.
        baselines: Token overlap, and what else is computed without a judge, on the same answers.
        difference: Spearman of the judge less that of token overlap, on the same answers.
        combined: The judge and token overlap together, combined and weighted by other folds.
        gain: Spearman of the two together less that of token overlap alone: what the judge adds.
        ceiling: The best Spearman with the ratings of the scored answers that any measure could reach; its problem says
            why it is unknown.
        one_rater: What one rater reaches against the mean of the others, on the scored answers.
        published: Scores by others of the same answers, compared with the ratings here.
        calibration: None for a score that is no share.
        biases: Position, length, style and what else was measured.
        flips: Of the claims of answers that were asked again with another seed, the share with another verdict.
        injections: What instructions in the answers did; None where none was tried.
        cost: What 1,000 answers take; None where no reply is there.
        unparsable: The share of the questions whose first reply could not be used as it came.
        lost: The share of the questions without any usable reply.
        verdict: The lines of the verdict, which follow from the others: `--json` prints them, and they are not kept.
    """

    set_name: str
    rated: str
    metric: str
    most: FromOne
    digest: str = Field(pattern="^[0-9a-f]{16}$")
    unrated: Count = 0
    answers: Count
    groups: Count
    scored: Count
    skipped: Count
    failed: Count
    failure: str = ""
    missing: tuple[MissingReason, ...] = ()
    judge: CardAgreement
    agreement: CardPassFail | None = None
    baselines: tuple[CardAgreement, ...]
    difference: CorrelationDifference
    combined: CardAgreement
    gain: CorrelationDifference
    ceiling: Correlation
    one_rater: Correlation
    published: tuple[CardAgreement, ...] = ()
    calibration: Calibration | None
    biases: tuple[BiasFigure, ...]
    flips: Share
    injections: Injections | None
    cost: JudgeCost | None
    unparsable: Share
    lost: Share
    verdict: dict[str, str] = Field(default_factory=dict, exclude=True)

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        """Raises where more answers were scored, skipped or failed than were taken."""
        if (total := self.scored + self.skipped + self.failed) > self.answers:
            _refuse("answers", self.answers, f"scored, skipped and failed sum to {total:,}: write counts that fit")
        return self


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
    settings: dict[str, Setting] = Field(default_factory=dict)
    assay: str
    date: date
    seed: int = Field(ge=-_LARGEST_SETTING, lt=_LARGEST_SETTING)
    probed: Count
    sets: tuple[SetCard, ...] = Field(min_length=1)
