"""Answers as tables: with their scores and the ratings from all sources, paired between versions."""
