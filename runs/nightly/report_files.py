"""The files and the site that a suite asks for: each is replaced as a whole, or stays as it was."""

import json
from pathlib import Path

from ...atomic_files import replace_file
from ...errors import InputError
from ..store import Store
from .history_site import write_site
from .junit import junit_xml
from .ledger import Ledger
from .markdown_summary import summary_markdown
from .nightly_report import NightlyReport
from .suite import Suite


def write_report_files(suite: Suite, report: NightlyReport) -> None:
    """Writes the JUnit, Markdown and JSON files of the suite's `outputs`."""
    for name, text_of in [
        (suite.outputs.junit, junit_xml),
        (suite.outputs.summary, summary_markdown),
        (suite.outputs.json_, _json_text),
    ]:
        if name is not None:
            path = suite.path(name)
            _make_folder(path.parent)
            with replace_file(path) as file:
                file.write(text_of(report))


def write_history(suite: Suite, store: Store) -> None:
    """Writes the site of the suite's `outputs` from everything that the store has."""
    if suite.outputs.site is None:
        return
    ledger, folder = Ledger(store), suite.path(suite.outputs.site)
    _make_folder(folder)
    write_site(folder, suite.name, ledger.nightly_runs(suite.name), ledger.accepted_runs(suite.name))


def _json_text(report: NightlyReport) -> str:
    return json.dumps(report.as_json(), ensure_ascii=False, indent=2) + "\n"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror}); check `outputs:`") from None
