"""The meta-evaluation as one HTML file that opens from disk: no network, no script but its own."""

from .page import render_report, write_report

__all__ = ["render_report", "write_report"]
