"""What the grammar makes of every plain claim of the benchmarks and every claim of the bundled kpi sets.

`golden_verdicts.jsonl` has one line per sample: its id, and one text per check (verdict, statistic, series, window,
what is stated, what is computed). After a change of the grammar that is intended:

    python tests/metrics/numeric/test_golden_verdicts.py
"""

import asyncio
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from assay import Sample, load_set
from assay.metrics import Grid, NumericClaims, NumericTable, check_claims, table_of

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


DATA = yaml.safe_load(Path(__file__).with_name("german_claims.yaml").read_text(encoding="utf-8"))
OPEN = {"Die Zahl der Beschwerden stieg am letzten Freitag auf neun."}
"""Claims that the grammar leaves open."""


def columns(name: str) -> dict[str, list[Any]]:
    held = dict(DATA["tables"][name]["columns"])
    if isinstance(days := held.get("datum"), dict):
        first = date.fromisoformat(days["from"])
        held["datum"] = [str(first + timedelta(days=day)) for day in range(days["days"])]
    return held


def table(name: str) -> NumericTable:
    return table_of(Grid(name, columns(name), language="de"))


def label(claim: dict[str, str]) -> str:
    frame = pd.DataFrame(columns(claim["table"]))
    first = frame.columns[0]
    frame = frame.set_index(pd.to_datetime(frame[first]) if first in ("datum", "monat") else first)
    value = eval(claim["computed"], {"t": frame})
    return "supported" if eval(claim["holds"], {"value": value}) else "contradicted"


@pytest.mark.parametrize("claim", DATA["claims"], ids=lambda claim: claim["text"])
def test_a_german_claim_has_the_verdict_that_its_table_computes(claim):
    checked = check_claims([claim["text"]], [table(claim["table"])], "de")
    verdicts = {part.verdict for part in checked}
    verdict = next((v for v in ("contradicted", "unverifiable", "supported") if v in verdicts), "unverifiable")
    assert verdict == ("unverifiable" if claim["text"] in OPEN else label(claim)), [part.reason for part in checked]


def test_there_are_claims_of_both_labels():
    labels = [label(claim) for claim in DATA["claims"]]
    assert len(labels) >= 20 and min(labels.count("supported"), labels.count("contradicted")) >= 5
