"""Where nothing is shown yet, the verdict says what would have been seen, and how many more ratings would show 0.4.

Tables of 60 answers, 6 metrics, one of which truly follows the ratings. Once as many more answers are rated as the
verdict asks for, an agreement of 0.4 is shown in 80%; an agreement as high as the one that would have been seen is
shown in 80%.
"""

import re
from collections.abc import Iterator

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import MetaEvaluation, evaluate_table

from .measurement import Measurement, share
from .populations import build_table, clustered_normal, follow, latent_correlation, number_groups, rate

METRICS = 6
SHARED = 0.3
QUICK = {"permutations": 499, "repeats": 1, "by": ()}
SEEN = re.compile(r"only an agreement above ([\d.]+) of 1.* about ([\d,]+) more")


def evaluate(generator: np.random.Generator, sizes: list[int], latent: float) -> MetaEvaluation:
    """The evaluation of a table with one metric that follows the ratings so far, and five that do not."""
    groups = number_groups(sizes)
    quality, *noises = clustered_normal(generator, groups, METRICS + 1, SHARED).T
    scores = np.column_stack([follow(quality, noises[0], latent), *noises[1:]])
    return evaluate_table(build_table(scores, rate(quality), groups), **QUICK)  # type: ignore[arg-type]


def is_shown(evaluation: MetaEvaluation) -> bool:
    """Whether a measure is said to follow the team."""
    return evaluation.selection is not None and evaluation.selection.is_beyond_chance


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """Simulates what the verdict promises of ratings to come, and of agreements that were not seen."""
    generator = np.random.default_rng(seed)
    target = latent_correlation(0.4)
    for case, size in {"60 groups of 1": 1, "20 groups of 3": 3}.items():
        sizes = [size] * (60 // size)
        typical = [match for _ in range(9) if (match := SEEN.search(evaluate(generator, sizes, 0.0).recommendation))]
        seen, more = (float(np.median([float(one[place].replace(",", "")) for one in typical])) for place in (1, 2))
        enough = [size] * round((60 + more) / size)
        yield share(
            f"{case} and {more:.0f} more answers",
            "an agreement of 0.4 is shown",
            (is_shown(evaluate(generator, enough, target)) for _ in range(repeats // 2)),
            low=0.7,
            high=0.9,
        )
        as_seen = latent_correlation(seen)
        yield share(
            case,
            f"an agreement of {seen:.2f}, which would have been seen, is shown",
            (is_shown(evaluate(generator, sizes, as_seen)) for _ in range(repeats // 2)),
            low=0.7,
            high=0.9,
        )
