"""The labels of the blind and of the trade claims are the computed ones."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "label_claims.py"


def test_every_label_is_the_computed_one():
    ended = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    lines = [line.split() for line in ended.stdout.splitlines() if line.startswith(("blind", "trade"))]
    assert {(name, language): sum(map(int, numbers)) for name, language, *numbers in lines} == {
        ("blind", "en"): 266,
        ("blind", "nl"): 244,
        ("blind", "de"): 121,
        ("trade", "en"): 214,
        ("trade", "nl"): 225,
        ("trade", "de"): 171,
    }
