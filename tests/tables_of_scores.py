"""Made-up scores for the tests of the meta-evaluator: some follow the ratings, the others are noise; and a scorer."""

import numpy as np

from assay.meta_eval import AgreementRecord, Scorer, ScorerPart, ScoreTable


def table_of(scores, ratings, **fields):
    """Scores by metric, and ratings (items,) or (items, raters); unless said, raters are called a, b, ..."""
    ratings = np.asarray(ratings, float).reshape(len(ratings), -1)
    columns = np.column_stack([*scores.values(), np.empty((len(ratings), 0))])
    fields = {"raters": tuple("abcdefgh"[: ratings.shape[1]])} | fields
    return ScoreTable(tuple(f"i{number}" for number in range(len(ratings))), tuple(scores), columns, ratings, **fields)


def score_table(
    items, metrics, *, signal, useful=1, of_a_group=1, raters=1, unrated=0,
    constant="", half_missing="", baseline="", seed=0,
):  # fmt: skip
    """The first `useful` metrics m0, m1, ... are signal * rating + standard normal noise, the others noise."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, 6, items).astype(float)
    scores = generator.normal(size=(items, metrics))
    scores[:, :useful] += signal * truth[:, None]
    names = tuple(f"m{number}" for number in range(metrics))
    if constant:
        scores[:, names.index(constant)] = 0.5
    if half_missing:
        scores[: round(0.6 * items), names.index(half_missing)] = np.nan
    noise = generator.integers(-1, 2, (items, raters)) if raters > 1 else np.zeros((items, 1))
    ratings = np.clip(truth[:, None] + noise, 1, 5)
    ratings[items - unrated :] = np.nan
    return ScoreTable(
        items=tuple(f"i{number}" for number in range(items)),
        metrics=names,
        scores=scores,
        ratings=ratings,
        raters=tuple(f"r{number}" for number in range(raters)),
        groups=tuple(f"g{number // of_a_group}" for number in range(items)),
        attributes={"language": tuple(generator.choice(["nl", "en"], items).tolist())},
        baselines=frozenset({baseline}),
    )


def made_scorer(metric="token_overlap", **changes):
    """A scorer of one metric: its 0 is a rating of 1, its 1 one of 5, within half a level; fields by keyword."""
    fields = {
        **{"assay": "0.1.0", "kind": "subset", "rating_min": 1, "rating_max": 5, "ratings": ((-0.5, 1.0), (0.5, 5.0))},
        **{"level": 0.9, "by_rating": ((1, 0.5),), "by_prediction": ((1, 0.5),), "send_at": 4.5},
        "parts": (ScorerPart(metric=metric, weight=1.0, percentiles=((0, 0), (1, 1))),),
        "agreement": AgreementRecord(items=60, groups=15, spearman=0.5, ratings="0" * 12),
    }
    return Scorer.model_validate(fields | changes)
