"""The card of a judge: its values, their bounds, and its stable JSON form as a file."""

import math
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ...atomic_files import replace_file
from ...errors import InputError
from ...json_text import parse_json
from ...meta_eval.estimate import Estimate
from ...presentation.texts import escape_unsafe, one_line
from ...regular_files import read_text_file
from ...value_messages import describe_first_mistake

FORMAT: Literal["assay-judge-card/1"] = "assay-judge-card/1"
_MOST = 10**12  # of whatever is counted, and the size of a figure: what a card shows can be reckoned with
_LARGEST_SETTING = 2**63
_ROUNDING = 1e-9  # a figure that was reckoned may be beyond its bound by so much
_CURE = "name a file that `assay judges card MODEL -o card.json` wrote"


def _refuse(value: Any, cure: str, name: str = "") -> NoReturn:
    shown = str(value)
    shown = shown if len(shown) <= 40 else f"{shown[:40]}..."
    message = f"{name} is {{value}}; {{cure}}" if name else "is {value}; {cure}"
    raise PydanticCustomError("refused", message, {"value": shown, "cure": cure})


def _bounds(lowest: float, highest: float) -> AfterValidator:
    """Checks that a figure's value and its interval lie in [lowest, highest], and that its counts can be."""

    def check(figure: Estimate) -> Estimate:
        for name in ("n", "groups"):
            count = getattr(figure, name)
            if count is not None and not 0 <= count <= _MOST:
                _refuse(count, f"write a whole number from 0 to {_MOST:,}, or null", name)
        for name in ("value", "low", "high", "p"):
            least, most = (0, 1) if name == "p" else (lowest, highest)
            number = getattr(figure, name)
            if number is not None and not least - _ROUNDING <= number <= most + _ROUNDING:
                _refuse(number, f"write a number from {least:,} to {most:,}, or null", name)
        _check_order(figure.low, figure.high)
        return figure

    return AfterValidator(check)


def _check_order(low: float | None, high: float | None) -> None:
    if low is not None and high is not None and low > high:
        _refuse(low, f"write one that is not above high, {high:g}", "low")


def _check_setting(value: Any) -> Any:
    """A setting as it is: a text, a number that is not too large, true, false or null."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float) and abs(value) < _LARGEST_SETTING and math.isfinite(value):
        return value
    _refuse(value, "write a text, a number, true, false or null")


CardFigure = Annotated[Estimate, _bounds(-_MOST, _MOST)]
Correlation = Annotated[Estimate, _bounds(-1, 1)]
ShareDifference = Annotated[Estimate, _bounds(-1, 1)]
CorrelationDifference = Annotated[Estimate, _bounds(-2, 2)]
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
        _check_order(self.low, self.high)
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
    """What the judge is worth on one set and one metric."""

    set_name: str  # as it was named: `public:mtrag:dev`, `helpdesk_en`, a file without its folder
    rated: str  # what was rated and by whom, in words
    metric: str  # what the judge was asked for
    most: FromOne  # at most so many answers were taken, the first by the hash of their ids
    # of what was taken: the answers' ids with their ratings and scale. Where it is the same, two cards are about the
    # same answers with the same ratings.
    digest: str = Field(pattern="^[0-9a-f]{16}$")
    unrated: Count = 0  # how many answers of the set have no rating; they were not judged
    answers: Count  # how many were taken; pairs and conversations count as answers
    groups: Count
    scored: Count
    skipped: Count  # the metric does not apply
    failed: Count
    failure: str = ""  # why the first of them failed
    missing: tuple[MissingReason, ...] = ()  # of the skipped and failed, the most frequent first; at most fifty
    judge: CardAgreement
    agreement: CardPassFail | None = None  # None in older cards, and where there is no threshold
    baselines: tuple[
        CardAgreement, ...
    ]  # token overlap, and what else is computed without a judge, on the same answers
    difference: CorrelationDifference  # Spearman of the judge less that of token overlap, on the same answers
    combined: CardAgreement  # the judge and token overlap together, combined and weighted by other folds
    gain: CorrelationDifference  # Spearman of the two together less that of token overlap alone: what the judge adds
    ceiling: Correlation  # the best Spearman with the ratings of the scored answers that any measure could reach
    one_rater: Correlation  # what one rater reaches against the mean of the others, on the scored answers
    published: tuple[CardAgreement, ...] = ()  # scores by others of the same answers, compared with the ratings here
    calibration: Calibration | None  # None for a score that is no share
    biases: tuple[BiasFigure, ...]  # position, length, style and what else was measured
    flips: Share  # of the claims of answers that were asked again with another seed, those with another verdict
    injections: Injections | None  # None where none was tried
    cost: JudgeCost | None  # None where no reply is there
    unparsable: Share  # the questions whose first reply could not be used as it came
    lost: Share  # the questions without any usable reply
    # the lines of the verdict, which follow from the others: `--json` prints them, and they are not kept
    verdict: dict[str, str] = Field(default_factory=dict, exclude=True)

    @model_validator(mode="after")
    def _check_counts(self) -> Self:
        """Raises where more answers were scored, skipped or failed than were taken."""
        if (total := self.scored + self.skipped + self.failed) > self.answers:
            _refuse(self.answers, f"scored, skipped and failed sum to {total:,}: write counts that fit", "answers")
        return self


class JudgeCard(_Value):
    """The card of one judge."""

    format: Literal["assay-judge-card/1"] = FORMAT  # the form of the JSON file; it changes when a field does
    judge: str = Field(min_length=1)
    model: str  # as it is recorded
    # how the judge was asked (`decide`, `logprobs`, the temperature, ...); no keys
    settings: dict[str, Setting] = Field(default_factory=dict)
    assay: str  # the version of Assay
    date: date  # the day that the card was made, in UTC
    seed: int = Field(ge=-_LARGEST_SETTING, lt=_LARGEST_SETTING)  # of the folds and the probes
    probed: Count  # at most so many answers of each set were asked again and changed by probes
    sets: tuple[SetCard, ...] = Field(min_length=1)


def is_card_file(name: str) -> bool:
    """Whether what was typed names the file of a card, not a judge: no judge's name ends in `.json`.

    Example:
        >>> is_card_file("cards/mini.json"), is_card_file("openai/gpt-4o-mini"), is_card_file("judge.yaml")
        (True, False, False)
    """
    return name.lower().endswith(".json")


def write_card(path: Path, card: JudgeCard) -> None:
    """Writes a card as JSON, in which what a terminal would obey is escaped.

    Raises:
        UsageError: The file cannot be written.
    """
    with replace_file(path) as file:
        file.write(f"{escape_unsafe(card.model_dump_json(indent=2))}\n")


def read_card(path: Path) -> JudgeCard:
    """Reads a card. Raises `InputError` where it is none; the message names the file, the field and the cure."""
    if not path.exists():
        raise InputError(f"{path}: no such file; {_CURE}")
    text = read_text_file(path, "the card", cure=_CURE)
    try:
        values = parse_json(text)
    except ValueError as error:
        raise InputError(f"{path}: {error}; {_CURE}") from error
    form = values.get("format") if isinstance(values, dict) else None
    if form != FORMAT:
        what = "is no judge's card" if form is None else f"has the form {one_line(str(form), 40)!r}, not {FORMAT!r}"
        raise InputError(f"{path}: {what}; {_CURE}")
    try:
        return JudgeCard.model_validate_json(text)
    except ValidationError as error:
        raise InputError(f"{path}: {describe_first_mistake(error)}") from error
