"""How pages write figures and foreign text."""

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from markupsafe import Markup

LONGEST_TEXT = 100_000  # characters of one text on a page
_VISIBLE_CONTROLS = {"\n", "\t"}
_UNSEEN = {"Cc", "Cf", "Cs", "Co"}
_SIGNS = {"supported": "✓", "contradicted": "✗", "not_found": "?", "unverifiable": "~"}


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
        """Why there is no estimate; else empty."""


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


def format_interval(estimate: Interval, digits: int = 2, *, signed: bool = False, share: bool = False) -> str:
    """Writes `0.52 [0.38, 0.63]`, the value alone where there is no interval, or why there is no value."""
    if estimate.value is None:
        return estimate.problem or "–"

    def write(value: float) -> str:
        return f"{value:.{digits}%}" if share else _signed(value, digits) if signed else f"{value:.{digits}f}"

    if estimate.low is None or estimate.high is None:
        return write(estimate.value)
    return f"{write(estimate.value)} [{write(estimate.low)}, {write(estimate.high)}]"


def format_signed(value: float | None, digits: int = 3) -> str:
    """`+0.052`, with a real minus, or a dash."""
    return "–" if value is None else _signed(value, digits)


def _signed(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")  # + 0.0: there is no -0.00


def make_readable(value: Any) -> str:
    """Foreign text or evidence as a page may show it: nothing that is unseen, or turns the direction of writing.

    A character that cannot be seen stands as the replacement character, so that places in the text stay what they are.
    A text of more than 100,000 characters is cut, and says so.

    Examples:
        >>> make_readable("pay\\u202e me"), make_readable("a\\r\\nb"), make_readable(["a", 1])
        ('pay� me', 'a \\nb', '["a", 1]')
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    left = len(text) - LONGEST_TEXT
    shown = text[:LONGEST_TEXT].replace("\r\n", " \n").replace("\r", "\n")
    if not (shown.isascii() and shown.isprintable()):
        unseen = {
            each for each in set(shown) if unicodedata.category(each) in _UNSEEN and each not in _VISIBLE_CONTROLS
        }
        shown = shown.translate(dict.fromkeys(map(ord, unseen), "�"))
    return shown if left <= 0 else f"{shown}\n… ({left:,} more characters)"


def shorten(text: str, length: int = 400) -> str:
    """Readable text, with an ellipsis where it is longer than `length`."""
    readable = make_readable(text[: length + 1])
    return readable if len(readable) <= length else readable[: length - 1] + "…"


def render_markdown(text: str, length: int = 400) -> "Markup":
    """Returns an answer as the HTML of its Markdown, shortened. Nothing in it links, loads or runs anything.

    Example:
        >>> str(render_markdown("**Bold** <b>"))
        '<p><strong>Bold</strong> &lt;b&gt;</p>\\n'
    """
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    renderer = MarkdownIt("commonmark", {"html": False, "breaks": True})
    renderer.disable(["link", "image", "autolink", "reference"])
    return Markup(renderer.render(shorten(text, length)))


def state_class(state: str) -> str:
    """Returns the style of a gate's state or a verdict of a nightly run: `passed`, `failed` or `other`.

    Example:
        >>> state_class("gate failed"), state_class("undecided")
        ('failed', 'other')
    """
    return {"passed": "passed", "failed": "failed", "gate failed": "failed", "error": "failed"}.get(state, "other")


def verdict_sign(verdict: str) -> str:
    """The sign of a claim's verdict, which says the same as its colour.

    Example:
        >>> verdict_sign("supported"), verdict_sign("of another version")
        ('✓', '•')
    """
    return _SIGNS.get(verdict, "•")


def format_time(moment: str) -> str:
    """A moment in ISO 8601 as a page writes it.

    Example:
        >>> format_time("2026-11-22T05:08:37+00:00")
        '2026-11-22 05:08'
    """
    return moment[:16].replace("T", " ")


def format_usd(usd: float | None) -> str:
    """A cost, or that it is unknown.

    Example:
        >>> format_usd(0.01234), format_usd(None)
        ('0.0123', 'unknown')
    """
    return "unknown" if usd is None else f"{usd:.4f}"
