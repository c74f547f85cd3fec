"""A figure: a value with its interval, and the one place that says how each kind of figure is written."""

from dataclasses import dataclass
from typing import Literal, Protocol

MISSING = "-"
"""What stands where there is no figure; a page has a dash."""

Kind = Literal[
    "mean",
    "cut",
    "value",
    "change",
    "correlation",
    "rho",
    "coefficient",
    "cosine",
    "contribution",
    "distance",
    "index",
    "rating",
    "predicted",
    "share",
    "rate",
    "p",
    "count",
    "seconds",
    "usd",
    "price",
]
"""What a figure is.

- `cut`: a threshold, with two to six decimals, as many as it has
- `mean`: a mean of scores or ratings; `value`: one answer's score; `change`: a difference of these
- `correlation`: a correlation, or a difference of two, in a table; `rho`: a correlation inside a sentence
- `coefficient`: from 0 to 1, such as AUROC, kappa or a probability; `cosine`: of two texts
- `distance` and `index`: of topics and folds
- `contribution`: what a part adds to a prediction; `rating`: one rating; `predicted`: one predicted rating
- `share`: a share of many, in whole percent; `rate`: a share that may be small; `p`: a p-value
- `count`: a whole number, such as tokens; `seconds`: a duration
- `usd`: what calls took; `price`: what 1,000 answers take
"""

_FORMATS: dict[Kind, str] = {
    "mean": ".2f",
    "cut": ".2f",
    "value": ".3f",
    "change": "+.3f",
    "correlation": "+.2f",
    "rho": ".2f",
    "coefficient": ".2f",
    "cosine": "+.3f",
    "contribution": "+.2f",
    "distance": ".4f",
    "index": ".0f",
    "rating": ".4g",
    "predicted": ".1f",
    "share": ".0%",
    "rate": ".1%",
    "p": ".3f",
    "count": ",.0f",
    "seconds": ",.1f",
    "usd": ".4f",
    "price": ",.2f",
}
_SMALLEST_P = 0.001
_LARGEST_PLAIN = 1e12  # a larger figure is written with a power of ten


class Interval(Protocol):
    """An estimate with its interval, as far as there is one."""

    @property
    def value(self) -> float | None:
        """The estimate; None where there is none."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""

    @property
    def problem(self) -> str:
        """Why there is no estimate or no interval; else empty."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval; as a string it is what every table, page and sentence shows.

    Examples:
        >>> str(Figure("correlation", 0.519, 0.38, 0.63)), str(Figure("mean", 0.519)), str(Figure("p", 0.0004))
        ('+0.52 [+0.38, +0.63]', '0.52', '<0.001')
        >>> str(Figure("correlation", None, problem="all values are equal")), str(Figure("usd", None))
        ('none: all values are equal', 'unknown')
    """

    kind: Kind
    value: float | None  # the value; None where there is none
    low: float | None = None  # the interval's lower end; None without an interval
    high: float | None = None  # its upper end
    problem: str = ""  # why there is no value, or no interval

    @classmethod
    def from_estimate(cls, kind: Kind, estimate: Interval) -> "Figure":
        """The figure of an estimate with its interval."""
        return cls(kind, estimate.value, estimate.low, estimate.high, estimate.problem)

    def __str__(self) -> str:
        """The figure in words: the value, its interval or why there is none."""
        if self.value is None:
            return f"none: {self.problem}" if self.problem else "unknown" if self.kind in {"usd", "price"} else MISSING
        text = _write(self.kind, self.value)
        if self.low is not None and self.high is not None:
            return f"{text} [{_write(self.kind, self.low)}, {_write(self.kind, self.high)}]"
        return f"{text} ({self.problem})" if self.problem else text

    def describe(self, of: str = "") -> str:
        """The figure in a sentence for people who know no statistics.

        Example:
            >>> Figure("rho", 0.41, 0.27, 0.53).describe(" of 1")
            '0.41 of 1 (likely 0.27 to 0.53)'
        """
        if self.value is None or self.low is None or self.high is None:
            return str(self)
        low, high = _write(self.kind, self.low), _write(self.kind, self.high)
        return f"{_write(self.kind, self.value)}{of} (likely {low} to {high})"


def _write(kind: Kind, value: float) -> str:
    if kind == "p" and value < _SMALLEST_P:
        return f"<{_SMALLEST_P}"
    form = _FORMATS[kind] if abs(value) < _LARGEST_PLAIN else f"{'+' if '+' in _FORMATS[kind] else ''}.3g"
    if kind == "cut" and abs(value) < _LARGEST_PLAIN:
        form = next((f".{number}f" for number in range(2, 7) if round(value, number) == value), ".6g")
    text = format(value, form)
    is_zero = text.startswith("-") and not text.strip("-0.,%")  # there is no -0.00
    return text.replace("-", "+" if "+" in _FORMATS[kind] else "", 1) if is_zero else text


def format_p(p: float | None) -> str:
    """A p-value inside a sentence.

    Examples:
        >>> format_p(0.0312), format_p(0.0001), format_p(None)
        ('p = 0.031', 'p < 0.001', 'no p-value')
    """
    if p is None:
        return "no p-value"
    return f"p < {_SMALLEST_P}" if p < _SMALLEST_P else f"p = {Figure('p', p)}"


def format_agreement(estimate: Interval) -> str:
    """How far a measure agrees with people, in a sentence.

    Example:
        >>> format_agreement(Figure("rho", 0.41, 0.27, 0.53))
        'agreement 0.41 of 1 (likely 0.27 to 0.53)'
    """
    return f"agreement {Figure.from_estimate('rho', estimate).describe(' of 1')}"


def format_cost(usd: float | None, bound: str = "") -> str:
    """What calls took, with its unit.

    Examples:
        >>> format_cost(0.01234), format_cost(None), format_cost(0.5, "at most "), format_cost(0.0, "at most ")
        ('0.0123 USD', 'unknown', 'at most 0.5000 USD', '0.0000 USD')
    """
    return "unknown" if usd is None else f"{bound if usd else ''}{Figure('usd', usd)} USD"


def format_price(cost: float | None, unit: str) -> str:
    """What 1,000 answers take, with its unit.

    Examples:
        >>> format_price(0.424, "USD"), format_price(310_000, "tokens"), format_price(0.15, "usd")
        ('0.42 USD', '310,000 tokens', '0.15 USD')
    """
    if unit.lower() == "usd":
        return f"{Figure('price', cost)} USD"
    return f"{Figure('count', cost)} {unit}"


def format_rating(value: float, low: float, high: float, kind: Kind = "rating") -> str:
    """Returns a rating, a mean of ratings or a predicted one in its own scale, as all pages and tables write it.

    Examples:
        >>> format_rating(4.5, 1, 5), format_rating(0.8, 0, 1), format_rating(-1, -2, 2)
        ('4.5 of 5', '0.8 of 1', '-1 of -2 to 2')
    """
    lowest = "" if low in (0, 1) else f"{Figure('rating', low)} to "
    return f"{Figure(kind, value)} of {lowest}{Figure('rating', high)}"


def round_ratings(more: int, *, zeros: int = 1) -> int:
    """A number of ratings to come, as roughly as it is known: two digits, and in tens unless said, rounded up.

    Example:
        >>> round_ratings(43), round_ratings(43, zeros=0), round_ratings(1234), round_ratings(7, zeros=0)
        (50, 43, 1300, 7)
    """
    step = int(10 ** max(zeros, len(str(more)) - 2))
    return -(-more // step) * step
