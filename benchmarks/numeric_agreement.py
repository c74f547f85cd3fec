"""Measures the coverage and accuracy of numerical claims.

    python benchmarks/numeric_agreement.py --data ../shared/data/rated
    python benchmarks/numeric_agreement.py --data ../shared/data/rated --held-out --blind

plain_claims.jsonl (beside this file) has sentences as a support bot writes them, about the tables of
plain_tables.json: for the part `development` words were added to the grammar, for the part `held_out` none. All were
written by language models that had not seen the grammar, and labelled by computation. trade_claims.jsonl has 420 more,
German too, in the same two parts, longer and about other trades; blind_claims.jsonl has 500 on which nothing is tuned
(`--blind`), labelled alike. The bundled kpi sets have one gold label per claim, and a part
(`metadata.split` held_out) that no pattern was written from; tabfact_numeric, tatqa_numeric and scitab (other
people's, not part of this repository) have one label per answer. Each of those is split in two by the table of the
claim (seed 0): the grammar was tuned on one half, and the other half is reported too. An answer is contradicted if one
of its claims is, supported if all are, else unchecked. Accuracy is the share of the checked claims that agree with the
label, coverage the share of the checkable claims that are checked; intervals are Wilson's at 95%. `left alone`: the
share of claims with the gold label unverifiable that are unchecked. Needs the extra `numeric`.
"""

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import estimate_proportion, print_machine, print_table
from numeric_sets import BLIND, DEVELOPMENT, LabelledSet, labelled_sets

from assay.metrics import NumericClaims
from assay.presentation import Figure

Row = list[object]


async def row(labelled: LabelledSet, metric: NumericClaims) -> Row:
    """One line of the table: the verdicts on the claims of a set beside their labels."""
    begin = time.perf_counter()
    scores = [await metric.assess(sample) for sample, _ in labelled.answers]
    seconds = time.perf_counter() - begin
    pairs = [
        (label.verdict, label.given(score.evidence.get("claims", [])))
        for score, (_, labels) in zip(scores, labelled.answers, strict=True)
        for label in labels
    ]
    return [f"{labelled.title}, {labelled.part}", *shares(pairs), len(pairs) / seconds if seconds else None]


def shares(pairs: Sequence[tuple[str, str]]) -> list[object]:
    """Coverage, accuracy and what is left alone, from (label, verdict) pairs.

    The label `unverifiable` counts in neither share but in the last.
    """
    checkable = [(gold, verdict) for gold, verdict in pairs if gold != "unverifiable"]
    checked = [(gold, verdict) for gold, verdict in checkable if verdict != "unverifiable"]
    right = sum(gold == verdict for gold, verdict in checked)
    left_alone = [verdict == "unverifiable" for gold, verdict in pairs if gold == "unverifiable"]
    rest = f"{sum(left_alone)} of {len(left_alone)}" if left_alone else None
    return [len(checkable), share(len(checked), len(checkable)), share(right, len(checked)), rest]


def share(part: int, of: int) -> str:
    """A share with its Wilson interval."""
    return str(Figure.from_estimate("rho", estimate_proportion(part, of)))


async def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="Folder of the rated sets; without it only the bundled sets.")
    parser.add_argument("--n", type=int, help="At most so many claims, and answers, of each set and part.")
    parser.add_argument("--held-out", action="store_true", help="Only the parts that nothing was tuned on.")
    parser.add_argument("--blind", action="store_true", help="The blind claims too: nothing may be tuned on them.")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    left_out = {DEVELOPMENT} if options.held_out else set()
    left_out |= set() if options.blind else {BLIND}
    print_machine()
    sets = [one for one in labelled_sets(options.data, options.seed) if one.part not in left_out]
    metric = NumericClaims()
    rows = [await row(one.drawn(options.n, options.seed), metric) for one in sets]
    header = ["set", "checkable", "coverage", "accuracy", "left alone", "a second"]
    print_table("numerical claims", header, rows)


if __name__ == "__main__":
    asyncio.run(main())
