"""Our formulas beside Ragas's own functions, on the same verdicts: the same numbers, but where Ragas has 0/0."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from assay.metrics.context_precision import average_precision
from assay.metrics.fbeta import f_beta
from assay.metrics.noise_sensitivity import noise_share
from assay.metrics.topic_adherence import adherence

pytestmark = pytest.mark.extras("ragas")


def unmade(name: str, **fields: Any) -> Any:
    """A metric of Ragas without its model, for its formula alone."""
    from ragas.metrics import collections  # loads for seconds: not where the tests are only collected

    made = object.__new__(getattr(collections, name))
    made.__dict__.update(fields)
    return made


@pytest.mark.parametrize("verdicts", [each for n in (1, 2, 3, 4) for each in itertools.product((0, 1), repeat=n)])
def test_average_precision(verdicts):
    theirs = unmade("ContextPrecision")._calculate_average_precision(list(verdicts))
    assert average_precision(verdicts) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_f_beta(beta):
    from ragas.metrics.utils import fbeta_score

    metric = unmade("AnswerCorrectness", beta=beta)
    for tp, fp, fn in itertools.product(range(4), repeat=3):
        if not tp + fp + fn:
            continue  # nothing to compare: ours has no value, Ragas's is 1 or 0
        classification = type("Classification", (), {"TP": [0] * tp, "FP": [0] * fp, "FN": [0] * fn})
        assert f_beta(tp, fp, fn, beta) == pytest.approx(metric._compute_f1_score(classification), abs=1e-9)
        assert f_beta(tp, fp, fn, beta) == pytest.approx(fbeta_score(tp, fp, fn, beta), abs=1e-6)


@pytest.mark.parametrize("mode", ["relevant", "irrelevant"])
def test_noise_share(mode):
    metric = unmade("NoiseSensitivity", mode=mode)
    draw = random.Random(0)
    for _ in range(200):
        claims, passages = draw.randint(1, 4), draw.randint(1, 4)
        supported = [[draw.random() < 0.5 for _ in range(passages)] for _ in range(claims)]
        correct = [draw.random() < 0.5 for _ in range(claims)]
        of_reference = [[draw.random() < 0.3 for _ in range(passages)] for _ in range(2)]
        relevant = [any(column) for column in zip(*of_reference, strict=True)]
        theirs = metric._compute_score(
            {
                "retrieved2ground_truth": np.array(of_reference),
                "retrieved2answer": np.array(supported),
                "ground_truth2answer": np.array([correct]),
            }
        )
        ours = noise_share([not each for each in correct], supported, relevant, mode)
        assert ours == pytest.approx(theirs)


@pytest.mark.parametrize("mode", ["f1", "precision", "recall"])
def test_adherence(mode):
    metric = unmade("TopicAdherence", mode=mode)
    for topics in (1, 2, 3):
        for answered, within in itertools.product(itertools.product((False, True), repeat=topics), repeat=2):
            theirs = metric._compute_score(np.array(answered), np.array(within))
            ours = adherence(answered, within, mode)
            if ours is None or (mode == "f1" and answered == within == (False,) * topics):
                assert theirs == 0  # 0/0, which Ragas makes 0
            else:
                assert ours == pytest.approx(theirs, abs=1e-6)
