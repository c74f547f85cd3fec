"""Measures the coverage and accuracy of numerical claims, by the grammar alone and with a judge.

    python benchmarks/numeric_agreement.py --data ../shared/data/rated
    python benchmarks/numeric_agreement.py --data ../shared/data/rated --held-out --blind --judge qwen1.5b --n 40

plain_claims.jsonl (beside this file) has sentences as a support bot writes them, about the tables of
plain_tables.json: for the part `development` words were added to the grammar, for the part `held_out` none. All were
written by language models that had not seen the grammar, and labelled by computation. trade_claims.jsonl has 420 more,
German too, in the same two parts, longer and about other trades; blind_claims.jsonl has 500 on which nothing is tuned
(`--blind`; label_claims.py labels both). The bundled kpi sets have one gold label per claim, and a part
(`metadata.split` held_out) that no pattern was written from; tabfact_numeric, tatqa_numeric and scitab (other
people's, not part of this repository) have one label per answer. Each of those is split in two by the table of the
claim (seed 0): the grammar was tuned on one half, and the other half is reported too. An answer is contradicted if one
of its claims is, supported if all are, else unchecked. Accuracy is the share of the checked claims that agree with the
label, coverage the share of the checkable claims that are checked; intervals are Wilson's at 95%. `left alone`: the
share of claims with the gold label unverifiable that are unchecked. With a judge, asked one request at a time, each
set has a line for the grammar alone, too, over the same claims; `--read judge` lets the judge read every claim. Its
replies are recorded in the cache folder as they come: a run that was stopped goes on where it was. Needs the extra
`numeric`.
"""

import argparse
import asyncio
import json
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from benchmark_output import print_machine, print_table
from platformdirs import user_cache_path

from assay import Sample, load_set
from assay.judges import LiteLLMJudge, Usage, load_settings
from assay.meta_eval.estimate import estimate_proportion
from assay.metrics.numeric.numeric_claims import NumericClaims
from assay.presentation.figure import Figure

READS = ("grammar", "auto", "judge")
PARTS = ("development", "held_out")
KPI_SETS = ("kpi_en", "kpi_nl")
HERE = Path(__file__).parent
RATED_SETS = ("tabfact_numeric", "tatqa_numeric", "scitab")
Row = list[object]


def rated_samples(file: Path, seed: int) -> dict[str, list[Sample]]:
    """The samples of a rated set, in two halves by table."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    groups = sorted({row["metadata"]["group"] for row in rows})
    random.Random(seed).shuffle(groups)
    tuned_on = set(groups[: len(groups) // 2])
    halves: dict[str, list[Sample]] = {"tuned on": [], "held out": []}
    for row in rows:
        halves["tuned on" if row["metadata"]["group"] in tuned_on else "held out"].append(as_sample(row))
    return halves


def as_sample(row: Mapping[str, Any]) -> Sample:
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


async def verdicts(samples: Sequence[Sample], metric: NumericClaims) -> tuple[list[list[dict[str, Any]]], Usage]:
    """The evidence of each sample's claims, and what the judge took."""
    scores = [await metric.assess(sample) for sample in samples]
    return [score.evidence.get("claims", []) for score in scores], sum((score.usage for score in scores), Usage())


def whole(claims: Sequence[Mapping[str, Any]]) -> str:
    """The verdict on several checks together."""
    verdict_set = {claim["verdict"] for claim in claims}
    if "contradicted" in verdict_set:
        return "contradicted"
    return "supported" if verdict_set == {"supported"} else "unverifiable"


def line(name: str, metric: NumericClaims, pairs: Sequence[tuple[str, str]], seconds: float, usage: Usage) -> Row:
    """One line of the table from (gold, verdict) pairs; gold `unverifiable` counts in neither share but in the last."""
    checkable = [(gold, verdict) for gold, verdict in pairs if gold != "unverifiable"]
    checked = [(gold, verdict) for gold, verdict in checkable if verdict != "unverifiable"]
    right = sum(gold == verdict for gold, verdict in checked)
    left_alone = [verdict == "unverifiable" for gold, verdict in pairs if gold == "unverifiable"]
    rest = f"{sum(left_alone)} of {len(left_alone)}" if left_alone else None
    rate = len(pairs) / seconds if seconds else None
    shares = [share(len(checked), len(checkable)), share(right, len(checked))]
    return [name, metric.read, len(checkable), *shares, rest, rate, usage.calls, usage.tokens_in + usage.tokens_out]


def share(part: int, of: int) -> str:
    """A share with its Wilson interval."""
    return str(Figure.from_estimate("rho", estimate_proportion(part, of)))


async def kpi_rows(metric: NumericClaims, parts: Sequence[str], most: int | None, seed: int) -> list[Row]:
    """The bundled sets, claim by claim."""
    rows = []
    for name in KPI_SETS:
        samples = load_set(name)
        for part in parts:
            held_out = part == "held_out"
            chosen = [s for s in samples if (s.metadata["split"] == "held_out") is held_out]
            chosen = random.Random(seed).sample(chosen, min(most or len(chosen), len(chosen)))
            begin = time.perf_counter()
            claim_verdicts, usage = await verdicts(chosen, metric)
            seconds = time.perf_counter() - begin
            pairs = [
                (gold["gold"], whole([claim for claim in claims if same(claim["text"], gold["text"])]))
                for sample, claims in zip(chosen, claim_verdicts, strict=True)
                for gold in sample.metadata["claims"]
            ]
            rows.append(line(f"{name}, {'held out' if held_out else 'tuned on'}", metric, pairs, seconds, usage))
    return rows


async def claim_rows(
    name: str, language: str, part: str, metric: NumericClaims, *, most: int | None, seed: int
) -> list[Row]:
    """A file of claims, sentence by sentence: contradicted where one of its labels is, supported where all are."""
    tables = json.loads((HERE / f"{name}_tables.json").read_text(encoding="utf-8"))
    claims = [json.loads(line) for line in (HERE / f"{name}_claims.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = [claim for claim in claims if (claim["language"], claim.get("part", "blind")) == (language, part)]
    chosen = random.Random(seed).sample(chosen, min(most or len(chosen), len(chosen)))
    samples = [
        Sample(
            id=claim["id"],
            language=language,
            user_input=claim["question"],
            response=claim["claim"],
            tables=[{k: v for k, v in tables[table].items() if k != "names"} for table in claim["tables"]],
        )
        for claim in chosen
    ]
    begin = time.perf_counter()
    claim_verdicts, usage = await verdicts(samples, metric)
    seconds = time.perf_counter() - begin
    gold = [whole([{"verdict": label} for label in claim["labels"]]) for claim in chosen]
    title = f"{name}_claims {language}, {part.replace('_', ' ')}"
    return [line(title, metric, list(zip(gold, map(whole, claim_verdicts), strict=True)), seconds, usage)]


def same(text: str, gold: str) -> bool:
    """Whether a claim is the labelled one, a yes or no before it left out."""
    return text.lower() in gold.lower() or gold.lower() in text.lower()


async def rated_rows(
    folder: Path, metric: NumericClaims, parts: Sequence[str], most: int | None, seed: int
) -> list[Row]:
    """The rated sets, answer by answer."""
    rows = []
    for name in RATED_SETS:
        halves = rated_samples(folder / f"{name}.jsonl", seed)
        for half, samples in halves.items() if len(parts) > 1 else [("held out", halves["held out"])]:
            chosen = random.Random(seed).sample(samples, min(most or len(samples), len(samples)))
            begin = time.perf_counter()
            claim_verdicts, usage = await verdicts(chosen, metric)
            seconds = time.perf_counter() - begin
            gold = ["supported" if sample.rating else "contradicted" for sample in chosen]
            pairs = list(zip(gold, map(whole, claim_verdicts), strict=True))
            rows.append(line(f"{name}, {half}", metric, pairs, seconds, usage))
    return rows


async def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="Folder of the rated sets; without it only the bundled sets.")
    parser.add_argument("--judge", help="Reads what the grammar cannot.")
    parser.add_argument("--read", nargs="+", choices=READS, help="Who reads; with a judge `grammar auto`.")
    parser.add_argument("--decide", choices=("auto", "listed", "single"), help="The transport in the judge's settings.")
    parser.add_argument("--n", type=int, help="At most so many claims, and answers, of each set and part.")
    parser.add_argument("--held-out", action="store_true", help="Only the parts that nothing was tuned on.")
    parser.add_argument("--blind", action="store_true", help="The blind claims too: nothing may be tuned on them.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mode", choices=["auto", "replay"], default="auto")
    options = parser.parse_args()
    parts = PARTS[1:] if options.held_out else PARTS
    print_machine()
    async with AsyncExitStack() as stack:
        judge = None
        if options.judge:
            settings = load_settings(options.judge)
            if options.decide:
                settings = settings.with_changes(decide=options.decide)
            cassette = user_cache_path("assay") / f"numeric.{settings.identity}.jsonl"
            judge = await stack.enter_async_context(LiteLLMJudge(settings, cassette=cassette, mode=options.mode))
        groups = [("plain", language, part) for language in ("en", "nl") for part in parts]
        groups += [("trade", language, part) for language in ("en", "nl", "de") for part in parts]
        groups += [("blind", language, "blind") for language in ("en", "nl", "de")] if options.blind else []
        bound: dict[str, Any] = {"most": options.n, "seed": options.seed}
        rows: list[Row] = []
        for read in options.read or (("grammar", "auto") if judge else ("grammar",)):
            metric = NumericClaims(judge, read=read)
            rows += [row for group in groups for row in await claim_rows(*group, metric, **bound)]
            rows += await kpi_rows(metric, parts, **bound)
            if options.data:
                rows += await rated_rows(options.data, metric, parts, **bound)
        title = f"numerical claims{f', judge {judge.name}' if judge else ''}"
        header = ["set", "read", "checkable", "coverage", "accuracy", "left alone", "a second", "requests", "tokens"]
        print_table(title, header, rows)


if __name__ == "__main__":
    asyncio.run(main())
