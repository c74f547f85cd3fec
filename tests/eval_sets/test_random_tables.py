"""Tables of random columns, orders, scales and blank rows: what is read is what was written."""

import csv
import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from openpyxl import Workbook

from assay.eval_sets import ReadOptions, Sample, load_set, read_score_files
from assay.meta_eval import join_sources

IN_ORDINARY_TESTS, ALL = 60, 500
NAMES = {
    "user_input": ["user_input", "question", "Question", "prompt", "vraag", "Klantvraag", "Frage", "query"],
    "response": ["response", "answer", "Bot answer", "antwoord", "Antwort", "model_output", "reply"],
    "reference": ["reference", "ground_truth", "Expected answer", "referentie", "Musterantwort"],
    "retrieved_contexts": ["retrieved_contexts", "context", "passages", "Kontext"],
    "id": ["id", "ID", "ticket_id", "vraagnummer", "Fall-ID"],
    "group": ["group"],
    "language": ["language"],
}
RATINGS = ["rating", "human_rating", "Beoordeling", "Bewertung", "cijfer", "score", "stars"]
RATERS = ["ada", "bo", "Anja", "piet"]
EXTRAS = ["channel", "team", "afdeling", "priority code", "browser"]
SCALES = [(1, 5), (0, 1), (0, 5), (1, 10), (0, 10), (0, 100)]
LABELS = [("fail", "pass"), ("no", "yes"), ("nee", "ja"), ("falsch", "richtig"), ("👎", "👍")]
WORDS = [
    "where can I",
    "change my address,",
    "until when is",
    "the course; free?",
    "You may: 3",
    '"after" it\'s',
    "sent",
]


class RandomTable(NamedTuple):
    """The cells to write, and the samples that they are."""

    columns: list[str]
    rows: list[list[str]]
    expected: list[dict[str, Any]]


def text(random: Random) -> str:
    words = [random.choice(WORDS) for _ in range(random.randint(4, 12))]
    return random.choice([" ", " ", " ", "\n"]).join(["Well", *words, "so."])


def rating_column(random: Random, count: int) -> tuple[list[str], list[float], tuple[float, float]]:
    """Cells of a column with both ends of its scale, the numbers that they are, and the scale."""
    if random.random() < 0.25:
        pair = random.choice(LABELS)
        values = [0.0, 1.0, *(float(random.randint(0, 1)) for _ in range(count - 2))]
        random.shuffle(values)
        return [pair[int(value)] for value in values], values, (0, 1)
    low, high = random.choice(SCALES)
    step = random.choice([1, 0.5]) if high > 1 else 0.25
    values = [float(low), float(high)]
    values += [low + step * random.randint(0, int((high - low) / step)) for _ in range(count - 2)]
    random.shuffle(values)
    mark = random.choice([".", ","])
    return [f"{value:g}".replace(".", mark) for value in values], values, (low, high)


class _Builder:
    """Makes the columns of a table, and what they are read as."""

    def __init__(self, random: Random) -> None:
        self.random, self.count = random, random.randint(4, 12)
        self.cells: dict[str, list[str]] = {}
        self.expected: list[dict[str, Any]] = [{"metadata": {}} for _ in range(self.count)]

    def texts(self) -> list[str]:
        return [text(self.random) for _ in range(self.count)]

    def add(self, column: str, field: str, values: list[Any], written: list[str] | None = None) -> None:
        self.cells[column] = values if written is None else written
        for sample, value in zip(self.expected, values, strict=True):
            sample[field] = value

    def add_texts(self) -> None:
        random = self.random
        for field in ("user_input", "response", *random.choice([(), ("reference",)])):
            self.add(random.choice(NAMES[field]), field, self.texts())
        if random.random() < 0.5:
            contexts = [tuple(text(random) for _ in range(random.randint(1, 3))) for _ in range(self.count)]
            written = [json.dumps(one) if len(one) > 1 else one[0] for one in contexts]
            self.add(random.choice(NAMES["retrieved_contexts"]), "retrieved_contexts", contexts, written)

    def add_names(self) -> None:
        random = self.random
        numbers = random.sample(range(1000), self.count)
        if random.random() < 0.5:
            self.add(random.choice(NAMES["id"]), "id", [f"t{number}" for number in numbers])
        if random.random() < 0.3:
            self.add("group", "group", [f"g{number % 3}" for number in numbers])
        if random.random() < 0.3:
            self.add("language", "language", [("nl", "en", "de")[number % 3] for number in numbers])
        for column in random.sample(EXTRAS, random.randint(0, 3)):
            self.cells[column] = [random.choice(["web", "chat", "B2", "north"]) for _ in numbers]
            for sample, value in zip(self.expected, self.cells[column], strict=True):
                sample["metadata"][column] = value

    def add_rating(self) -> None:
        random = self.random
        written, values, scale = rating_column(random, self.count)
        self.add(random.choice(RATINGS), "rating", list(values), written)
        for sample in self.expected:
            sample["rating_min"], sample["rating_max"] = scale
        repeated = [place for place, value in enumerate(values) if values.count(value) > 1]
        if repeated and random.random() < 0.5:  # an answer that nobody rated; both ends of the scale stay
            place = random.choice(repeated)
            written[place] = random.choice(["", "n/a", "-", "nvt"])
            self.expected[place]["rating"] = None
            del self.expected[place]["rating_min"], self.expected[place]["rating_max"]  # of none there is no scale

    def add_raters(self) -> None:
        random = self.random
        low, high = random.choice([(1, 5), (1, 10), (0, 100)])
        prefix = random.choice(["rating_", "Beoordeling ", "rating "])
        for rater in random.sample(RATERS, random.randint(2, 3)):
            values = [low, high, *(random.randint(low, high) for _ in range(self.count - 2))]
            random.shuffle(values)
            self.cells[f"{prefix}{rater}"] = [str(value) for value in values]
            for sample, value in zip(self.expected, values, strict=True):
                sample.setdefault("ratings", {})[rater] = float(value)
                sample["rating_min"], sample["rating_max"] = low, high


def random_table(random: Random) -> RandomTable:
    builder = _Builder(random)
    builder.add_texts()
    builder.add_names()
    random.choice([builder.add_rating, builder.add_raters, lambda: None])()
    columns = list(builder.cells)
    random.shuffle(columns)
    rows = [[builder.cells[column][row] for column in columns] for row in range(builder.count)]
    return RandomTable(columns, rows, builder.expected)


def write_table(table: RandomTable, folder: Path, random: Random) -> Path:
    """Writes a table in one of the usual formats, with blank rows between and below the others."""
    suffix = random.choice([".csv", ".csv", ".tsv", ".jsonl", ".json", ".xlsx"])
    path = folder / f"table{suffix}"
    rows: list[list[str]] = []
    for row in table.rows:
        rows += [[""] * len(row)] * (random.random() < 0.15) + [row]
    rows += [[""] * len(table.columns)] * random.randint(0, 2)
    if suffix == ".xlsx":
        book = Workbook()
        for row in (table.columns, *rows):
            book.active.append([cell or None for cell in row])
        book.save(path)
    elif suffix in {".jsonl", ".json"}:
        objects = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
        lines = [json.dumps(one, ensure_ascii=random.random() < 0.5) for one in objects]
        path.write_text("\n".join(lines) if suffix == ".jsonl" else json.dumps(objects), encoding="utf-8")
    else:
        encoding = random.choice(["utf-8", "utf-8-sig", "utf-16"])
        delimiter = "\t" if suffix == ".tsv" else random.choice([",", ";", "\t", "|"])
        with path.open("w", encoding=encoding, newline="") as file:
            csv.writer(file, delimiter=delimiter).writerows([table.columns, *rows])
    return path


def differences(samples: list[Sample], expected: list[dict[str, Any]]) -> list[str]:
    read = [{name: getattr(sample, name) for name in wanted} for sample, wanted in zip(samples, expected, strict=True)]
    return [
        f"row {number}, {name}: wrote {wanted[name]!r}, read {one[name]!r}"
        for number, (one, wanted) in enumerate(zip(read, expected, strict=True), 1)
        for name in wanted
        if one[name] != wanted[name]
    ]


@pytest.mark.parametrize(
    "seed",
    [*range(IN_ORDINARY_TESTS), *(pytest.param(n, marks=pytest.mark.slow) for n in range(IN_ORDINARY_TESTS, ALL))],
)
def test_what_is_read_is_what_was_written(seed, tmp_path):
    random = Random(seed)
    table = random_table(random)
    path = write_table(table, tmp_path, random)
    samples = load_set(path, notes=[])
    assert differences(samples, table.expected) == [], path.read_bytes()[:300]
    assert_same_ratings_in_a_file_of_ratings(path, samples)


def assert_same_ratings_in_a_file_of_ratings(path: Path, samples: list[Sample]) -> None:
    """A set and a file of ratings are two views of one table: whoever rated is read alike, on the same scale."""
    expected = [
        sample.ratings or ({"rating": sample.rating} if sample.rating is not None else {}) for sample in samples
    ]
    if not any(expected):
        return
    _, ratings = read_score_files([], path, ReadOptions())
    read: list[dict[str, float]] = [{} for _ in samples]
    for rater, numbers in ratings.columns.items():
        for place, number in numbers.items():
            read[place][rater] = number
    assert read == [dict(one) for one in expected]
    scales = {(sample.rating_min, sample.rating_max) for sample in samples if sample.human_rating is not None}
    joined = join_sources([ratings], ratings, ReadOptions())  # with themselves: the table has the scale
    assert {(joined.table.rating_min, joined.table.rating_max)} == scales
