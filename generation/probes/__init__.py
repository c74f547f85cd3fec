"""Perturbed sets: the same answers, changed in a way that a fair judge should see through, or should see."""

from .perturb import PROBES, perturb
from .phrases import LANGUAGES
from .write import write_probes

__all__ = ["LANGUAGES", "PROBES", "perturb", "write_probes"]
