from .page import render_judge_report as render_judge_report
from .page import write_judge_report as write_judge_report
