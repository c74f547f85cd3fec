"""What commands print and write is what it was: `python tests/golden/write.py` writes the golden outputs anew."""

import difflib
from collections.abc import Iterator
from pathlib import Path

import pytest
from golden.outcomes import SCENARIOS, Typist, golden_text


@pytest.fixture(scope="module")
def typist() -> Iterator[Typist]:
    typist = Typist()
    yield typist
    typist.stop()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_gives_its_golden_output(scenario: Path, typist: Typist) -> None:
    golden = scenario.with_suffix(".txt")
    expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
    given = golden_text(scenario, typist.play(scenario))
    if given != expected:
        lines = difflib.unified_diff(expected.splitlines(), given.splitlines(), golden.name, "now", lineterm="")
        lines = [*lines, f"If this is meant: python tests/golden/write.py {scenario.stem}"]
        pytest.fail("\n".join(lines), pytrace=False)
