"""CSV and its relatives; no text in a cell becomes a formula of a spreadsheet."""

import csv
import sys

import pytest
from hypothesis import given, strategies as st

from assay import Sample, write_set
from assay.errors import InputError
from assay.eval_sets import escape_formula, load_set, unescape_formula

HEADER = "id,user_input,response,rating"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "CSV"])
def test_the_delimiter_is_found_out(file, delimiter, suffix):
    lines = [["id", "user_input", "response"], ["a", "vraag", "antwoord"]]
    [sample] = load_set(file(f"set.{suffix}", "\n".join(delimiter.join(line) for line in lines)), language="nl")
    assert (sample.id, sample.user_input, sample.response) == ("a", "vraag", "antwoord")


def test_two_rows_go_through_few_files(file):
    """One way in: the files of this folder in which a function is called until two rows are samples."""
    path = file("set.csv", "question,answer,rating\nIs it free?,Yes it is.,4\nWhen does it open?,At nine.,2\n")
    load_set(path, notes=[])  # what is loaded late is loaded now
    called = set[str]()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        load_set(path, notes=[])
    finally:
        sys.setprofile(before)
    assert len([name for name in called if "/eval_sets/" in name and "/tests/" not in name]) <= 11


def test_known_names_outweigh_other_delimiters_in_the_header(file):
    # by number alone the three commas would win
    path = file("set.csv", "user_input;response;notes, dates, places, names\nq;r;n\n")
    [sample] = load_set(path)
    assert sample.metadata == {"notes, dates, places, names": "n"}
    unnamed = file("set.csv", ",user_input,response\n0,q,r\n")  # a column without a name is kept by its place
    assert load_set(unnamed)[0].metadata == {"column 1": "0"}
    named = file("set.csv", "sep=|\r\nuser_input|response|rating\r\nq|r|x\r\n")  # Excel may name the delimiter
    with pytest.raises(InputError, match=r"line 3, field rating"):
        load_set(named)


def test_excel_of_a_dutch_windows(file):
    content = '\ufeffuser_input;response;rating\r\n"Waarom ""KP-1""?";"een;twee\r\ndrie";4,5\r\nq;r;\r\n;;\r\n'
    first, second = load_set(file("helpdesk.csv", content), language="nl")
    assert (first.user_input, first.response, first.rating) == ('Waarom "KP-1"?', "een;twee\r\ndrie", 4.5)
    assert second.rating is None
    assert (first.id, second.id) == ("helpdesk-1", "helpdesk-2")


def test_errors_name_the_line_on_which_the_row_begins(file):
    # header 1; row on 2-4 (quoted line breaks); 5 blank; row on 6
    path = file("helpdesk.csv", f'{HEADER}\na,q,"r\nr\nr",4\n\nb,q,r,"4,x"\n')
    with pytest.raises(InputError) as error:
        load_set(path)
    assert str(error.value) == (
        f'{path}, line 6, field rating: "4,x" is not a number; write 4 or 4,5, or nothing if there is no rating'
    )


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("", ()),
        ('"[""een"", ""twee""]"', ("een", "twee")),
        ('"[\'een\', ""it\'s""]"', ("een", "it's")),
        ("['een\\n1' 'twee']", ("een\n1", "twee")),  # as NumPy prints it; Python would join the two
        ("['een'\n 'twee']".join('""').replace('"', '"'), ("een", "twee")),
        ("['komma, erin']".join('""'), ("komma, erin",)),
        ("[]", ()),
        ("[1] Ga naar: Medewerkers", ("[1] Ga naar: Medewerkers",)),
        ("[Let op]", ("[Let op]",)),
    ],
)
def test_contexts_in_a_cell(file, cell, contexts):
    path = file("set.csv", f"user_input,response,retrieved_contexts\nq,r,{cell}\n")
    assert load_set(path)[0].retrieved_contexts == contexts


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("\"['een', 'twee\"", None),
        ("['een' twee]", "is not a list of texts"),
        ('"[""een"", ""tw"', "begins as a list and does not end as one"),
        ("[1]", r"field retrieved_contexts.0: is a number \(1\), not a text"),
        ('"{""a"": 1}"', None),
    ],
)
def test_contexts_that_begin_as_a_list_and_are_none(file, cell, says):
    path = file("set.csv", f"user_input,response,retrieved_contexts\nq,r,{cell}\n")
    if says is None:  # plain text, whatever it looks like
        assert len(load_set(path)[0].retrieved_contexts) == 1
        return
    with pytest.raises(
        InputError, match=rf"line 2, field retrieved_contexts.*{says.removeprefix('field retrieved_contexts')}"
    ):
        load_set(path)


def test_objects_in_cells_as_json_or_as_python_prints_them(file):
    path = file(
        "set.csv",
        "user_input;response;ratings;tables;metadata\n"
        "q;r;{'an': 4, 'bo': None};[{'name': 't', 'columns': {'x': [1, None]}}];{'note': 'n'}\n"
        'q;r;{"an": "4,5"};;vrije tekst\n',
    )
    first, second = load_set(path)
    assert first.ratings == {"an": 4}
    assert first.tables[0].columns == {"x": [1, None]}
    assert first.metadata == {"note": "n"}
    assert second.ratings == {"an": 4.5}
    assert second.metadata == {"metadata": "vrije tekst"}


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ("q;r;{an: 4};", "field ratings: .* is not JSON"),
        ("q;r;{'an': 'x'};", 'field ratings: rater an: "x" is not a number'),
        ("q;r;{'an': 900};", "field ratings.an: 900 is outside the scale 1-5"),
        ("q;r;;{'note'", "field metadata: .* is not JSON"),
    ],
)
def test_objects_in_cells_that_are_none(file, cells, says):
    with pytest.raises(InputError, match=f"line 2, {says}"):
        load_set(file("set.csv", f"user_input;response;ratings;metadata\n{cells}\n"))


def test_an_empty_answer_is_an_answer_and_other_empty_cells_are_no_value(file):
    path = file("set.csv", f"{HEADER},reference,group,rating_max,topic\n,q,,,,,,\n")
    [sample] = load_set(path)
    assert sample.response == ""
    assert (sample.id, sample.rating, sample.reference, sample.group, sample.rating_max) == (
        "set-1",
        None,
        None,
        None,
        5,
    )
    assert sample.metadata == {"topic": ""}


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ("b,q,r", "line 3: the row has 3 cells, the header 4"),
        ("b,q,r,4,5", "line 3: the row has 5 cells, the header 4"),
        ('b,"q"x,r,4', "line 3: .* expected after"),
        ("b,q\0,r,4", "line 3: field user_input: the cell holds a NUL byte"),
    ],
)
def test_a_misshapen_record_is_one_bad_row(file, record, says):
    path = file("set.csv", f"{HEADER}\na,q,r,4\n{record}\nc,q,r,4\n")
    with pytest.raises(InputError, match=says):
        load_set(path)
    skipped: list[InputError] = []
    assert [sample.id for sample in load_set(path, skip_bad=skipped)] == ["a", "c"]
    assert [says.split(":")[0] in str(error) for error in skipped] == [True]


def test_a_quote_that_is_never_closed_would_swallow_the_rest(file):
    path = file("set.csv", f'{HEADER}\na,q,r,4\nb,"q,r,4\nc,q,r,4\n')
    with pytest.raises(InputError, match=r"line 3: a quote opened in this row is never closed"):
        load_set(path, skip_bad=[])


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("id,user_input,response,id", "line 1: the column `id` stands twice"),
        ("id,naam,bot,rating", "field user_input: is missing; add it, or map THEIRS=user_input"),
        ("id,klant,bot,rating", "field user_input: is missing; rename `klant`, or map klant=user_input"),
        ("id,user_input,reponse,rating", "field response: is missing; rename `reponse`, or map reponse=response"),
    ],
)
def test_a_header_without_what_is_needed(file, header, says):
    with pytest.raises(InputError, match=says):
        load_set(file("set.csv", f"{header}\na,q,r,4\n"), skip_bad=[])


FORMULAS = ["=1+1", "+1 day", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''=1"]


@given(st.text(st.sampled_from("='+-@\t\r 1a,e."), max_size=6))
def test_law_a_cell_is_read_as_the_text_that_was_written(text):
    cell = escape_formula(text)
    assert unescape_formula(cell) == text
    assert not cell.startswith(("=", "@", "\t", "\r"))


@pytest.mark.parametrize("number", ["-1", "+2.5", "-0,5", "-1e-05"])
def test_numbers_stay_numbers(number):
    assert escape_formula(number) == number == unescape_formula(number)


def test_a_set_is_the_same_after_csv_and_no_cell_begins_as_a_formula(tmp_path):
    samples = [
        Sample(id=f"{text}{number}", user_input=f"{text} question", response=f"{text} answer", rating=3)
        for number, text in enumerate(FORMULAS)
    ]
    write_set(samples, tmp_path / "set.csv")
    with (tmp_path / "set.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [(each.id, each.response) for each in load_set(tmp_path / "set.csv")] == [
        (sample.id, sample.response) for sample in samples
    ]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("title", ["Report of September\n\n", "Ratings, of September\n"])
def test_the_delimiter_is_that_of_the_header_below_a_title(tmp_path, delimiter, title):
    path = tmp_path / "a.csv"
    for names, row in (("question answer", None), ("q a", title.count("\n") + 1)):
        lines = [delimiter.join(names.split()), f"Free?{delimiter}Yes, it is."]
        path.write_text(title + "\n".join(lines), encoding="utf-8")
        mapping = {} if row is None else {"q": "user_input", "a": "response"}
        (sample,) = load_set(path, header_row=row, mapping=mapping)
        assert (sample.user_input, sample.response) == ("Free?", "Yes, it is.")
