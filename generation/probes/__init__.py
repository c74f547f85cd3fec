"""Perturbed sets: answers changed in a way that a fair judge should not, or should, react to."""

from .perturbation import PROBES, perturb
from .probe_files import write_probes
from .rewording import REWORDED, RewordingResult, reword

EXPECTED = {probe.name: probe.expects for probe in PROBES.values()} | {REWORDED: "no change: only the words differ"}

__all__ = ["EXPECTED", "PROBES", "REWORDED", "RewordingResult", "perturb", "reword", "write_probes"]
