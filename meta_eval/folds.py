"""Folds of whole groups: what is held out shares no source with what was chosen on."""

import numpy as np

from .arrays import Places


def grouped_folds(group_numbers: Places, folds: int, *, seed: int) -> list[Places]:
    """Deals whole groups into folds of about equal size.

    Groups go in random order, large ones first, each to the fold that is smallest so far. `sklearn.GroupKFold` deals
    alike but breaks ties by an unstable sort, so that equal seeds could give other folds on another processor. Returns
    the places of the items of each fold; empty where there is only one group.

    Examples:
        Groups of 2, 1 and 1 items in two folds: the large group is alone.

        >>> [fold.tolist() for fold in grouped_folds(np.array([0, 0, 1, 2]), 2, seed=0)]
        [[0, 1], [2, 3]]
        >>> grouped_folds(np.array([0, 0, 0]), 2, seed=0)
        []
    """
    groups, group_of, sizes = np.unique(group_numbers, return_inverse=True, return_counts=True)
    folds = min(folds, len(groups))
    if folds < 2:
        return []
    order = np.random.default_rng(seed).permutation(len(groups))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold_of, fold_sizes = np.empty(len(groups), dtype=np.intp), np.zeros(folds)
    for group in order:
        smallest = int(np.argmin(fold_sizes))
        fold_of[group] = smallest
        fold_sizes[smallest] += sizes[group]
    return [np.flatnonzero(fold_of[group_of] == fold) for fold in range(folds)]
