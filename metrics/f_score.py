"""Precision, recall and F: what was said of what should be, by counts."""

from typing import Literal

Mode = Literal["f1", "precision", "recall"]
"""Which of the three a metric's value is."""


def precision(true_positives: float, false_positives: float) -> float | None:
    """Computes TP / (TP + FP): the share of what was said that is right; None where nothing was said.

    Example:
        >>> precision(3, 1), precision(0, 0)
        (0.75, None)
    """
    positives = true_positives + false_positives
    return true_positives / positives if positives else None


def recall(true_positives: float, false_negatives: float) -> float | None:
    """Computes TP / (TP + FN): the share of what should be said that is said; None where nothing should be.

    Example:
        >>> recall(3, 3), recall(0, 0)
        (0.5, None)
    """
    return precision(true_positives, false_negatives)


def f_beta(true_positives: float, false_positives: float, false_negatives: float, beta: float = 1.0) -> float | None:
    """Computes the F-beta score, the weighted harmonic mean of precision and recall.

    Formula: (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP). Where precision or recall has no value but the other counts
    are not all 0, this is 0.

    Returns:
        A number in [0, 1]; None where all counts are 0.

    Example:
        >>> f_beta(2, 1, 1), f_beta(0, 0, 2), f_beta(0, 0, 0)
        (0.6666666666666666, 0.0, None)
    """
    squared = beta * beta
    total = (1 + squared) * true_positives + squared * false_negatives + false_positives
    return (1 + squared) * true_positives / total if total else None


def score_by_mode(
    mode: Mode, true_positives: float, false_positives: float, false_negatives: float, beta: float = 1.0
) -> float | None:
    """Computes precision, recall or F-beta; None where it has nothing to divide by."""
    if mode == "precision":
        return precision(true_positives, false_positives)
    if mode == "recall":
        return recall(true_positives, false_negatives)
    return f_beta(true_positives, false_positives, false_negatives, beta)
