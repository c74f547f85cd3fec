"""The charts of a decision: the means of the versions, and their differences, with their intervals."""

from ...meta_eval.decision import Decision
from ...presentation.charts import Forest, draw_forest
from ...presentation.figure import Figure
from .tables import IN_USE, better_version, pair_name


def version_chart(decision: Decision) -> Forest:
    """Draws the mean of each version; the version that is better stands out, if one is."""
    winner = better_version(decision)
    rows = [
        (
            version.name,
            "chosen" if version.name == winner else "metric",
            Figure("mean", version.mean, version.low, version.high),
            "" if place else IN_USE,
        )
        for place, version in enumerate(decision.versions)
    ]
    return draw_forest(rows, within=decision.scale, has_zero=False)


def difference_chart(decision: Decision) -> Forest:
    """Draws the difference of each pair, with the interval that holds at every look and that for a single look."""
    rows = []
    for one in decision.differences:
        name = pair_name(one)
        rows.append((name, "metric", Figure("change", one.difference, one.low, one.high), "at every look"))
        if one.fixed_low is not None:
            single = Figure("change", one.difference, one.fixed_low, one.fixed_high)
            rows.append(("", "baseline", single, "for a single look"))
    return draw_forest(rows, margin=decision.margin or None)
