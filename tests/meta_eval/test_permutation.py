"""What chance alone would give: shuffled ratings that stay alike within groups, and signs that are flipped."""

import numpy as np
import pytest

from assay.meta_eval.arrays import Floats
from assay.meta_eval.permutation import shuffle_by_group, sign_flip_p_value

SIZES = [1, 2, 4, 8, 16, 32, 20, 12, 6, 3]
GROUPS = np.repeat(np.arange(len(SIZES)), SIZES)


def clustered(seed: int) -> Floats:
    """Values of which half of the variance is common to a group."""
    draw = np.random.default_rng(seed)
    values: Floats = draw.normal(size=len(SIZES))[GROUPS] + draw.normal(size=len(GROUPS))
    return values


def test_shuffling_unequal_groups_keeps_the_values_and_their_likeness():
    """Shuffled, the values are the same, as much alike within groups, and unrelated to what they were."""
    values = clustered(0)
    is_pair = GROUPS[1:] == GROUPS[:-1]

    def likeness(column: Floats) -> float:
        """The correlation of items of one group that follow each other."""
        return float(np.corrcoef(column[1:][is_pair], column[:-1][is_pair])[0, 1])

    block = np.concatenate(list(shuffle_by_group(values, GROUPS, permutations=300, seed=0)), axis=1)
    assert block.shape == (len(values), 300)
    assert all((np.sort(column) == np.sort(values)).all() for column in block.T)
    assert np.mean([likeness(column) for column in block.T]) == pytest.approx(likeness(values), abs=0.12)
    assert np.mean([np.corrcoef(column, values)[0, 1] for column in block.T]) == pytest.approx(0, abs=0.06)


def test_sign_flips_by_hand():
    """Of +-1 +-2 +-3 +-1 one total is 7 and two are 5, and as many are -7 and -5: 6 of 16 are as far as 5."""
    p = sign_flip_p_value(np.array([1.0, 2.0, 3.0, -1.0]), permutations=20_000)
    assert p == pytest.approx(6 / 16, abs=0.015)
    below = sign_flip_p_value(np.array([-1.0, -2.0, -3.0, 1.0]), side="below", permutations=20_000)
    assert below == pytest.approx(3 / 16, abs=0.015)


def test_studentised_sign_flips_by_hand():
    """Four groups of 1 with sums 1, 1, 1 and 3: only the two flips with all signs alike are as far as the sums.

    The squared deviations from a fourth of the total add up to 3 (of -.5, -.5, -.5, 1.5) for the total 6, and to 8 (of
    0, 0, -2, 2) for the total 4 where a 1 is flipped: 6 / sqrt 3 > 4 / sqrt 8.
    """
    p = sign_flip_p_value(np.array([1.0, 1.0, 1.0, 3.0]), sizes=np.ones(4), permutations=20_000)
    assert p == pytest.approx(2 / 16, abs=0.015)


def test_sums_of_nothing_are_no_evidence():
    assert sign_flip_p_value(np.zeros(6), permutations=99) == 1.0
    assert sign_flip_p_value(np.zeros(6), sizes=np.ones(6), permutations=99) == 1.0
