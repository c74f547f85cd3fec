"""Doing it: plan, execute, store, resume, summarise."""

from .evaluate import Results, aevaluate, evaluate
from .plan import Plan
from .session import Outcome, Progress, run_session
from .store import RunKeeper, Store

__all__ = ["Outcome", "Plan", "Progress", "Results", "RunKeeper", "Store", "aevaluate", "evaluate", "run_session"]
