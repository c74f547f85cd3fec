"""Baselines for answers that another tool scored: a metric should beat them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..eval_sets import Sample
from ..metrics.catalogue import load_metric
from ..metrics.metric import run_to_end
from ..metrics.specification import BASELINES

if TYPE_CHECKING:
    from ..meta_eval.score_files import JoinedScores


def add_baselines(joined: "JoinedScores") -> "JoinedScores":
    """Adds the baselines that a table of scores lacks, where the texts of the answers were read."""
    import numpy as np

    table = joined.table
    missing = [name for name in BASELINES if name not in table.metrics]
    answers = [joined.answers[item] for item in table.items]
    if not missing or not any(answer.response for answer in answers):
        return joined
    samples = [
        Sample(id=item, user_input=answer.user_input, response=answer.response, retrieved_contexts=answer.contexts)
        for item, answer in zip(table.items, answers, strict=True)
    ]
    scores = run_to_end(_scores(samples, missing))
    values = np.array([[np.nan if score is None else score for score in row] for row in scores], dtype=float)
    columns = {name: column for name, column in zip(missing, values.T, strict=True) if not np.isnan(column).all()}
    return replace(
        joined,
        table=replace(
            table,
            metrics=(*table.metrics, *columns),
            scores=np.column_stack([table.scores, *columns.values()]),
            directions={**table.directions, **{name: load_metric(name).higher_is_better for name in columns}},
        ),
    )


async def _scores(samples: list[Sample], names: list[str]) -> list[list[float | None]]:
    metrics = [load_metric(name) for name in names]
    return [[(await metric.assess(sample)).value for metric in metrics] for sample in samples]
