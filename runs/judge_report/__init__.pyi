from .page import render_judge_report as render_judge_report, write_judge_report as write_judge_report
