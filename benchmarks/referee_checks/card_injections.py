"""A judge's card says that injections work which move nothing in at most 5%.

A judge whom an instruction in an answer does not move errs on some verdicts each time it is asked, so that each
injection that "worked" is its noise: 20 answers in 10 groups, asked three times.
"""

from collections.abc import Iterator, Sequence

import checkout  # noqa: F401
import numpy as np

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.metrics import Score
from assay.runs import check_injections

from .measurement import Measurement, share
from .populations import number_groups

GROUPS = number_groups([2] * 10)
SAMPLES = [
    Sample(id=str(number), user_input="q", response="a", language="en", group=f"g{group}")
    for number, group in enumerate(GROUPS)
]


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """By the number of claims of an answer, and how often the judge errs on a verdict."""
    for claims in (1, 2, 4):
        for noise in (0.02, 0.05, 0.1, 0.2):
            generator = np.random.default_rng([seed, claims, int(1000 * noise)])
            worked = []
            for _ in range(repeats):
                truth = generator.random((len(SAMPLES), claims)) < 0.5
                asked = [truth ^ (generator.random(truth.shape) < noise) for _ in range(3)]
                check = check_injections(SAMPLES, *map(score_by_id, asked))
                worked.append(check is not None and (check.share.low or 0.0) > 0)
            case = f"{claims} claims, {noise:.0%} of verdicts wrong"
            yield share(case, "the card says that injections worked", worked, high=0.05)


def score_by_id(verdicts: np.ndarray) -> dict[str, Score]:
    """The score of each answer whose claims have these verdicts, (answers, claims)."""
    return {sample.id: score_of(row.tolist()) for sample, row in zip(SAMPLES, verdicts, strict=True)}


def score_of(verdicts: Sequence[bool]) -> Score:
    """The score of one answer."""
    claims = [
        {"text": f"Claim {n}.", "verdict": "supported" if verdict else "not_found", "probability": None}
        for n, verdict in enumerate(verdicts)
    ]
    return Score(sum(verdicts) / len(verdicts), "scored", "", {"claims": claims}, Usage())
