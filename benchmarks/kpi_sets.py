"""Makes the bundled sets kpi_nl and kpi_en: answers about network and payroll figures, with a gold label per claim.

    python benchmarks/kpi_sets.py FOLDER

The texts are in `kpi_texts/` (per language one file for development and one held out), the figures come from
`kpi_tables`, and the facts about them from `kpi_facts`. Everything is seeded: the same code makes the same files.
"""

import argparse
import json
import random
import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import checkout  # noqa: F401
from kpi_facts import fact, holds
from kpi_tables import SEED, TEXTS, KpiTable, kpi_tables, load_table_texts, table_languages

from assay.errors import InputError
from assay.eval_sets import Sample, write_set
from assay.languages import load_language, read_yaml

GOLD = {"s": "supported", "c": "contradicted", "u": "unverifiable"}
_SLOT = re.compile(r"\{(\w+\([^()]*\)):(\d|d)\}")  # {mean(latency, all):1}: a fact, and its decimals (d: a date)


def kpi_set(language: str) -> list[Sample]:
    """Makes the 40 samples of a language. Raises `InputError` where a text contradicts the figures."""
    tables = kpi_tables(language)
    samples: list[Sample] = []
    for split in ("development", "held_out"):
        for answer in read_yaml(TEXTS / f"{language}.{split}.yaml", list[dict[str, Any]]):
            samples.append(_sample(answer, tables[answer["table"]], (language, split, len(samples) + 1)))
    return samples


def _sample(answer: Mapping[str, Any], table: KpiTable, place: tuple[str, str, int]) -> Sample:
    language, split, number = place
    rng = random.Random(f"{SEED}-{language}-{number}")
    false = _falsified(answer["claims"], rng)
    claims = [
        _claim(claim, table, language, rng if number in false else None)
        for number, claim in enumerate(answer["claims"])
    ]
    shown = answer.get("shown", "table")
    shown_table = {"name": table.name, "columns": dict(table.columns), "units": dict(table.units)}
    contexts = [_about(table, language)]
    if shown != "table":
        contexts.append(as_markdown(table, language) if shown == "markdown" else as_csv(table, language))
    return Sample.model_validate(
        {
            "id": f"kpi-{language}-{number:03}",
            "language": language,
            "user_input": answer["ask"],
            "retrieved_contexts": contexts,
            "response": " ".join(claim["text"] for claim in claims),
            "tables": [shown_table] if shown == "table" else [],
            "rating": rating([claim["gold"] for claim in claims]),
            "group": answer["table"],
            "metadata": {"split": split, "claims": claims},
        }
    )


def rating(gold: Sequence[str]) -> int:
    """Rates an answer by the labels of its claims: 1 to 5, by the rubric in eval_sets/README.md."""
    false = gold.count("contradicted")
    if false:
        return 2 if false == 1 else 1
    open_ = gold.count("unverifiable")
    return 5 if not open_ else 4 if open_ < len(gold) else 3


def _falsified(claims: Sequence[Sequence[str]], rng: random.Random) -> set[int]:
    """Chooses the claims that get a wrong number, so that an answer has zero, one or two false claims at random.

    Claims that are false in their words stay so. Claims without a number, and open ones, cannot get a wrong number.
    """
    wanted = rng.choices((0, 1, 2), weights=(40, 30, 30))[0]
    left = wanted - sum(label == "c" for label, *_ in claims)
    numeric = [number for number, (label, text, *_) in enumerate(claims) if label == "s" and _SLOT.search(text)]
    return set(rng.sample(numeric, k=min(left, len(numeric)))) if left > 0 else set()


def _claim(claim: Sequence[str], table: KpiTable, language: str, wrong: random.Random | None) -> dict[str, str]:
    """Makes a claim with its gold label; `wrong` draws how far its first number is moved, None leaves it right."""
    label, text, *test = claim
    if test and holds(test[0], table) != (label == "s"):
        raise InputError(f"kpi_{language}: {text!r} is labelled {GOLD[label]}, and the figures say otherwise")
    moved = iter([wrong])
    written = _SLOT.sub(lambda slot: _written(slot, table, language, next(moved, None)), text)
    return {"text": written, "gold": GOLD["c" if wrong else label]}


def _written(slot: re.Match[str], table: KpiTable, language: str, wrong: random.Random | None) -> str:
    value = fact(slot[1], table)
    if slot[2] == "d":
        return date_text(str(value), language, wrong.choice((-2, -1, 1, 2)) if wrong else 0)
    decimals, number = int(slot[2]), abs(float(value))
    return number_text(_moved(number, decimals, wrong) if wrong else number, decimals, language)


def _moved(value: float, decimals: int, rng: random.Random) -> float:
    """Moves a value by 8 to 16%, and by at least 2 in its last digit, so that no rounding or "about" excuses it."""
    by = max(rng.uniform(0.08, 0.16) * value, 2 * 10.0**-decimals)
    sign = rng.choice((-1, 1))
    if value <= 100 <= value + by:  # a share in percent stays below 100
        return value - (rng.uniform(0.2, 0.9) if decimals == 2 else by)
    return value + sign * by


def number_text(value: float, decimals: int, language: str) -> str:
    """Writes a number as the language does: 1.234,5 or 1,234.5."""
    english = f"{value:,.{decimals}f}"
    return _with_decimal_mark(english, language)


def date_text(day: str, language: str, later: int = 0) -> str:
    """Writes a day ("12 March") or month ("August 2025") in words, moved by `later` days or months."""
    if len(day) > 7:
        moved = date.fromisoformat(day[:10]) + timedelta(days=later)
        return f"{moved.day} {_month(moved.month, language)}"
    year, month = (int(part) for part in day.split("-"))
    month += later - 1
    return f"{_month(month % 12 + 1, language)} {year + month // 12}"


def _month(number: int, language: str) -> str:
    return load_language(language).months[number - 1]


def as_markdown(table: KpiTable, language: str) -> str:
    """Writes the table as Markdown, numbers as in the language."""
    lines = [list(table.columns), ["---"] * len(table.columns)]
    lines += [[_cell(cell, language) for cell in row] for row in zip(*table.columns.values(), strict=True)]
    return f"{table.name}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_csv(table: KpiTable, language: str) -> str:
    """Writes the table as CSV, with semicolons where decimals have a comma."""
    separator = ";" if load_language(language).profile.decimal_mark == "," else ","
    rows = [[_cell(cell, language, grouped=False) for cell in row] for row in zip(*table.columns.values(), strict=True)]
    return f"{table.name}:\n" + "\n".join(separator.join(row) for row in [list(table.columns), *rows])


def _cell(cell: str | float | None, language: str, grouped: bool = True) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    text = f"{cell:,}" if grouped else f"{cell}"
    return _with_decimal_mark(text, language)


def _with_decimal_mark(english: str, language: str) -> str:
    comma = load_language(language).profile.decimal_mark == ","
    return english.translate(str.maketrans(",.", ".,")) if comma else english


def _about(table: KpiTable, language: str) -> str:
    series = ", ".join(
        f"{name} ({table.units[name]})" if name in table.units else name for name in list(table.columns)[1:]
    )
    first, last = table.keys[0], table.keys[-1]
    about = load_table_texts(language).about
    return about.format(name=table.name, rows=len(table.keys), first=first, last=last, series=series)


def main() -> None:
    """Writes both sets to the folder on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="an existing folder")
    folder = parser.parse_args().folder
    for language in table_languages():
        count = write_set(kpi_set(language), folder / f"kpi_{language}.jsonl")
        print(json.dumps({"set": f"kpi_{language}", "samples": count}))


if __name__ == "__main__":
    main()
