from .page import render_report as render_report, write_report as write_report
