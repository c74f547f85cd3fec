"""Folds of whole groups: what is held out shares no source with what was chosen on."""

import numpy as np

from .arrays import Places


def grouped_folds(group_numbers: Places, folds: int, *, seed: int) -> list[Places]:
    """The places of each held-out part: whole groups, in random order, each to the smallest part so far.

    Fewer folds where there are fewer groups; none where there is only one.
    """
    names, group_of, sizes = np.unique(group_numbers, return_inverse=True, return_counts=True)
    folds = min(folds, len(names))
    if folds < 2:
        return []
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-sizes[order], kind="stable")]  # the big ones first, so that parts come out even
    part_of, filled = np.empty(len(names), dtype=np.intp), np.zeros(folds)
    for group in order:
        part = int(np.argmin(filled))
        part_of[group] = part
        filled[part] += sizes[group]
    return [np.flatnonzero(part_of[group_of] == part) for part in range(folds)]
