"""The meta-evaluation: a table of scores and ratings in, everything that a report tells out."""

from importlib.metadata import version

from .agreement import metric_agreements
from .findings import Made, MetaEvaluation
from .table import ScoreTable

RESAMPLES = 2000
PERMUTATIONS = 2000


def evaluate_table(
    table: ScoreTable,
    *,
    seed: int = 0,
    bootstrap: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
    level: float = 0.95,
) -> MetaEvaluation:
    """Evaluates the metrics of a table against its ratings; all randomness comes from `seed`."""
    rated = table.rated()
    made = Made(
        len(table.items),
        len(rated.items),
        len(set(rated.groups)),
        table.rating_min,
        table.rating_max,
        seed,
        level,
        bootstrap,
        permutations,
        {package: version(package) for package in ("assay", "numpy", "scipy", "scikit-learn")},
    )
    metrics = metric_agreements(table, resamples=bootstrap, permutations=permutations, level=level, seed=seed)
    best = max(metrics, key=lambda metric: -2 if metric.baseline else metric.spearman.value or -2)
    return MetaEvaluation(
        recommendation=f"{best.name} alone agrees best: rho {best.spearman.value:.2f} in sample",
        metrics=metrics,
        raters=None,
        selection=None,
        paper_procedure=None,
        comparisons=(),
        paper_tables=None,
        policy=None,
        powered=None,
        parts=(),
        made=made,
    )
