"""Specifications computed on tables, and the verdicts on what they claim."""
