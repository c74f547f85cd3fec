"""Figures, result tables and sections as values, rendered once each to the terminal, HTML, Markdown and JSON."""
