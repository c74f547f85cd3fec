"""A page that opens from disk and asks nothing of the network; only its own style and script may work in it."""

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...atomic_files import replace_file
from . import formatting


def render_page(package: str, template: str, view: Mapping[str, Any], *, style: str, script: str = "") -> str:
    """A template of a package's folder `templates` as HTML, with `style`, `script` and `policy` for it to place.

    Texts are escaped, and a script in one could not run: the policy allows only the page's own, by their hashes.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package, "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "correlation": formatting.format_correlation,
        "figure": formatting.format_number,
        "interval": formatting.format_interval,
        "named": formatting.format_name,
        "p_phrase": formatting.format_p_phrase,
        "p_value": formatting.format_p_value,
        "percent": formatting.format_percent,
        "readable": formatting.make_readable,
    }
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{_hash(style)}'"
    policy += f"; script-src '{_hash(script)}'" if script else ""
    return environment.get_template(template).render(view, style=style, script=script, policy=policy)


def write_page(path: Path, page: str) -> None:
    """Writes a page; it is whole or not there. Raises `InputError` when it cannot be written."""
    with replace_file(path) as file:
        file.write(page)


def read_asset(package: str, name: str) -> str:
    """A file of a package's folder `templates`."""
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")


def report_style() -> str:
    """The reports' style: Okabe and Ito's colours, for screens, phones and paper."""
    return read_asset(__package__, "style.css")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
