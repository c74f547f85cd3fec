"""Each measurement has a command and code that exist, and pages that quote it; the way of one claim is counted."""

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trip
from measurement import (
    MeasuredColumn,
    MeasuredFigure,
    Measurement,
    describe_age,
    find_changed_code,
    read_measurements,
    write_cell,
)

from assay.errors import InputError
from assay.eval_sets import load_set
from assay.metrics import NumericClaims

ROOT = Path(__file__).parent.parent.parent
MEASUREMENTS = {one.id: one for one in read_measurements()}
COLUMNS = [{"head": "metric"}, {"head": "rho", "kind": "coefficient"}]
ENTRY: dict[str, Any] = {
    "id": "speed",
    "title": "Speed",
    "topic": "speed",
    "command": "python benchmarks/a.py",
    "commit": "0123456",
    "date": "2026-01-01",
    "code": ["a.py"],
    "tables": [{"columns": COLUMNS, "rows": [["overlap", {"value": 0.5, "low": 0.4, "high": 0.6}]]}],
}


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_pages_quote_the_figure(name):
    for quote in MEASUREMENTS[name].quotes:
        page = (ROOT / quote.page).read_text(encoding="utf-8")
        assert " ".join(quote.text.split()) in " ".join(page.split())


@pytest.mark.parametrize("name", [name for name, one in MEASUREMENTS.items() if one.quotes and one.tables])
def test_a_page_that_quotes_a_table_has_all_its_intervals(name):
    """So that a page and the evidence cannot say different things; signs of positive figures aside."""
    measurement = MEASUREMENTS[name]
    texts = [(ROOT / quote.page).read_text(encoding="utf-8") for quote in measurement.quotes]
    pages = " ".join(" ".join(texts).replace("+", "").split())
    written = [
        str(write_cell(cell, column)).replace("+", "")
        for table in measurement.tables
        for row in table.rows
        for cell, column in zip(row, table.columns, strict=True)
        if isinstance(cell, MeasuredFigure) and cell.low is not None
    ]
    assert written
    assert [text for text in written if text not in pages] == []


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_command_and_code_exist(name):
    measurement = MEASUREMENTS[name]
    program, *words = measurement.command.split()
    if program == "python":
        assert (ROOT / words[0]).is_file()
        assert words[0].startswith("benchmarks/")
    else:
        assert program in {"assay", "pip"}
    gone = [path for path in measurement.code if not (ROOT / path).exists()]
    assert set(gone) <= set(find_changed_code(measurement)), "no file of that name was there when it was measured"


def test_commit_and_day_are_recorded_together():
    assert [name for name, one in MEASUREMENTS.items() if (one.commit is None) != (one.date is None)] == []


def git(folder, *words):
    """Runs git in a folder as a user of its own."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_figure_is_old_when_its_code_changed_since(tmp_path):
    """Two files, three commits: the figure measures `a`, which the second changes; the third changes `ab.py`."""
    git(tmp_path, "init", "-q")
    (tmp_path / "a").mkdir()
    commits = []
    for file, text in (("a/one.py", "1"), ("a/one.py", "2"), ("ab.py", "1")):
        (tmp_path / file).write_text(text)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", file)
        commits.append(git(tmp_path, "rev-parse", "--short", "HEAD"))
    first, second, third = (Measurement(**ENTRY | {"commit": commit, "code": ["a", "ab.py"]}) for commit in commits)
    assert find_changed_code(first, tmp_path) == ["a", "ab.py"]
    assert describe_age(first, tmp_path) == f"measured at `{commits[0]}`, before `a`, `ab.py` changed"
    assert describe_age(second, tmp_path) == f"measured at `{commits[1]}`, before `ab.py` changed"
    assert describe_age(third, tmp_path) == ""
    (tmp_path / "a" / "one.py").unlink()  # what is gone has changed too, before anybody commits it
    assert find_changed_code(
        Measurement(**ENTRY | {"commit": git(tmp_path, "rev-parse", "HEAD"), "code": ["a"]}), tmp_path
    )
    assert describe_age(Measurement(**ENTRY | {"commit": None}), tmp_path) == (
        "measured at a commit that was not recorded"
    )
    with pytest.raises(InputError, match="the history here lacks the commit 0123456"):
        describe_age(Measurement(**ENTRY), tmp_path)


def read_entry(folder, changes):
    """The measurements of a folder with one file, `speed.json`, in which some fields are others."""
    (folder / "speed.json").write_text(json.dumps(ENTRY | changes, indent=1), encoding="utf-8")
    return read_measurements(folder)


def test_a_measurement_is_read(tmp_path):
    (measurement,) = read_entry(tmp_path, {})
    assert measurement.tables[0].find("overlap", "rho")[0].high == 0.6


PLACE = {"row": "overlap", "column": "rho", "label": "rho"}
WORDS = {"subject": "overlap", "holds": "agrees", "fails": "disagrees", "question": "agrees"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": 3}, r"speed.json, line 3, title: "),
        ({"commit": "main"}, r"speed.json, line 6, commit: "),
        ({"speed": 3}, r"speed.json, line \d+, speed: "),
        ({"id": "fast"}, r"speed.json, id: 'fast' is not the file's name; rename one of the two"),
        ({"tables": []}, r"it has no figure: give tables, cards, or quotes"),
        ({"tables": [{"columns": COLUMNS, "rows": [["overlap"]]}]}, r"tables\.0.*has 1 cells, the table 2 columns"),
        ({"tables": [{"columns": COLUMNS, "rows": [[3, 0.5]]}]}, r"the column 'metric' is of texts; write 3 in quotes"),
        (
            {"tables": [{"columns": COLUMNS, "rows": [["overlap", {"value": 0.5, "low": 0.6, "high": 0.7}]]}]},
            r"the interval 0.6 to 0.7 does not hold 0.5; correct one",
        ),
        (
            {"tables": [{"columns": COLUMNS, "rows": [["overlap", {"value": 0.5, "low": 0.4}]]}]},
            r"an interval has both ends: give low and high, or neither",
        ),
        ({"findings": [WORDS]}, r"findings\.0.*a finding shows a figure: give estimate or beside"),
        ({"findings": [WORDS | {"estimate": PLACE | {"row": "length"}}]}, r"0 rows are named 'length'"),
        ({"findings": [WORDS | {"estimate": PLACE | {"column": "metric"}}]}, r"has no figure: 'overlap'"),
        (
            {"findings": [WORDS | {"estimate": PLACE | {"table": 1}}]},
            r"there is no table 1; the tables count from 0 to 0",
        ),
    ],
)
def test_a_mistake_names_file_field_and_cure(tmp_path, changes, message):
    with pytest.raises(InputError, match=message) as error:
        read_entry(tmp_path, changes)
    assert "speed.json" in str(error.value)


@pytest.mark.parametrize(
    ("figure", "kind", "text"),
    [
        ({"value": -0.05, "low": -0.21, "high": 0.1}, "coefficient", "-0.05 [-0.21, 0.10]"),
        ({"value": 0.157, "low": 0.135, "high": 0.181}, "rate", "15.7% [13.5%, 18.1%]"),
        ({"value": 0.984, "low": 0.977, "high": 0.989, "n": 1804}, "rate", "98.4% (97.7% to 98.9%) of 1,804"),
        ({"value": 0, "of": 1014, "low": 0.0, "high": 0.004}, "rate", "0 of 1,014 (0.0% to 0.4%)"),
        ({"value": 73, "note": "starved"}, "number", "73 (starved)"),
        ({"value": 4181, "low": 3984, "high": 4568}, "number", "4,181 (3,984 to 4,568)"),
        ({"value": 8, "of": 8}, "coefficient", "8 of 8"),
    ],
)
def test_a_figure_is_written(figure, kind, text):
    assert str(write_cell(MeasuredFigure(**figure), MeasuredColumn(head="x", kind=kind))) == text


MOST = {"faithfulness, in replay": (18, 58), "numeric_claims": (19, 129)}
"""Files and jumps. Fewer are welcome: write them here; more are a step back."""


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is loaded and compiled is loaded before a profile makes it slow."""
    asyncio.run(NumericClaims().assess(trip.samples_of("computed")[0]))
    return trip.count_trips(tmp_path_factory.mktemp("trip"))


@pytest.mark.parametrize("claim", MOST)
def test_a_claim_goes_through_few_files(claim: str, trips: dict[str, list[str]]) -> None:
    files = trips[claim]
    assert len({*files}) <= MOST[claim][0], sorted({*files})
    assert trip.count_jumps(files) <= MOST[claim][1]


def test_two_rows_of_csv_become_samples_in_ten_files_of_eval_sets(tmp_path: Path) -> None:
    """The text, its rows, the table of roles, which column is what, ratings, numbers, cells, and the samples."""
    path = tmp_path / "a.csv"
    path.write_text("question,answer,context,rating\nFree?,Yes.,It is free.,4\nWhen?,At 9.,It opens at 9.,2\n")
    files = trip.files_of_calls(lambda: load_set(path, notes=[]), before=lambda: load_set(path, notes=[]))
    assert len({file for file in files if file.startswith("eval_sets")}) <= 10, sorted({*files})
