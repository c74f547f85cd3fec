"""Foreign text as a terminal and a page may show it, and the few words and signs that all pages share."""

import json
import math
import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..text.wording import count_of
from ..untrusted import UNSEEN

if TYPE_CHECKING:
    from markupsafe import Markup

LONGEST_TEXT = 100_000  # characters of one text on a page
_VISIBLE_CONTROLS = {"\n", "\t"}
_INVISIBLE = {"Cc", "Cf", "Cs", "Co"}
_UNSAFE = re.compile(f"[{UNSEEN}\r\u061c\u2028\u2029]")
_SIGNS = {"supported": "✓", "contradicted": "✗", "not_found": "?", "unverifiable": "~"}


def terminal_text(text: str) -> str:
    """The text without what a terminal would obey: control characters but tab and line end, and bidirectional marks.

    Example:
        >>> terminal_text("a\\x1b[31mb\\rc\\u202ed")
        'a[31mbcd'
    """
    return _UNSAFE.sub("", text)


def escape_unsafe(text: str) -> str:
    """The JSON text with escapes for what a terminal would obey, so that nothing is lost."""
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def json_text(value: Any) -> str:
    """A value as one line of JSON. What a terminal would obey is escaped, so that nothing is lost.

    A number that is not finite becomes null: JSON has no word for it.

    Example:
        >>> json_text({"mean": float("nan"), "metric": "a\\x1bb"})
        '{"mean": null, "metric": "a\\\\u001bb"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False)
    return escape_unsafe(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_line(text: str, length: int | None = None) -> str:
    """Foreign text for the middle of a sentence or a table: one line, without what a terminal would obey.

    Example:
        >>> one_line("two\\nlines", 5)
        'two …'
    """
    line = " ".join(terminal_text(text.replace("\r", " ").replace("\u2028", " ").replace("\u2029", " ")).split())
    return line if length is None or len(line) <= length else line[: length - 1] + "…"


def shorten_names(names: Sequence[str], length: int) -> list[str]:
    """Names as `one_line` gives them; those that would look alike are shown from shortly before where they differ.

    Example:
        >>> shorten_names(["gpt-4o/prompt-of-2026-11-01", "gpt-4o/prompt-of-2026-11-02"], 16)
        ['…-2026-11-01', '…-2026-11-02']
    """
    short = [one_line(name, length) for name in names]
    if len(set(short)) == len(set(names)):
        return short
    same = next((place for place, signs in enumerate(zip(*names, strict=False)) if len(set(signs)) > 1), 0)
    return [one_line("…" + name[max(same - length // 2 - 2, 0) :], length) for name in names]


def format_name(name: str) -> "Markup":
    """A metric's name, escaped; a narrow column may break it after a dot or an underscore."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([_./@])", r"\1<wbr>", str(escape(make_readable(name)))))


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
        invisible = {
            character
            for character in set(shown)
            if unicodedata.category(character) in _INVISIBLE and character not in _VISIBLE_CONTROLS
        }
        shown = shown.translate(dict.fromkeys(map(ord, invisible), "�"))
    return shown if left <= 0 else f"{shown}\n… ({count_of(left, 'more character')})"


def shorten(text: str, length: int = 400) -> str:
    """Readable text, with an ellipsis where it is longer than `length`."""
    readable = make_readable(text[: length + 1])
    return readable if len(readable) <= length else readable[: length - 1] + "…"


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
