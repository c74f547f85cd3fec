"""Evaluation sets from documents: sections, topics, folds, questions, filters, cross-evaluation, probes."""

from .section import Fold, Section, read_folds, read_sections, write_folds, write_sections

__all__ = ["Fold", "Section", "read_folds", "read_sections", "write_folds", "write_sections"]
