"""What the grammar makes of every plain claim of the benchmarks and every claim of the bundled kpi sets.

`golden_verdicts.jsonl` has one line per sample: its id, and one text per check (verdict, statistic, series, window,
what is stated, what is computed). After a change of the grammar that is intended:

    python tests/metrics/numeric/test_golden_verdicts.py
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from assay import Sample, load_set
from assay.metrics import NumericClaims

GOLDEN = Path(__file__).with_name("golden_verdicts.jsonl")
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
EVERY = 25  # of which one is checked each time; all of them in the slow tests


def samples() -> list[Sample]:
    claims = map(json.loads, (BENCHMARKS / "plain_claims.jsonl").read_text(encoding="utf-8").splitlines())
    tables = json.loads((BENCHMARKS / "plain_tables.json").read_text(encoding="utf-8"))
    plain = [
        Sample(
            id=claim["id"],
            language=claim["language"],
            user_input=claim["question"],
            response=claim["claim"],
            tables=[tables[name] for name in claim["tables"]],
        )
        for claim in claims
    ]
    return [*plain, *load_set("kpi_en"), *load_set("kpi_nl")]


async def checks(some: list[Sample]) -> dict[str, list[str]]:
    metric = NumericClaims()
    scores = {sample.id: await metric.assess(sample) for sample in some}
    return {name: [as_text(claim) for claim in score.evidence["claims"]] for name, score in scores.items()}


def as_text(claim: dict[str, Any]) -> str:
    computed = claim["computed"]
    shown = f"{computed:.6g}" if isinstance(computed, float) else computed
    parts = (claim["verdict"], claim["statistic"], claim["series"], claim["window"], claim["stated"], shown)
    return " | ".join("-" if part is None else str(part) for part in parts)


def golden() -> dict[str, list[str]]:
    lines = map(json.loads, GOLDEN.read_text(encoding="utf-8").splitlines())
    return {line["id"]: line["checks"] for line in lines}


@pytest.mark.parametrize(
    "step", [EVERY, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])], ids=["some", "all"]
)
def test_no_verdict_changes(step):
    some = samples()[::step]
    expected = golden()
    assert asyncio.run(checks(some)) == {sample.id: expected[sample.id] for sample in some}


if __name__ == "__main__":
    written = [
        json.dumps({"id": name, "checks": texts}, ensure_ascii=False)
        for name, texts in asyncio.run(checks(samples())).items()
    ]
    GOLDEN.write_text("\n".join(written) + "\n", encoding="utf-8")
