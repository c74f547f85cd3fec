from .nightly_report import NightlyReport as NightlyReport
from .nightly_run import SuiteOutcome as SuiteOutcome, run_suite as run_suite
from .suite_file import Suite as Suite, load_suite as load_suite
