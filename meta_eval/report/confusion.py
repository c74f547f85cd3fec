"""What a threshold does right and wrong, by message type or another attribute: the counts that the slider moves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..table import ScoreTable


@dataclass(frozen=True, slots=True)
class Confusion:
    """By label of an attribute: for each threshold bad sent, bad held, good sent, good held.

    `middling` counts the answers rated just at the middle, which are neither good nor bad.
    """

    attribute: str
    labels: tuple[str, ...]
    counts: tuple[tuple[tuple[int, int, int, int], ...], ...]
    middling: tuple[int, ...]


def confusions(table: "ScoreTable", predicted: dict[str, float], thresholds: Sequence[float]) -> tuple[Confusion, ...]:
    """Counts right and wrong decisions by label, for every attribute with at least two labels; message_type first."""
    import numpy as np

    attributes = sorted(table.attributes, key=lambda name: name != "message_type")
    rows = [row for row, item in enumerate(table.items) if item in predicted and not np.isnan(table.mean_rating[row])]
    confusions_by_attribute = []
    for attribute in attributes:
        column = table.attributes[attribute]
        labels = sorted({column[row] for row in rows}, key=lambda label: (label == "", label))
        if len(labels) < 2 and attribute != "message_type":
            continue
        counts, middling = [], []
        for label in labels:
            labelled = [row for row in rows if column[row] == label]
            bad = [predicted[table.items[row]] for row in labelled if table.mean_rating[row] < table.middle]
            good = [predicted[table.items[row]] for row in labelled if table.mean_rating[row] > table.middle]
            counts.append(tuple(_counts(bad, good, at) for at in thresholds))
            middling.append(len(labelled) - len(bad) - len(good))
        confusions_by_attribute.append(
            Confusion(attribute, tuple(label or "not said" for label in labels), tuple(counts), tuple(middling))
        )
    return tuple(confusions_by_attribute)


def _counts(bad: Sequence[float], good: Sequence[float], at: float) -> tuple[int, int, int, int]:
    bad_sent, good_sent = sum(value >= at for value in bad), sum(value >= at for value in good)
    return bad_sent, len(bad) - bad_sent, good_sent, len(good) - good_sent
