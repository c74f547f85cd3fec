"""Simulated answers of a chatbot in production, for the tests of this folder."""

import numpy as np

from assay.meta_eval.monitoring import ProductionAnswers


def draw_answers(seed, *, days=40, a_day=60, judged=30, rated=10, fall=0.0, fall_days=(20, 10**6), session=2):
    """Returns (answers, the rating that raters would give to each).

    Sessions of `session` answers; the ratings fall by `fall` on the `fall_days` from the first to before the second.
    """
    generator = np.random.default_rng(seed)
    n = days * a_day
    day, group = np.repeat(np.arange(days), a_day), np.arange(n) // session
    quality = 0.5 * generator.normal(size=n)[group] + 0.85 * generator.normal(size=n)
    is_worse = (day >= fall_days[0]) & (day < fall_days[1])
    quality = quality - fall * is_worse
    ratings = np.clip(np.rint(3.8 + quality), 1, 5)
    judge = 0.5 + 0.12 * quality + 0.15 * generator.normal(size=n)
    is_judged = generator.random(n) < judged / a_day
    is_rated = is_judged & (generator.random(n) < rated / judged)
    answers = ProductionAnswers(
        day,
        group,
        quality + 2 * generator.normal(size=n),
        np.full(n, judged / a_day),
        np.where(is_judged, judge, np.nan),
        np.where(is_judged, rated / judged, np.nan),
        np.where(is_rated, ratings, np.nan),
        {"language": ["nl" if value else "en" for value in generator.random(n) < 0.3]},
    )
    return answers, ratings
