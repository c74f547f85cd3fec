"""How a page is made: templates, and files that open from disk and ask nothing of the network."""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..atomic_files import replace_file
from ..text.wording import (
    Phrase,
    count_of,
    in_language,
    in_language_or_marked,
    in_reader_language,
    phrase,
    quote_place,
    reader_language,
    with_number_marks,
)
from . import texts
from .figure import MISSING, Figure, format_cost, format_rating
from .rendered_markdown import render_markdown
from .result_table import ReportBlock, TableCell

if TYPE_CHECKING:
    from jinja2 import Environment

_DASH = "–"
_MINUS = re.compile(r"(?<!\w)-(?=[\d. ])")
PACKAGE = __package__
"""Its folder `static` has the style of all pages."""


@cache
def template_environment(*packages: str) -> "Environment":
    """The templates of some packages (their folders `templates`), and those that all pages share; texts are escaped."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, pass_context

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "templates") for package in (*packages, PACKAGE)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cell": lambda content: content if isinstance(content, TableCell) else TableCell(content),
        "cost": format_cost,
        "count_of": lambda *count: with_number_marks(count_of(*count)),
        "estimate": lambda estimate, kind, code="": typeset(Figure.from_estimate(kind, estimate), code),
        "figure": lambda value, kind, code="": typeset(Figure(kind, value), code),
        "in_language": in_language,
        "markdown": render_markdown,
        "named": texts.format_name,
        "quote_place": quote_place,
        "rating": lambda value, low, high, kind="rating": typeset(format_rating(value, low, high, kind)),
        "readable": texts.make_readable,
        "shortened": texts.shorten,
        "state_class": texts.state_class,
        "time": texts.format_time,
        # with the context, or Jinja would fold it into the template for whoever reads first
        "translated": pass_context(lambda _, text, code="": _translate(text, code)),
        "typeset": typeset,
        "verdict_sign": texts.verdict_sign,
        "worded": lambda name, language: phrase(name).write(language),
    }
    return environment


def render_page(
    package: str,
    template: str,
    view: Mapping[str, Any],
    *,
    style: str = "",
    script: str = "",
) -> str:
    """A template of a package as a page that opens from disk, with `style`, `script` and `policy` for it to place.

    Only the page's own style and script work in it: the policy allows them by their hashes.
    """
    whole_style = read_asset(PACKAGE, "report.css", "static") + style
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{_hash(whole_style)}'"
    policy += f"; script-src '{_hash(script)}'" if script else ""
    made = {"style": whole_style, "script": script, "policy": policy, "reader": reader_language()}
    return template_environment(package).get_template(template).render(view, **made)


def write_page(path: Path, page: str) -> None:
    """Writes a page; it is whole or not there. Raises `InputError` when it cannot be written."""
    with replace_file(path) as file:
        file.write(page)


def read_asset(package: str, name: str, folder: str = "templates") -> str:
    """A file of a package's folder."""
    return files(package).joinpath(folder, name).read_text(encoding="utf-8")


def typeset(figure: Figure | str, code: str = "") -> str:
    """A figure as a page shows it to who reads, or in a language: with a real minus, and a dash where there is none.

    Example:
        >>> typeset(Figure("change", -0.0521, -0.1, 0.02), "en"), typeset(Figure("share", None), "en")
        ('−0.052 [−0.100, +0.020]', '–')
        >>> typeset(Figure("change", -0.0521, -0.1, 0.02), "nl")
        '−0,052 [−0,100; +0,020]'
    """
    text = str(figure)
    return _DASH if text == MISSING else in_language_or_marked(_MINUS.sub("−", text), code)


def _translate(text: str, code: str) -> str:
    """A text in a language; what is escaped stays so."""
    plain = " ".join(str(text).split())
    shown = in_language(plain, code) if code else in_reader_language(plain)
    return type(text)(shown) if shown != plain else text


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a command tells: a terminal prints the blocks, a page has the rest too."""

    kind: str  # what the page is
    title: str  # its heading
    lead: str  # what a reader should know first
    about: Phrase  # of what it is, and its day
    blocks: tuple[ReportBlock, ...]

    def render(self) -> str:
        """The report as HTML: no script, no network; names and reasons are escaped."""
        return render_page(PACKAGE, "report.html", {"report": self}, style="section p { overflow-wrap: anywhere; }")

    def write(self, path: Path) -> None:
        """Writes the report as an HTML file. Raises `InputError` when it cannot be written."""
        write_page(path, self.render())
