"""The verdicts in all golden outputs: short, in plain words, with one figure for one thing."""

import re
from pathlib import Path

import pytest

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))

FIRST = re.compile(r"(Your chatbot|Decision|Suite|Judge)  ")
METHODS = re.compile(
    r"(?i)spearman|ridge|regression|bootstrap|permut|p-value|interval|confidence|fold|kappa|alpha|rank"
)


def verdicts() -> list[tuple[str, list[str]]]:
    """The lines of each verdict that a scenario prints, with the scenario's name."""
    found = []
    for path in SCENARIOS:
        lines = path.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
        for place, line in enumerate(lines):
            if FIRST.match(line):
                end = next(
                    after for after in range(place, len(lines)) if not re.match(r"\S[\w ]{0,16} {2,}\S", lines[after])
                )
                found.append((path.stem, lines[place:end]))
    return found


VERDICTS = verdicts()


def test_each_command_that_has_one_is_among_them():
    assert len(VERDICTS) > 40
    scenarios = {scenario for scenario, _ in VERDICTS}
    assert scenarios >= {"demo", "meta_files", "decide_runs", "suite_gates", "suite_judge", "judges_card", "watch_once"}


@pytest.mark.parametrize(("scenario", "lines"), VERDICTS)
def test_a_verdict_is_short_and_plain(scenario, lines):
    says = [line[18:] for line in lines]
    assert 2 <= len(lines) <= 4
    assert max(map(len, says)) <= 90
    assert not [line for line in says if METHODS.search(line)]
    numbers = [number for line in says for number in re.findall(r"\d+\.\d+ of 1\b", line)]
    assert len(numbers) == len(set(numbers)) <= 1, "one figure for how far a metric follows"
