"""What a night leaves behind: the files and the site that its suite asks for, each whole or as it was."""

import json
from pathlib import Path

from ...errors import InputError
from ...eval_sets.writing import replaced
from ..store import Store
from .junit import junit_xml
from .ledger import Ledger
from .report import NightReport, as_json
from .site import write_site
from .suite import Suite, identity
from .summary import summary_markdown


def write_outputs(suite: Suite, report: NightReport) -> None:
    """Writes the JUnit, Markdown and JSON files. Raises `InputError` where one cannot be written."""
    for name, made in [
        (suite.outputs.junit, junit_xml),
        (suite.outputs.summary, summary_markdown),
        (suite.outputs.json_, json_text),
    ]:
        if name is not None:
            path = suite.path(name)
            _make_folder(path.parent)
            with replaced(path) as file:
                file.write(made(report))


def json_text(report: NightReport) -> str:
    """The report as the JSON file has it."""
    return json.dumps(as_json(report), ensure_ascii=False, indent=2) + "\n"


def write_history(suite: Suite, store: Store) -> None:
    """Writes the site, from all that the store has. Raises `InputError` where it cannot be written."""
    if suite.outputs.site is None:
        return
    ledger, folder = Ledger(store), suite.path(suite.outputs.site)
    judges = [identity(suite.settings(judge)) for judge in suite.judge_names]
    accepted = {run for judge in judges if (run := ledger.accepted(suite.name, judge))}
    _make_folder(folder)
    write_site(folder, suite.name, ledger.nights(suite.name), accepted)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror}); check `outputs:`") from None
