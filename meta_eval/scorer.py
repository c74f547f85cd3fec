"""The chosen combination as a file: fitted to ratings, read by people, and run as a metric (`scorer:FILE`)."""

import hashlib
import json
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..atomic_files import replace_file
from ..errors import InputError
from ..presentation.figure import format_rating
from ..value_messages import quote_word

if TYPE_CHECKING:
    from .arrays import Floats
    from .table import ScoreTable

DECIMALS = 6  # of all that is fitted and saved, so that a file decides as what was fitted
Decision = Literal["send", "person", "hold"]
DECISION_WORDS: dict[Decision, str] = {
    "send": "may be sent",
    "person": "leave it to a person",
    "hold": "predicted rating is low; a person should look",
}
Knots = tuple[tuple[float, float], ...]
"""A monotone map as points (from, to), the first ones ascending; linear between them, constant beyond them."""
Bands = tuple[tuple[float, float], ...]
"""Bands of the rating scale as (start, away), the starts ascending; a band ends where the next one starts."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ScorerPart(_Record):
    """One metric of a scorer."""

    metric: str  # the metric with its options, as for `--metrics`
    higher_is_better: bool = True  # the metric's direction; where lower is better the value counts negated
    weight: float  # how much the metric's percentile adds to the combined score
    # map from the metric's value (negated where lower is better) to its share among the answers that the scorer was
    # fitted on, in [0, 1]
    percentiles: Knots = Field(min_length=1)
    missing: float = 0.0  # how many of these answers had no value, in [0, 1]


class JudgeRecord(_Record):
    """The judge that the scorer was fitted with: the settings that determine its replies."""

    model: str
    settings: dict[str, Any] = {}


class AgreementRecord(_Record):
    """How well the scorer agreed with the ratings when it was fitted, on answers that it was not fitted on."""

    items: int
    groups: int  # groups of answers that share a source
    spearman: float
    low: float | None = None  # lower end of its 95% interval
    high: float | None = None  # upper end of its 95% interval
    # the best agreement that any measure could reach with these ratings; None with one rating per answer
    rater_ceiling: float | None = None
    ratings: str  # fingerprint of the ratings, so that a second fit on the same ones is recognised


def fingerprint_answer(question: str, answer: str) -> str:
    """Returns 12 hexadecimal digits over a question and its answer, equal whatever the white space and the ids.

    Example:
        >>> fingerprint_answer("Is it free?", "Yes.") == fingerprint_answer(" Is it\\nfree?", "Yes. ")
        True
    """
    return hashlib.sha256(" ".join((*question.split(), "\x1f", *answer.split())).encode()).hexdigest()[:12]


class Prediction(_Record):
    """What a scorer says of one answer."""

    predicted: float
    low: float  # lower end of the interval that holds the rating with the scorer's level or more
    high: float  # upper end of the interval
    decision: Decision  # `send` to the customer, leave to a `person`, or `hold` back
    contributions: dict[str, float]  # what each part adds to the combined score; 0 where its value is missing
    missing: tuple[str, ...] = ()


class Scorer(_Record):
    """A combination of metrics, fitted to a team's ratings.

    The combined score is the sum over parts of weight x (percentile - 0.5). A part that has no value for an answer
    counts as its middle, 0. The combined score is mapped to the rating scale by isotonic regression.

    The interval holds the rating with probability `level` or more whatever the prediction, and whatever the rating: of
    the answers that the team rates worst too. It goes from the lowest to the highest of two sets: the ratings that are
    no further from the prediction than `by_prediction` says for predictions like this one, and all ratings whose own
    `by_rating` reaches the prediction. Both are conformal over whole groups, one quantile of |rating - prediction| per
    band (Mondrian: Vovk, Gammerman and Shafer, 2005; label-conditional: Vovk, 2012; groups: Dunn, Wasserman and
    Ramdas, 2023), from answers of folds that the fit left out.
    """

    version: Literal[2] = 2  # of the file format
    assay: str
    kind: str  # of the weights: `subset`, equal; `weighed`, by ridge regression; earlier versions had others
    parts: tuple[ScorerPart, ...] = Field(min_length=1)
    judge: JudgeRecord | None = None  # the judge of the parts that ask one; None where none does
    embedder: str | None = None  # the embedder of the parts; None where none uses one
    prompts: tuple[str, ...] = ()  # the prompts that the parts used, `name.language@hash`
    rating_min: float  # lowest level of the team's scale
    rating_max: float  # highest level
    ratings: Knots = Field(min_length=1)
    level: float = Field(gt=0, lt=1)  # level of the interval, such as 0.9
    # by band of the rating, how far predictions of such answers are from their rating
    by_rating: Bands = Field(min_length=1)
    # by band of the prediction, how far ratings of such answers are from the prediction
    by_prediction: Bands = Field(min_length=1)
    # predicted ratings from which answers may be sent; None where no threshold keeps the bound
    send_at: float | None = None
    # predicted ratings below which answers are held back; None where there is no such threshold
    hold_below: float | None = None
    agreement: AgreementRecord  # how well it agreed with the ratings, out of fold
    # fingerprints of the rated answers that it was fitted on, in order; None where their texts were not read
    answers: tuple[str, ...] | None = None

    @field_validator("version", mode="before")
    @classmethod
    def _is_not_of_0_1(cls, version: Any) -> Any:
        if version == 1:
            raise ValueError("it was written by Assay 0.1; fit it again: assay meta RUN --save FILE")
        return version

    @field_validator("send_at", "hold_below")
    @classmethod
    def _has_the_decimals_of_a_prediction(cls, threshold: float | None) -> float | None:
        return None if threshold is None else round(threshold, DECIMALS)  # Assay 0.2 saved them with more

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it needs."""
        return tuple(part.metric for part in self.parts)

    def was_fitted_on(self, question: str, answer: str) -> bool:
        """Whether it was fitted on the rating of this very answer, which its predictions then only repeat."""
        return self.answers is not None and fingerprint_answer(question, answer) in self.answers

    def describe_rating(self, predicted: float) -> str:
        """A predicted rating with its scale, such as "3.4 of 5"."""
        return format_rating(predicted, self.rating_min, self.rating_max, "predicted")

    def predict(self, values: Mapping[str, float | None]) -> Prediction:
        """The expected rating of an answer."""
        contributions, missing = {}, []
        for part in self.parts:
            value = values.get(part.metric)
            if value is None:
                missing.append(part.metric)
                contributions[part.metric] = 0.0
            else:
                oriented = value if part.higher_is_better else -value
                contributions[part.metric] = part.weight * (float(interpolate(part.percentiles, oriented)) - 0.5)
        predicted = float(interpolate(self.ratings, sum(contributions.values())))
        low, high = self._interval(predicted)
        return Prediction(
            predicted=predicted,
            low=low,
            high=high,
            decision=self._decide(predicted),
            contributions=contributions,
            missing=tuple(missing),
        )

    def _interval(self, predicted: float) -> tuple[float, float]:
        band = max(0, bisect_right([start for start, _ in self.by_prediction], predicted) - 1)
        away = self.by_prediction[band][1]
        low, high = predicted - away, predicted + away
        ends = [*(start for start, _ in self.by_rating[1:]), self.rating_max]
        for (start, reach), end in zip(self.by_rating, ends, strict=True):
            if start - reach <= predicted <= end + reach:
                low, high = min(low, max(start, predicted - reach)), max(high, min(end, predicted + reach))
        return max(self.rating_min, low), min(self.rating_max, high)

    def _decide(self, predicted: float) -> Decision:
        if self.send_at is not None and predicted >= self.send_at:
            return "send"
        return "hold" if self.hold_below is not None and predicted < self.hold_below else "person"

    @classmethod
    def load(cls, path: str | Path) -> "Scorer":
        """Reads a scorer's file (YAML)."""
        from ..languages import read_yaml

        file = Path(path)
        if not file.is_file():
            raise InputError(
                f"{file}: there is no scorer here; make one with: assay meta RUN --save {quote_word(file)}"
            )
        scorer = read_yaml(file, cls)
        for place, metric in enumerate(scorer.metrics):
            if metric.startswith("scorer:"):
                raise InputError(
                    f"{file}: parts.{place}.metric: {metric} is a scorer, and a scorer is made of metrics; fit it "
                    f"again, on metrics: assay meta RUN --metrics A,B --save {quote_word(file)}"
                )
        return scorer

    def save(self, path: str | Path) -> None:
        """Writes the scorer as YAML that a person can read and review."""
        from ..languages.yaml_file import ShortList, dump_yaml

        content = self.model_dump(mode="json")
        bands = {"by_rating": self.by_rating, "by_prediction": self.by_prediction}
        for name, knots in {"ratings": self.ratings, **bands}.items():
            content[name] = list(map(ShortList, knots))
        if self.answers is None:
            del content["answers"]
        else:
            content["answers"] = ShortList(self.answers)
        for part, own in zip(content["parts"], self.parts, strict=True):
            part["percentiles"] = list(map(ShortList, own.percentiles))
        metric = quote_word(f"scorer:{Path(path).name}")
        text = f"# Made by `assay meta --save`. Run it with: assay run SET --metrics {metric}\n"
        text += dump_yaml(content)
        with replace_file(Path(path)) as file:
            file.write(text)


def interpolate(knots: Knots, values: "float | Sequence[float] | Floats") -> "Floats":
    """A monotone map at some values, or at one: linear between its points, constant beyond them; NaN where one is.

    Values and results are rounded as the points of a map are, so that what the map was fitted to lies on its points.

    Example:
        >>> interpolate(((0.0, 1.0), (2.0, 5.0)), [0.5, 9.0]).tolist()
        [2.0, 5.0]
    """
    import numpy as np

    return np.round(np.asarray(np.interp(np.round(values, DECIMALS), *np.array(knots).T), float), DECIMALS)


def _knots(starts: "Floats", ends: "Floats") -> Knots:
    return tuple(zip((starts + 0.0).tolist(), ends.round(DECIMALS).tolist(), strict=True))  # no -0.0


def fingerprint_ratings(table: "ScoreTable") -> str:
    """12 hexadecimal digits over the ratings by item and rater: equal for equal ratings in any order."""
    rows = sorted(
        [item, rater, float(rating)]
        for item, ratings in zip(table.items, table.ratings, strict=True)
        for rater, rating in zip(table.raters, ratings, strict=True)
        if not math.isnan(rating)
    )
    if table.agreed is not None:
        agreed = zip(table.items, table.agreed, strict=True)
        rows += sorted([item, "", float(rating)] for item, rating in agreed if not math.isnan(rating))
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]


def percentile_knots(values: Sequence[float], most: int = 25) -> Knots:
    """The map from a value to its share among `values`, ties half, as at most `most` points.

    Example:
        >>> percentile_knots([1, 2, 2, 3])
        ((1.0, 0.125), (2.0, 0.5), (3.0, 0.875))
    """
    import numpy as np

    ordered = np.sort(np.asarray(values, float)).round(DECIMALS)
    levels = np.unique(ordered)
    if len(levels) > most:
        levels = np.unique(np.quantile(ordered, np.linspace(0, 1, most), method="nearest"))
    below, upto = (np.searchsorted(ordered, levels, side=side) for side in ("left", "right"))
    return _knots(levels, (below + upto) / (2 * len(ordered)))


def isotonic_knots(values: "Floats", ratings: "Floats") -> Knots:
    """The map from a value to the rating that isotonic regression expects, without points that change nothing.

    Example:
        >>> import numpy as np
        >>> isotonic_knots(np.array([1.0, 2, 2, 3, 4]), np.array([1.0, 3, 5, 3, 5]))
        ((1.0, 1.0), (2.0, 3.666667), (3.0, 3.666667), (4.0, 5.0))
    """
    import numpy as np
    from scipy.optimize import isotonic_regression

    order = np.argsort(values, kind="stable")
    ordered = values[order].round(DECIMALS)
    starts = np.flatnonzero(np.r_[True, np.diff(ordered) > 0])
    counts = np.diff(starts, append=len(values))
    fitted = isotonic_regression(np.add.reduceat(ratings[order], starts) / counts, weights=counts).x
    rises = np.diff(fitted) != 0
    is_needed = np.r_[True, rises] | np.r_[rises, True]
    return _knots(ordered[starts][is_needed], fitted[is_needed])
