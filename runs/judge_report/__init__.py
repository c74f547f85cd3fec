"""Judges compared, as one HTML file that opens from disk: no script, no network."""

from .page import render_judge_report, write_judge_report

__all__ = ["render_judge_report", "write_judge_report"]
