"""`assay decide` names a false winner in at most 5%, however often one looks while ratings come in."""

from collections.abc import Iterator, Sequence

import checkout  # noqa: F401
import numpy as np

from assay.meta_eval import Look
from assay.meta_eval.decision import Decision, decide_versions

from .measurement import Measurement, share
from .populations import draw_versions, number_groups

_GAIN = 0.35  # of the latent quality: what all of 100 ratings show in some 8 of 10 cases
_LOOKS = {
    "1 look, all rated": (100,),
    "2 looks (30, 100)": (30, 100),
    "3 looks": (30, 60, 100),
    "10 looks": tuple(range(10, 101, 10)),
    "30 looks": tuple(range(13, 101, 3)),
}
_POPULATIONS = {
    "100 groups of 1": ([1] * 100, 2, 0.6),
    "100 groups of 1, no score": ([1] * 100, 2, 0.0),
    "three versions": ([1] * 100, 3, 0.6),
    "10 groups of 10": ([10] * 10, 2, 0.6),
}


def measure(repeats: int, seed: int) -> Iterator[Measurement]:
    """By how often one looks: false winners of equal versions, and how often the better one is named at any look."""
    for name, (sizes, versions, signal) in _POPULATIONS.items():
        for looks, counts in _LOOKS.items() if signal == 0 else list(_LOOKS.items())[1::3]:
            for gain in (0.0, _GAIN) if name == "100 groups of 1, no score" else (0.0,):
                means = [0.0] * (versions - 1) + [gain]
                named = [_look(sizes, means, signal, counts, [seed, repeat]) for repeat in range(repeats)]
                if gain:
                    yield share(
                        f"{name}, {looks}", "the better version is named (power)", ["B" in one for one in named]
                    )
                else:
                    yield share(f"{name}, {looks}", "a winner of equal versions", map(bool, named), high=0.05)


def _look(
    sizes: Sequence[int], means: list[float], signal: float, counts: Sequence[int], seed: Sequence[int]
) -> set[str]:
    """The versions that are named as winners at any look."""
    groups = number_groups(list(sizes))
    order = np.random.default_rng([*seed, 1]).permutation(len(groups))
    past: list[Look] = []
    named = set()
    for count in counts:
        rated = np.isin(np.arange(len(groups)), order[:count])
        table = draw_versions(np.random.default_rng(seed), groups, means, signal=signal, rated=rated)
        decision = decide_versions(table, looks=past)
        if decision.look is not None:
            past = [one for one in past if one.number < decision.look.number] + [decision.look]
        named |= winners(decision)
    return named


def winners(decision: Decision) -> set[str]:
    """The version that a decision says is better; none where it says of none."""
    return {decision.best} if decision.verdict in ("ship", "keep") else set()
