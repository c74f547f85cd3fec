"""Nightly runs of a suite: its sets, metrics, judges and gates, its reports and its history."""

from .nightly_report import NightlyReport
from .suite import Suite
from .suite_file import load_suite
from .suite_run import SuiteOutcome, run_suite

__all__ = ["NightlyReport", "Suite", "SuiteOutcome", "load_suite", "run_suite"]
