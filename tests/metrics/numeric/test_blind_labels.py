"""The labels of the blind claims are the computed ones."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "label_blind_claims.py"


def test_every_label_of_the_blind_claims_is_the_computed_one() -> None:
    ended = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    counts = dict(line.split(maxsplit=1) for line in ended.stdout.splitlines() if line[:2] in {"en", "nl", "de"})
    assert {language: sum(map(int, numbers.split())) for language, numbers in counts.items()} == {
        "en": 266,
        "nl": 244,
        "de": 121,
    }
