"""Perturbed sets: the same answers, changed in a way that a fair judge should see through, or should see."""

from .perturb import PROBES, perturb
from .phrases import LANGUAGES
from .reword import REWORDED, Reworded, reword
from .write import write_probes

EXPECTED = {probe.name: probe.expects for probe in PROBES.values()} | {REWORDED: "no change: only the words differ"}

__all__ = ["EXPECTED", "LANGUAGES", "PROBES", "REWORDED", "Reworded", "perturb", "reword", "write_probes"]
