from .blocks import report_blocks as report_blocks
from .page import render_report as render_report, write_report as write_report
from .tables import pass_fail_table as pass_fail_table
