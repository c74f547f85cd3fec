"""The scores of several variants of one metric, by judges or prompts, beside the ratings of the same answers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...eval_sets import Sample
from ...metrics import Score

if TYPE_CHECKING:
    from ...meta_eval.table import ScoreTable


def build_variant_table(
    samples: Sequence[Sample], variants: Mapping[str, Mapping[str, Score]], *, higher_is_better: bool = True
) -> "ScoreTable":
    """Builds the table of what several variants of a metric scored.

    Returns:
        One row per sample and one column per variant; ratings are shares of the way from the worst to the best.
    """
    import numpy as np

    from ...meta_eval.table import ScoreTable

    def value(score: Score | None) -> float:
        return np.nan if score is None or score.value is None else score.value

    shares = [np.nan if sample.rating_share is None else sample.rating_share for sample in samples]
    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=tuple(variants),
        scores=np.array([[value(scores.get(sample.id)) for scores in variants.values()] for sample in samples]),
        ratings=np.array(shares)[:, None],
        directions=dict.fromkeys(variants, higher_is_better),
        rating_min=0.0,
        rating_max=1.0,
        groups=tuple(sample.source for sample in samples),
    )
