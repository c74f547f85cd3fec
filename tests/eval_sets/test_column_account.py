"""Every column and cell of a set is accounted for: read as what, kept, empty, or no rating."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.eval_sets import load_set, read_samples
from assay.runs import Plan


def read(path: Path, text: str, **options: Any) -> tuple[list[Any], list[str]]:
    path.write_text(text, encoding="utf-8")
    notes: list[str] = []
    samples = load_set(path, notes=notes, **options)
    return samples, [note.removeprefix(f"{path}: ") for note in notes]


def test_a_dutch_sheet_with_one_rating_that_is_none(tmp_path: Path) -> None:
    samples, notes = read(
        tmp_path / "a.csv",
        "nr;vraag;antwoord;beoordeling;opmerking;leeg\n101;Hoe?;Zo.;4;ok;\n102;Waar?;Daar.;n.v.t.;;\n103;Wie?;Ik.;2,5;;\n",
    )
    assert [(sample.id, sample.rating) for sample in samples] == [("101", 4), ("102", None), ("103", 2.5)]
    assert notes == [
        "read nr as id, vraag as user_input, antwoord as response, beoordeling as rating from 1 to 5 (change with "
        "--map); kept in the metadata: opmerking; empty: leeg",
        '1 cell of beoordeling without a rating: line 3 "n.v.t."',
    ]


def test_a_rating_that_is_a_word_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r'line 4, field rating \(column beoordeling\): "goed" is not a number; write 4'
    ):
        read(tmp_path / "a.csv", "vraag,antwoord,beoordeling\na,b,4\nc,d,2\ne,f,goed\n")


def test_the_column_rating_itself_may_have_none_too(tmp_path: Path) -> None:
    samples, notes = read(tmp_path / "a.csv", "user_input,response,rating\na,b,4\nc,d,N/A\n")
    assert [sample.rating for sample in samples] == [4, None]
    assert notes == ['1 cell of rating without a rating: line 3 "N/A"']


def test_columns_of_raters_go_before_a_column_that_may_be_a_metric(tmp_path: Path) -> None:
    """Bob never gave less than 2: both columns have the scale of all their values."""
    samples, notes = read(
        tmp_path / "a.csv",
        "question,answer,rating_ada,Rating (Bob),score\na,b,4,5,0.1\nc,d,-,3,0.2\ne,f,1,2,3.5\n",
    )
    assert [dict(sample.ratings) for sample in samples] == [{"ada": 4, "Bob": 5}, {"Bob": 3}, {"ada": 1, "Bob": 2}]
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(1, 5)}
    assert notes == [
        "read question as user_input, answer as response, rating_ada as ratings.ada from 1 to 5, Rating (Bob) as "
        "ratings.Bob from 1 to 5 (change with --map); kept in the metadata: score (the ratings are those of "
        "rating_ada)",
        '1 cell of rating_ada without a rating: line 3 "-"',
    ]


CURE = "if they are ratings, --map it to rating, with columns rating_min and rating_max"


@pytest.mark.parametrize(
    ("values", "scale", "why"),
    [
        (["-2", "2", "0"], (-2, 2), ""),
        (
            ["-0.4", "0.9", "0.1"],
            None,
            f"its values run from -0.4 to 0.9, which is no usual scale; {CURE}",
        ),
        (["4", "4", "4"], None, f"all its values are 4, which tells no scale; {CURE}"),
        (["goed", "slecht", "3"], None, 'most of its values are no numbers, such as "goed"'),
    ],
)
def test_a_column_of_ratings_on_another_scale(
    tmp_path: Path, values: list[str], scale: tuple[float, float] | None, why: str
) -> None:
    rows = "".join(f"q{n},a{n},{value}\n" for n, value in enumerate(values))
    samples, (note,) = read(tmp_path / "a.csv", f"vraag,antwoord,beoordeling\n{rows}")
    if scale:
        assert {(sample.rating_min, sample.rating_max) for sample in samples} == {scale}
        assert "beoordeling as rating from -2 to 2" in note
    else:
        assert {sample.rating for sample in samples} == {None}
        assert note.endswith(f"kept in the metadata: beoordeling ({why})")


def test_a_mistyped_rating_does_not_set_the_scale(tmp_path: Path) -> None:
    rows = "".join(f"q{n},a{n},{1 + n % 5}\n" for n in range(39))
    with pytest.raises(InputError, match=r"line 41, field rating \(column Score\): 44 is outside the scale 1-5"):
        read(tmp_path / "a.csv", f"question,answer,Score\n{rows}q,a,44\n")


def test_two_files_may_number_their_rows_alike(tmp_path: Path) -> None:
    for name in ("jan", "feb"):
        (tmp_path / f"{name}.csv").write_text("nr,question,answer\n1,a,b\n2,c,d\n", encoding="utf-8")
    plan = Plan(sets=(str(tmp_path / "jan.csv"), str(tmp_path / "feb.csv")), metrics=("token_overlap",))
    assert [sample.id for sample in plan.samples()] == ["jan-1", "jan-2", "feb-1", "feb-2"]


def test_a_ticket_that_stands_twice_is_no_id(tmp_path: Path) -> None:
    samples, (note,) = read(tmp_path / "a.csv", "Ticket,question,answer\n7,a,b\n8,c,d\n7,e,f\n")
    assert [sample.id for sample in samples] == ["a-1", "a-2", "a-3"]
    assert note.endswith('kept in the metadata: Ticket (it names line 2 and line 4 "7")')


def test_formulas_that_were_never_computed_are_named(tmp_path: Path) -> None:
    """openpyxl writes formulas and computes none, as many exports do."""
    from openpyxl import Workbook

    book = Workbook()
    for row in (["question", "answer", "rating"], ["q", "a", 4], ["r", '=CONCAT("x","y")', "=1+1"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    notes: list[str] = []
    samples = load_set(tmp_path / "a.xlsx", notes=notes)
    assert [(sample.response, sample.rating) for sample in samples] == [("a", 4), ("", None)]
    assert "2 formulas without a value, read as empty: B3, C3; open the file in Excel and save it" in notes[0]


NAMES = st.sampled_from(
    [
        "vraag",
        "Antwoord",
        "score",
        "nr",
        "Ticket",
        "page",
        "rating_ada",
        "beoordeling",
        "contexts",
        "x y",
        "source",
        "label",
    ]
)
CELLS = st.sampled_from([None, "", "4", "2", "n/a", "goed", "een tekst", "0.5", 3])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(NAMES, CELLS, max_size=9), min_size=1, max_size=5))
def test_each_column_stands_once_in_the_account(rows: list[dict[str, Any]]) -> None:
    rows = [{"question": "Q", "answer": "A", **row} for row in rows]
    notes: list[str] = []
    try:
        list(read_samples(rows, notes=notes))
    except InputError:
        return  # such as a rating that is a word
    account = notes[0]
    read_part, _, rest = account.partition(" (change with mapping=)")
    kept, _, empty = rest.partition("; empty: ")
    for column in {name for row in rows for name in row}:
        read_as = [part for part in read_part.partition(": read ")[2].split(", ") if part.split(" as ")[0] == column]
        stands = len(read_as) + (f"; kept in the metadata: {kept}".count(f": {column}") > 0 or f", {column}" in kept)
        assert stands + (column in empty.split(", ")) == 1, (column, account)
