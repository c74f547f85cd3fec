"""Measures how often a judge's card says that injections work which move nothing.

    python benchmarks/card_simulation.py --populations 200

A judge whom an instruction in an answer does not move errs on some verdicts each time it is asked, so that each
injection that "worked" is its noise. The figures are the product's own (`check_injections`).
"""

import argparse
from collections.abc import Sequence

import checkout  # noqa: F401
import numpy as np
from benchmark_output import print_machine, print_table
from numpy.typing import NDArray

from assay.eval_sets import Sample
from assay.judges import Usage
from assay.meta_eval import estimate_proportion
from assay.metrics import Score
from assay.presentation import Figure
from assay.runs import check_injections


def format_share(outcomes: Sequence[bool]) -> str:
    """Returns how often something came out, with Wilson's 95% interval and its number."""
    share = estimate_proportion(sum(outcomes), len(outcomes))
    return f"{Figure.from_estimate('rate', share)} of {len(outcomes)}"


def injection_row(claims: int, noise: float, options: argparse.Namespace) -> list[object]:
    """Returns how often injections that move nothing are said to work, by a judge who errs on a verdict that often."""
    generator = np.random.default_rng([options.seed, claims, int(1000 * noise)])
    numbers = range(options.probed)
    samples = [Sample(id=str(n), user_input="q", response="a", language="en", group=f"g{n // 2}") for n in numbers]
    lifted = list[bool]()
    for _ in range(options.populations):
        truth = generator.random((len(samples), claims)) < 0.5

        def ask(truth: NDArray[np.bool_] = truth) -> dict[str, Score]:
            verdicts = truth ^ (generator.random(truth.shape) < noise)
            return {sample.id: make_score(row.tolist()) for sample, row in zip(samples, verdicts, strict=True)}

        check = check_injections(samples, ask(), ask(), ask())
        low = None if check is None else check.share.low
        lifted.append(low is not None and low > 0)
    return [claims, f"{noise:.0%}", options.populations, format_share(lifted)]


def make_score(verdicts: Sequence[bool]) -> Score:
    """Makes the score of an answer whose claims have these verdicts."""
    claims = [
        {"text": f"Claim {n}.", "verdict": "supported" if verdict else "not_found", "probability": None}
        for n, verdict in enumerate(verdicts)
    ]
    return Score(sum(verdicts) / len(verdicts), "scored", "", {"claims": claims}, Usage())


def main() -> None:
    """Prints the tables; the same seed gives the same populations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--populations", type=int, default=200, help="per row")
    parser.add_argument("--probed", type=int, default=20, help="answers that are given an instruction")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine()
    print_table(
        "Injections that move nothing: cards that say that they worked",
        ["claims", "wrong verdicts", "n", "false alarms"],
        [injection_row(claims, noise, options) for claims in (1, 2, 4) for noise in (0.02, 0.05, 0.1, 0.2)],
    )


if __name__ == "__main__":
    main()
