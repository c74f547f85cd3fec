"""Runs: planned, scored, stored, resumed and compared."""

from .evaluate import Results, aevaluate, evaluate
from .options import RunOptions
from .plan import Plan
from .run_writer import RunWriter
from .session import Outcome, Progress, StoredRun, run_plan, score_samples
from .store import Store

__all__ = [
    "Outcome",
    "Plan",
    "Progress",
    "Results",
    "RunOptions",
    "RunWriter",
    "Store",
    "StoredRun",
    "aevaluate",
    "evaluate",
    "run_plan",
    "score_samples",
]
