"""Runs: planned, scored, stored, resumed and compared."""

from .evaluate import aevaluate, evaluate
from .options import RunOptions
from .plan import Plan
from .results import Results
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
