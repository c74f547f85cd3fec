"""Labels the blind and the trade claims: each label is computed from the tables, and compared with that in the file.

    python benchmarks/label_claims.py
    python benchmarks/label_claims.py --write

blind_claims.jsonl (beside this file) has 500 sentences about numbers as chatbots write them, in English, Dutch and
German, about the 12 tables of blind_tables.json; nothing is tuned on them. trade_claims.jsonl has 420 more, about 18
tables of other trades: those about the first three of each language are for development, the rest are held out.
Language models wrote them on 22 November 2026 without having seen the package, its grammar or an earlier set;
`numeric_agreement.py` measures on them. In the tables, `names` are what expressions call a table and its columns.

A statement is one asserted value, in reading order, or one ranking without a value. What is said of the value (which
row, day, period, direction, "the highest") belongs to it: `also` must hold too. Numbers that only name a date, a
period, a threshold or a row are no statements. A value is supported where it equals the computed one rounded to the
digits that are stated (an exact half counts either way); `~` (roughly): within 5% of it; `<` (almost): below the
stated value by at most 5%; `>` (over): above it; `>~` (a little over): above by at most 5%; `>=`: not below. Means,
sums and counts leave missing cells out. A statement that the table cannot tell has a `reason` and no `expression`.

Prints the count of labels by set and language; ends with 1 and the ids where a label in a file is not the computed one,
unless `--write` writes the computed ones. No judge, no network.
"""

import argparse
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmark_output import print_table

HERE = Path(__file__).parent
SETS = ("blind", "trade")
LANGUAGES = ("en", "nl", "de")
KINDS = ("supported", "contradicted", "unverifiable")
TOLERANCE = 0.05  # of hedged values

TIMES = ("d", "m", "q")  # columns of times, under these names

# Whether a stated value and a computed one agree, by the hedge before it.
HEDGES: dict[str, Callable[[float, float], bool]] = {
    "~": lambda stated, computed: abs(stated - computed) <= TOLERANCE * abs(computed),
    "<": lambda stated, computed: (1 - TOLERANCE) * stated <= computed < stated,
    "<<": lambda stated, computed: computed < stated,
    "<=": lambda stated, computed: computed <= stated,
    ">": lambda stated, computed: computed > stated,
    ">~": lambda stated, computed: stated < computed <= (1 + TOLERANCE) * stated,
    ">=": lambda stated, computed: computed >= stated,
}


def read_frames(tables: Path) -> dict[str, pd.DataFrame]:
    """The tables under the names that expressions use."""
    frames = {}
    for table in json.loads(tables.read_text(encoding="utf-8")).values():
        short, columns = table["names"]
        frame = pd.DataFrame(table["columns"]).set_axis(columns, axis=1)
        for column in set(TIMES) & set(columns):
            if re.fullmatch(r"\d{4}-\d\d-\d\d", str(frame[column].iloc[0])):
                frame[column] = pd.to_datetime(frame[column])
        frames[short] = frame
    return frames


def time_column(frame: pd.DataFrame) -> str | None:
    """The column of times, if the table has one."""
    return next((name for name in TIMES if name in frame), None)


def as_time(frame: pd.DataFrame, text: str) -> Any:
    """A time as the table writes it."""
    column = time_column(frame)
    return pd.Timestamp(text) if column and frame[column].dtype.kind == "M" else text


def name_row(frame: pd.DataFrame, column: str | None, row: Any) -> Any:
    """What a row is called: its time, or the cell of another column."""
    cell = frame.loc[row, column or time_column(frame) or frame.columns[0]]
    return cell.strftime("%Y-%m-%d") if hasattr(cell, "strftime") else cell


def at(frame: pd.DataFrame, name: str, column: str) -> Any:
    """The cell of the one row of this time, or with this in its first column."""
    by = frame.columns[0] if "id" in frame else time_column(frame) or frame.columns[0]
    return frame.loc[frame[by] == as_time(frame, name), column].item()


def where(frame: pd.DataFrame, **conditions: Any) -> pd.DataFrame:
    """The rows whose cells are these, or among these."""
    for column, wanted in conditions.items():
        frame = frame[frame[column].isin(wanted if isinstance(wanted, list | tuple | set) else [wanted])]
    if frame.empty:
        raise ValueError(f"no row with {conditions}")
    return frame


def between(frame: pd.DataFrame, first: str, last: str) -> pd.DataFrame:
    """The rows from one time to another, both included."""
    times = frame[time_column(frame)]
    return frame[(times >= as_time(frame, first)) & (times <= as_time(frame, last))]


def in_month(frame: pd.DataFrame, month: str) -> pd.DataFrame:
    """The rows of a month or year, as an ISO prefix."""
    times = frame[time_column(frame)]
    return frame[(times.dt.strftime("%Y-%m-%d") if times.dtype.kind == "M" else times).str.startswith(month)]


def on_weekdays(frame: pd.DataFrame, *days: int) -> pd.DataFrame:
    """The rows of these days of the week, Monday = 0."""
    return frame[frame[time_column(frame)].dt.day_of_week.isin(days)]


def percent_change(before: float, after: float) -> float:
    """The change in percent of the first."""
    return (after - before) / before * 100


def percent_of(part: float, whole: float) -> float:
    """The share in percent."""
    return part / whole * 100


def longest_run(marks: Iterable[Any]) -> int:
    """The most marks that follow each other."""
    longest = current = 0
    for mark in marks:
        current = current + 1 if mark else 0
        longest = max(longest, current)
    return longest


def highest(frame: pd.DataFrame, column: str, name: str | None = None, n: int = 1) -> Any:
    """What the row with the nth highest value is called."""
    return name_row(frame, name, frame[column].sort_values(ascending=False, kind="stable").index[n - 1])


def lowest(frame: pd.DataFrame, column: str, name: str | None = None, n: int = 1) -> Any:
    """What the row with the nth lowest value is called."""
    return name_row(frame, name, frame[column].sort_values(kind="stable").index[n - 1])


def by_group(frame: pd.DataFrame, group: str, column: str, how: str = "sum") -> Any:
    """A statistic of a column by group."""
    return getattr(frame.groupby(group)[column], how)()


def largest(values: Any, n: int = 1) -> Any:
    """The label of the nth largest value."""
    return values.sort_values(ascending=False).index[n - 1]


def smallest(values: Any, n: int = 1) -> Any:
    """The label of the nth smallest value."""
    return values.sort_values().index[n - 1]


HELPERS = {
    function.__name__: function
    for function in (
        *(at, where, between, in_month, on_weekdays, percent_change, percent_of, longest_run, highest, lowest),
        *(by_group, largest, smallest, abs, len, min, max, round, sum, sorted, set),
    )
} | {"np": np, "pd": pd}


def read_value(language: str, text: str) -> tuple[float, int]:
    """The number in a stated text, and its digits behind the point."""
    point, comma = (".", ",") if language == "en" else (",", ".")
    found = re.search(
        rf"\d{{1,3}}(?:{re.escape(comma)}\d{{3}})+(?:{re.escape(point)}\d+)?|\d+(?:{re.escape(point)}\d+)?", text
    )
    if found is None:
        raise ValueError(f"no number in {text!r}")
    whole, _, decimals = found[0].replace(comma, "").partition(point)
    return float(f"{whole}.{decimals or 0}"), len(decimals)


def label(language: str, statement: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    """The label of one statement."""
    if "reason" in statement:
        return "unverifiable"
    computed = eval(statement["expression"], dict(names))
    holds = "also" not in statement or bool(eval(statement["also"], dict(names)))
    if isinstance(computed, bool | np.bool_):  # a ranking without a value
        return "supported" if computed and holds else "contradicted"
    if not math.isfinite(computed):
        raise ValueError(f"{statement['expression']} is {computed}")
    stated, digits = (
        (statement["value"], statement["digits"]) if "value" in statement else read_value(language, statement["text"])
    )
    scale = statement.get("scale", 1)
    if "hedge" in statement:
        holds &= HEDGES[statement["hedge"]](stated * scale, computed)
    else:
        holds &= abs(stated * scale - computed) <= 0.5 * 10.0**-digits * scale + 1e-9 * max(1.0, abs(computed))
    return "supported" if holds else "contradicted"


def label_set(name: str, write: bool) -> tuple[list[list[object]], list[str]]:
    """The counts of one set's labels by language, and the ids whose label in the file is not the computed one."""
    file = HERE / f"{name}_claims.jsonl"
    names = read_frames(HERE / f"{name}_tables.json") | HELPERS
    claims = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    counts: Counter[tuple[str, str]] = Counter()
    wrong = []
    for claim in claims:
        computed = [label(claim["language"], statement, names) for statement in claim["statements"]]
        counts.update((claim["language"], each) for each in computed)
        place = 0
        for statement in claim["statements"]:  # the stated texts stand in the claim, in this order
            place = claim["claim"].index(statement["text"], place) + len(statement["text"])
        if computed != claim.get("labels"):
            wrong.append(claim["id"])
        claim["labels"] = computed
    if write:
        file.write_text("".join(json.dumps(claim, ensure_ascii=False) + "\n" for claim in claims), encoding="utf-8")
    return [[name, language, *(counts[language, kind] for kind in KINDS)] for language in LANGUAGES], wrong


def main() -> None:
    """Prints the counts, and compares or writes the labels."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the computed labels into the files")
    options = parser.parse_args()
    rows, wrong = [], []
    for name in SETS:
        counted, differing = label_set(name, options.write)
        rows += counted
        wrong += differing
    print_table("claims with computed labels", ["set", "language", *KINDS], rows)
    if wrong and not options.write:
        sys.exit(f"the labels of {', '.join(wrong)} are not the computed ones")


if __name__ == "__main__":
    main()
