"""Metrics made of functions, in Python and in a file that the command line names."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from noted_sets import write_rows

from assay import Sample, metric, scored
from assay.cli import cli
from assay.errors import UsageError
from assay.metrics import Metric, higher_is_better, load_metric, needs_judge

MY_METRICS = '''
from assay import metric
from assay.metrics import ComputedMetric
from assay.metrics.score import scored

@metric(higher_is_better=False, range=(0, None))
def exclamations(sample):
    return sample.response.count("!")

@metric
def broken(sample):
    return 1 / 0

class Share(ComputedMetric):
    """The share of a letter in the answer."""

    name = "share"

    def __init__(self, letter: str = "e", upper: bool = False) -> None:
        self.letter = letter.upper() if upper else letter

    def compute(self, sample):
        return scored(sample.response.count(self.letter) / len(sample.response), "counted")

def helper(sample):
    return 1
'''


@pytest.mark.parametrize(
    "declared", [5, (1, 5, 9), (5, 1), (3, 3), (float("nan"), 1), ("1", "5"), "15", (True, 5), None]
)
def test_a_range_that_is_none_is_an_error_where_it_is_declared(declared):
    with pytest.raises(UsageError, match=r"^stars: range is .*(range=\(1, 5\)|write \(LOW, HIGH\))"):

        @metric(range=declared)
        def stars(_: Sample) -> float:
            return 3


@pytest.mark.parametrize("declared", [(1, 5), [0, None], (None, None), (-1.0, float("inf"))])
def test_a_range_has_two_bounds_or_none(declared):
    assert metric(range=declared)(lambda _: 3).range == tuple(declared)


def sample(response: str = "Yes, it is.", **fields: Any) -> Sample:
    return Sample.model_validate({"id": "s1", "user_input": "Is it?", "response": response} | fields)


@pytest.mark.parametrize(
    ("value", "expected"), [(True, 1.0), (False, 0.0), (0.25, 0.25), (1, 1.0), (scored(0.5, "half"), 0.5)]
)
def test_a_function_returns_a_bool_a_number_or_a_score(value, expected):
    @metric
    def returns_it(_: Sample) -> Any:
        return value

    @metric(name="awaited")
    async def returns_it_later(_: Sample) -> Any:
        return value

    for each in (returns_it, returns_it_later):
        assert asyncio.run(each.assess(sample())).value == expected
    assert (returns_it.name, returns_it_later.name) == ("returns_it", "awaited")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "returned None, which is no number; where there is no value, return skipped(reason) or failed(reason)"),
        (float("nan"), "returned nan, which is no number"),
        (1.5, "returned 1.5, outside its range 0 to 1"),
    ],
)
def test_what_is_no_value_of_the_metric_fails_with_its_reason(value, reason):
    score = asyncio.run(metric(lambda _: value).assess(sample()))
    assert (score.status, score.value) == ("failed", None)
    assert reason in score.reason


def test_what_it_needs_is_skipped_without_and_its_declaration_is_kept():
    @metric(needs=("reference",), range=(0.0, None), higher_is_better=False)
    def distance(sample: Sample) -> float:
        """How far the answer's length is from the reference's."""
        return abs(len(sample.response) - len(sample.reference or ""))

    assert isinstance(distance, Metric)
    assert (distance.range, distance.higher_is_better) == ((0.0, None), False)
    assert distance.__doc__ == "How far the answer's length is from the reference's."
    assert distance(sample(reference="abc")) == 8  # called, it is the function: 11 and 3 characters
    assert distance.score(response="four", reference="two").value == 1.0
    assert asyncio.run(distance.assess(sample())).reason == "the sample has no reference"
    with pytest.raises(UsageError, match="needs 'respnse', which is not a field of a sample"):
        metric(needs=("respnse",))(lambda sample: 1)


@pytest.mark.parametrize("function", [lambda: 1, lambda one, two: 1])
def test_a_function_of_other_arguments_is_refused(function):
    with pytest.raises(UsageError, match="takes one argument, the sample"):
        metric(function)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "my_metrics.py"
    path.write_text(MY_METRICS, encoding="utf-8")
    return path


def test_a_file_names_metrics_and_classes_with_options(file):
    exclamations = f"{file}:exclamations"
    assert load_metric(exclamations).score(response="Yes!!").value == 2.0
    assert load_metric(exclamations).name == exclamations
    assert not higher_is_better(exclamations) and not needs_judge(exclamations)
    assert load_metric(f"{file}:Share").score(response="e-").value == 0.5
    upper = load_metric(f"{file}:Share:letter=x:upper=true")
    assert (upper.score(response="Xx").value, upper.name) == (0.5, f"{file}:Share:letter=x:upper=true")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (":exclamation", "has no metric called 'exclamation'; did you mean exclamations?"),
        (":nothing_like_it", "has no metric called 'nothing_like_it'; it has exclamations, broken, Share$"),
        (":helper", "is a plain function; write @metric above it"),
        (":exclamations:n=1", "takes no options"),
        (":Share:upper=maybe", "the option upper takes true or false, not 'maybe'"),
        ("", "names a file; name the metric in it too: .*my_metrics.py:NAME"),
    ],
)
def test_a_name_that_is_no_metric_of_the_file_is_told(file, name, message):
    with pytest.raises(UsageError, match=message):
        load_metric(f"{file}{name}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\ny = 1 / 0\n", "my_metrics.py, line 2: ZeroDivisionError: division by zero"),
        ("x = (\n", "my_metrics.py, line 1: SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_run_is_told_with_its_line(tmp_path, text, message):
    path = tmp_path / "my_metrics.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_metric(f"{path}:anything")
    with pytest.raises(UsageError, match=r"there is no file .*none\.py"):
        load_metric(f"{tmp_path / 'none.py'}:anything")


def test_the_command_line_runs_it_and_says_why_one_broke(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    rows = [sample(id=name, response=text).model_dump(mode="json", exclude_defaults=True) for name, text in ANSWERS]
    write_rows(file.parent / "set.jsonl", rows)
    metrics = "my_metrics.py:exclamations,my_metrics.py:broken"
    tables = CliRunner().invoke(cli, ["run", "set.jsonl", "--metrics", metrics, "--max-failed", "2"]).output
    error = "my_metrics.py:broken broke: ZeroDivisionError: division by zero (my_metrics.py, line 12)"
    assert f"2 failed: {error}" in " ".join(tables.split())  # of both samples, under the table
    result = CliRunner().invoke(cli, ["run", "set.jsonl", "--metrics", metrics, "--max-failed", "2", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)["metrics"]
    assert (report["my_metrics.py:exclamations"]["mean"], report["my_metrics.py:exclamations"]["scored"]) == (1.5, 2)
    assert not report["my_metrics.py:exclamations"]["higher_is_better"]
    assert report["my_metrics.py:broken"]["failed"] == 2
    assert error in " ".join(CliRunner().invoke(cli, ["show", "last", "a"]).output.split())


ANSWERS = [("a", "Yes!"), ("b", "No!!")]
