"""The labelled claims that numerical claims are measured on: read by numeric_agreement.py.

`development`: words and forms were added to the grammar for these claims. `held out` and `blind`: for none of them.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import checkout  # noqa: F401

from assay import Sample, load_set

HERE = Path(__file__).parent
KPI_SETS = ("kpi_en", "kpi_nl")
RATED_SETS = ("tabfact_numeric", "tatqa_numeric", "scitab")
CLAIM_FILES = {"plain": ("en", "nl"), "trade": ("en", "nl", "de"), "blind": ("en", "nl", "de")}
DEVELOPMENT, HELD_OUT, BLIND = "development", "held out", "blind"


@dataclass(frozen=True)
class Label:
    """The verdict that the claims of an answer should get; of one of its claims if it has a text."""

    verdict: str
    text: str = ""

    def given(self, claims: Sequence[Mapping[str, Any]]) -> str:
        """The verdict on the labelled claims together."""
        return whole_verdict([claim["verdict"] for claim in claims if _is_same(claim["text"], self.text)])


@dataclass(frozen=True)
class LabelledSet:
    """Answers of one set and part, each with its labels."""

    title: str
    part: str
    answers: tuple[tuple[Sample, tuple[Label, ...]], ...]

    def drawn(self, most: int | None, seed: int) -> "LabelledSet":
        """So many of the answers, at random."""
        answers = random.Random(seed).sample(self.answers, min(most or len(self.answers), len(self.answers)))
        return LabelledSet(self.title, self.part, tuple(answers))


def whole_verdict(verdicts: Sequence[str]) -> str:
    """The verdict on several checks together: contradicted if one is, supported if all are."""
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if set(verdicts) == {"supported"} else "unverifiable"


def labelled_sets(data: Path | None = None, seed: int = 0) -> Iterator[LabelledSet]:
    """All sets, in their parts; the rated sets, which are not part of this repository, where their folder is named."""
    for name, languages in CLAIM_FILES.items():
        for language in languages:
            yield from claim_sets(name, language)
    for name in KPI_SETS:
        yield from kpi_sets(name)
    for name in RATED_SETS if data else ():
        yield from rated_sets(data / f"{name}.jsonl", seed)  # type: ignore[operator]


def claim_sets(name: str, language: str) -> Iterator[LabelledSet]:
    """A file of claims in a language: one sentence per answer, with a label per number."""
    tables = json.loads((HERE / f"{name}_tables.json").read_text(encoding="utf-8"))
    claims = [json.loads(line) for line in (HERE / f"{name}_claims.jsonl").read_text(encoding="utf-8").splitlines()]
    for part in (DEVELOPMENT, HELD_OUT, BLIND):
        answers = tuple(
            (_as_sample(claim, tables), (Label(whole_verdict(claim["labels"])),))
            for claim in claims
            if (claim["language"], claim.get("part", BLIND).replace("_", " ")) == (language, part)
        )
        if answers:
            yield LabelledSet(f"{name}_claims {language}", part, answers)


def _as_sample(claim: Mapping[str, Any], tables: Mapping[str, Mapping[str, Any]]) -> Sample:
    return Sample(
        id=claim["id"],
        language=claim["language"],
        user_input=claim["question"],
        response=claim["claim"],
        tables=[{key: value for key, value in tables[table].items() if key != "names"} for table in claim["tables"]],
    )


def kpi_sets(name: str) -> Iterator[LabelledSet]:
    """A bundled set, with one label per claim."""
    samples = load_set(name)
    for part in (DEVELOPMENT, HELD_OUT):
        answers = tuple(
            (sample, tuple(Label(claim["gold"], claim["text"]) for claim in sample.metadata["claims"]))
            for sample in samples
            if (sample.metadata["split"] == "held_out") is (part == HELD_OUT)
        )
        yield LabelledSet(name, part, answers)


def rated_sets(file: Path, seed: int) -> Iterator[LabelledSet]:
    """A rated set with one label per answer, in two halves by table."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    groups = sorted({row["metadata"]["group"] for row in rows})
    random.Random(seed).shuffle(groups)
    tuned_on = set(groups[: len(groups) // 2])
    for part in (DEVELOPMENT, HELD_OUT):
        answers = tuple(
            (sample, (Label("supported" if sample.rating else "contradicted"),))
            for row in rows
            if (row["metadata"]["group"] in tuned_on) is (part == DEVELOPMENT)
            for sample in [_as_rated_sample(row)]
        )
        yield LabelledSet(file.stem, part, answers)


def _as_rated_sample(row: Mapping[str, Any]) -> Sample:
    """A row as a sample; a table with a header of its own becomes a table of the sample, else its context is read."""
    table = row["metadata"]["table"]
    fields = {name: row[name] for name in ("id", "language", "user_input", "response", "rating")}
    fields |= {"rating_min": 0, "rating_max": 1}
    if "header" not in table:
        return Sample(**fields, retrieved_contexts=row["retrieved_contexts"])
    names: list[str] = []
    for head in table["header"]:
        names.append(head if head not in names else f"{head} ({names.count(head) + 1})")
    width = len(names)
    cells = [[*cells, *[""] * width][:width] for cells in table["rows"]]
    columns = {name or f"column {place + 1}": [line[place] for line in cells] for place, name in enumerate(names)}
    return Sample(**fields, tables=[{"name": row["metadata"].get("title") or row["id"], "columns": columns}])


def _is_same(text: str, labelled: str) -> bool:
    """Whether a claim is the labelled one, a yes or no before it left out; without a text each claim is."""
    return text.lower() in labelled.lower() or labelled.lower() in text.lower()
