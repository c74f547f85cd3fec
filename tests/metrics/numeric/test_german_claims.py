"""German is read by its pack alone: claims about three tables, with labels that are computed here, not written."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from assay.metrics import Grid, NumericTable, check_claims, table_of

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
