"""How the report writes figures and foreign text."""

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from ..estimate import Estimate

if TYPE_CHECKING:
    from markupsafe import Markup

_VISIBLE_CONTROLS = {"\n", "\t"}


def format_number(value: float | None, digits: int = 2) -> str:
    """Writes `0.52`, or a dash.

    Examples:
        >>> format_number(0.519), format_number(None)
        ('0.52', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"


def format_correlation(value: float | None) -> str:
    """`+0.52`, with a real minus, or a dash."""
    return "–" if value is None else _signed(value, 2)


def format_percent(value: float | None, digits: int = 0) -> str:
    """`52%`, or a dash."""
    return "–" if value is None else f"{value:.{digits}%}"


def format_p_value(value: float | None) -> str:
    """`0.031`, `< 0.001`, or a dash."""
    return "–" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def format_p_phrase(value: float | None) -> str:
    """`p = 0.031`, `p < 0.001`, or that there is none."""
    return (
        "no p-value"
        if value is None
        else f"p {format_p_value(value)}"
        if value < 0.001
        else f"p = {format_p_value(value)}"
    )


def format_name(name: str) -> "Markup":
    """A metric's name, escaped; a narrow column may break it after a dot or an underscore."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([_./@])", r"\1<wbr>", str(escape(make_readable(name)))))


def format_interval(estimate: Estimate, digits: int = 2, *, signed: bool = False, share: bool = False) -> str:
    """Writes `0.52 [0.38, 0.63]`, the value alone where there is no interval, or why there is no value.

    Examples:
        >>> format_interval(Estimate(0.523, 0.381, 0.634))
        '0.52 [0.38, 0.63]'
    """
    if estimate.value is None:
        return estimate.problem or "–"

    def write(value: float) -> str:
        return f"{value:.{digits}%}" if share else _signed(value, digits) if signed else f"{value:.{digits}f}"

    if estimate.low is None or estimate.high is None:
        return write(estimate.value)
    return f"{write(estimate.value)} [{write(estimate.low)}, {write(estimate.high)}]"


def _signed(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")  # + 0.0: there is no -0.00


def make_readable(value: Any) -> str:
    """Foreign text or evidence as a page may show it: nothing that is unseen, or turns the direction of writing.

    A character that cannot be seen stands as the replacement character.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    unseen = {"Cc", "Cf", "Cs", "Co"}
    return "".join(
        "�" if unicodedata.category(each) in unseen and each not in _VISIBLE_CONTROLS else each for each in text
    )
