"""Every column and cell of a set is accounted for: read as what, kept, empty, or no rating."""

import pytest
from noted_sets import read

from assay.errors import InputError
from assay.eval_sets import load_set, read_samples
from assay.runs import Plan


def test_a_dutch_sheet_with_one_rating_that_is_none(tmp_path):
    samples, notes = read(
        tmp_path / "a.csv",
        "nr;vraag;antwoord;beoordeling;opmerking;leeg\n101;Hoe?;Zo.;4;ok;\n102;Waar?;Daar.;n.v.t.;;\n103;Wie?;Ik.;2,5;;\n",
    )
    assert [(sample.id, sample.rating) for sample in samples] == [("101", 4), ("102", None), ("103", 2.5)]
    assert notes == [
        "read nr as id, vraag as user_input, antwoord as response, beoordeling as rating from 1 to 5 (change with "
        "--map); kept in the metadata: opmerking (reasons); empty: leeg",
        '1 cell of beoordeling without a rating: line 3 "n.v.t."',
    ]


def test_a_column_can_be_mapped_to_the_reasons_of_people(tmp_path):
    text = "vraag,antwoord,cijfer,Notitie\nHoe?,Zo.,4,klopt\nWaar?,Daar.,2,niet volledig\n"
    samples, notes = read(tmp_path / "a.csv", text, mapping={"Notitie": "reason"})
    assert [sample.metadata for sample in samples] == [{"rating_reasons": "klopt"}, {"rating_reasons": "niet volledig"}]
    assert notes == [
        "read vraag as user_input, antwoord as response, cijfer as rating from 1 to 5, Notitie as "
        "metadata.rating_reasons (change with --map)"
    ]


def test_a_rating_that_is_a_word_is_an_error_with_its_line(tmp_path):
    with pytest.raises(
        InputError, match=r'line 4, field rating \(column beoordeling\): "goed" is not a number; write 4'
    ):
        read(tmp_path / "a.csv", "vraag,antwoord,beoordeling\na,b,4\nc,d,2\ne,f,goed\n")


def test_columns_of_raters_go_before_a_column_that_may_be_a_metric(tmp_path):
    """Bob never gave less than 2: both columns have the scale of all their values."""
    samples, notes = read(
        tmp_path / "a.csv", "question,answer,rating_ada,Rating Bob,score\na,b,4,5,0.1\nc,d,-,3,0.2\ne,f,1,2,3.5\n"
    )
    assert [dict(sample.ratings) for sample in samples] == [{"ada": 4, "Bob": 5}, {"Bob": 3}, {"ada": 1, "Bob": 2}]
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(1, 5)}
    assert notes == [
        "read question as user_input, answer as response, rating_ada as ratings.ada from 1 to 5, Rating Bob as "
        "ratings.Bob from 1 to 5 (change with --map); kept in the metadata: score (the ratings are those of "
        "rating_ada; --map score=rating uses it)",
        '1 cell of rating_ada without a rating: line 3 "-"',
    ]


CURE = "if they are ratings, --map it to rating, with --scale LOW-HIGH"


@pytest.mark.parametrize(
    ("values", "scale", "why"),
    [
        (["-2", "2", "0"], (-2, 2), ""),
        (["-0.4", "0.9", "0.1"], None, f"its values run from -0.4 to 0.9, which is no usual scale; {CURE}"),
        (["4", "4", "4"], None, f"all its values are 4, which tells no scale; {CURE}"),
        (
            ["goed", "slecht", "3"],
            None,
            'most of its values are no numbers, such as "goed"; if they are ratings, write numbers',
        ),
    ],
)
def test_a_column_of_ratings_on_another_scale(tmp_path, values, scale, why):
    rows = "".join(f"q{n},a{n},{value}\n" for n, value in enumerate(values))
    samples, (note,) = read(tmp_path / "a.csv", f"vraag,antwoord,beoordeling\n{rows}")
    if scale:
        assert {(sample.rating_min, sample.rating_max) for sample in samples} == {scale}
        assert "beoordeling as rating from -2 to 2" in note
    else:
        assert {sample.rating for sample in samples} == {None}
        assert note.endswith(f"kept in the metadata: beoordeling ({why})")


def test_two_files_may_number_their_rows_alike(tmp_path):
    for name in ("jan", "feb"):
        (tmp_path / f"{name}.csv").write_text("nr,question,answer\n1,a,b\n2,c,d\n", encoding="utf-8")
    plan = Plan(sets=(str(tmp_path / "jan.csv"), str(tmp_path / "feb.csv")), metrics=("token_overlap",))
    assert [sample.id for sample in plan.samples()] == ["jan-1", "jan-2", "feb-1", "feb-2"]


def test_a_ticket_that_stands_twice_is_no_id(tmp_path):
    samples, (note,) = read(tmp_path / "a.csv", "Ticket,question,answer\n7,a,b\n8,c,d\n7,e,f\n")
    assert [sample.id for sample in samples] == ["a-1", "a-2", "a-3"]
    assert note.endswith('kept in the metadata: Ticket (it names line 2 and line 4 "7")')


def test_errors_of_excel_are_named(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["question", "answer", "rating"], ["q", "#REF!", 4], ["r", "#1 in the list", 1], ["s", "b", "#N/A"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    notes: list[str] = []
    samples = load_set(tmp_path / "a.xlsx", notes=notes)
    assert [(sample.response, sample.rating) for sample in samples] == [
        ("#REF!", 4),
        ("#1 in the list", 1),
        ("b", None),
    ]
    assert "2 cells with an error of Excel, read as they stand: B2 #REF!, C4 #N/A; correct" in notes[0]


def test_two_columns_of_one_rater_are_an_error_unless_one_is_mapped(tmp_path):
    text = "vraag,antwoord,Beoordeling Jan,Cijfer Jan\na,b,4,2\nc,d,1,5\n"
    with pytest.raises(
        InputError, match=r"`Beoordeling Jan` and `Cijfer Jan` are both read as the ratings of Jan; rename one of them"
    ):
        read(tmp_path / "a.csv", text)
    samples, _ = read(tmp_path / "a.csv", text, mapping={"Cijfer Jan": "group"})
    assert [dict(sample.ratings) for sample in samples] == [{"Jan": 4}, {"Jan": 1}]


@pytest.mark.parametrize(
    ("ada", "bob", "listed"),
    [
        ("-2 0 2", "1 5 3", "rating_ada -2 to 2, rating_bob 1 to 5"),
        ("1 5 3", "100 0 40", "rating_ada 1 to 5, rating_bob 0 to 100"),
        ("1 5 3", "100 100 100", "rating_ada 1 to 5, rating_bob only 100"),
    ],
)
def test_raters_on_different_scales_are_an_error(tmp_path, ada, bob, listed):
    rows = "".join(f"q{a}{b},a,{a},{b}\n" for a, b in zip(ada.split(), bob.split(), strict=True))
    path = tmp_path / "a.csv"
    with pytest.raises(InputError, match=f"the raters' columns are on different scales: {listed}; bring them to one"):
        read(path, f"question,answer,rating_ada,rating_bob\n{rows}")
    stated = rows.replace("\n", ",0,100\n").replace("-2", "2")
    samples, _ = read(path, f"question,answer,rating_ada,rating_bob,rating_min,rating_max\n{stated}")
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(0, 100)}
    assert samples[0].ratings["bob"] == float(bob.split(maxsplit=1)[0])


@pytest.mark.parametrize(
    ("ada", "bob", "scale"),
    [("5 5 5", "1 4 3", (1, 5)), ("2 5 4", "5 0 3", (0, 5)), ("9 9 9", "3 8 7", (1, 10)), ("1 5 2", "0 4 4", (0, 5))],
)
def test_a_rater_who_gave_few_numbers_has_the_scale_of_the_others(tmp_path, ada, bob, scale):
    """In columns of their own, and in rows of their own."""
    pairs = list(zip(ada.split(), bob.split(), strict=True))
    wide = "".join(f"q{a}{b},a,{a},{b}\n" for a, b in pairs)
    long = "".join(f"q{n},a,b{n},ada,{a}\nq{n},a,b{n},bob,{b}\n" for n, (a, b) in enumerate(pairs))
    for text in (f"question,answer,rating_ada,rating_bob\n{wide}", f"id,question,answer,rater,rating\n{long}"):
        samples, _ = read(tmp_path / "a.csv", text)
        assert {(sample.rating_min, sample.rating_max) for sample in samples} == {scale}
        assert [sample.ratings["ada"] for sample in samples] == [float(value) for value in ada.split()]


def test_the_links_in_a_column_of_texts_stay_in_the_metadata(tmp_path):
    samples, notes = read(
        tmp_path / "a.csv", "vraag,antwoord,bron\na,b,https://x.nl/faq\nc,d,De cursus is gratis.\ne,f,faq.html\ng,h,\n"
    )
    assert [sample.retrieved_contexts for sample in samples] == [(), ("De cursus is gratis.",), (), ()]
    assert [sample.metadata for sample in samples][2] == {"bron": "faq.html"}
    _, notes = read(tmp_path / "b.csv", "vraag,antwoord,bron\na,b,faq.html\n")
    assert len(notes) == 1 and notes[0].endswith("kept in the metadata: bron")


@pytest.mark.parametrize("word", ["#N/B", "#N/V", "#NV"])
def test_what_excel_writes_for_no_value_is_no_rating(tmp_path, word):
    samples, notes = read(tmp_path / "a.csv", f"question,answer,beoordeling\na,b,4\nc,d,{word}\ne,f,1\n")
    assert [sample.rating for sample in samples] == [4, None, 1]
    assert notes[1] == f'1 cell of beoordeling without a rating: line 3 "{word}"'


@pytest.mark.parametrize("title", [["Ratings of March"], ["Ratings of March", "Ann", "2026"]])
def test_a_title_above_the_names_of_the_columns(tmp_path, title):
    from openpyxl import Workbook

    book = Workbook()
    for row in (title, ["question", "answer", "rating"], ["q", "a", 4]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    notes: list[str] = []
    [sample] = load_set(tmp_path / "a.xlsx", notes=notes)
    assert (sample.user_input, sample.response, sample.rating) == ("q", "a", 4)
    assert notes[0] == f"{tmp_path / 'a.xlsx'}: row 2 names the columns; 1 row above it left out"


def test_a_named_index_is_a_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"ticket": ["T7", "T8"], "question": ["a", "c"], "answer": ["b", "d"]})
    assert [sample.id for sample in read_samples(frame.set_index("ticket"))] == ["T7", "T8"]
    two = frame.assign(team="x").set_index(["team", "ticket"])
    assert [(sample.id, sample.metadata) for sample in read_samples(two)] == [
        ("T7", {"team": "x"}),
        ("T8", {"team": "x"}),
    ]


@pytest.mark.parametrize(
    ("columns", "read_as"),
    [
        ("question,answer_a,answer_b", "question as user_input, answer_a as response, answer_b as other_response"),
        ("question,response_a,response_b", "question as user_input, response_a as response, response_b as other_re"),
        ("vraag,antwoord,ander_antwoord", "vraag as user_input, antwoord as response, ander_antwoord as other_resp"),
        ("Frage,Antwort,Andere Antwort", "Frage as user_input, Antwort as response, Andere Antwort as other_response"),
    ],
)
def test_a_second_answer_is_read(tmp_path, columns, read_as):
    (sample,), notes = read(tmp_path / "a.csv", f"{columns}\nFree?,Yes.,No.\n")
    assert (sample.response, sample.other_response) == ("Yes.", "No.")
    assert notes[0].startswith(f"read {read_as}")


_ADA, _BOB = (1, 5, 3, 4, 2, 4), (20, 100, 60, 80, 40, 80)
_LONG = "id,question,answer,rater,rating\n" + "".join(
    f"q{n},a,b{n},ada,{a}\nq{n},a,b{n},bob,{b}\n" for n, (a, b) in enumerate(zip(_ADA, _BOB, strict=True))
)
_OF_VERSIONS = "id,system,question,answer,rater,rating\n" + "".join(
    f"q{n},old,a,b{n},ada,{a}\nq{n},new,a,c{n},bob,{b}\n" for n, (a, b) in enumerate(zip(_ADA, _BOB, strict=True))
)
_OBJECTS = "".join(
    f'{{"question": "q{n}", "answer": "a", "ratings": {{"ada": {a}, "bob": {b}}}}}\n'
    for n, (a, b) in enumerate(zip(_ADA, _BOB, strict=True))
)


@pytest.mark.parametrize(("name", "text"), [("a.csv", _LONG), ("a.csv", _OF_VERSIONS), ("a.jsonl", _OBJECTS)])
def test_raters_of_every_form_are_on_one_scale(tmp_path, name, text):
    with pytest.raises(InputError, match="the raters are on different scales: ada 1 to 5, bob 0 to 100; bring them"):
        read(tmp_path / name, text)
    samples, _ = read(tmp_path / name, text, scale=(0, 100))
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(0, 100)}


@pytest.mark.parametrize(
    ("ratings", "problem"),
    [
        ([4, 2, 5, 1, 55, 3], r"line 6, field rating: 55 is outside the scale 1-5; correct it, or say the scale"),
        ([7, 8, 3, 10, 100], r"line 6, field rating: 100 is outside the scale 1-10"),
        ([1, 2, 3.5, 5, 44, 44], r"line 6, field rating: 44 is outside the scale 1-5"),
        ([-2, 0, 1, 2, -1, 99], r"line 7, field rating: 99 is outside the scale -2-2"),
        ([0, 1, 5, 2, 0.5, -1], r"line 7, field rating: -1 is outside the scale 0-5"),
        ([4, 2, 99, 5, 1, 99, 3], r"line 4, field rating: 99 is outside the scale 1-5"),
        ([*[5] * 11, 55], r"line 13, field rating: 55 is outside the scale 1-5"),
        ([4, 2, 5, 1, -1, -1], r"line 6, field rating: -1 is outside the scale 1-5"),
    ],
)
def test_one_mistyped_rating_does_not_move_the_scale_of_a_small_set(tmp_path, ratings, problem):
    rows = "".join(f"q{n},a{n},{rating}\n" for n, rating in enumerate(ratings))
    with pytest.raises(InputError, match=problem):
        read(tmp_path / "a.csv", f"question,answer,rating\n{rows}")


@pytest.mark.parametrize(
    ("ratings", "scale"),
    [([1, 2, 3, 4, 5, 7], (1, 10)), ([3, 60, 80, 100], (0, 100)), ([*([-1, 0, 1, 1] * 6), -2], (-2, 2))],
)
def test_a_rating_that_may_be_of_a_longer_scale_is_no_mistake(tmp_path, ratings, scale):
    rows = "".join(f"q{n},a{n},{rating}\n" for n, rating in enumerate(ratings))
    samples, _ = read(tmp_path / "a.csv", f"question,answer,rating\n{rows}")
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {scale}


def test_a_rater_of_whom_all_ratings_became_dates_is_named(tmp_path):
    text = "question,answer,rating_ann,rating_bob\na,b,5-Mar,4\nc,d,1-Feb,1\n"
    with pytest.raises(InputError, match=r'line 2, field ratings \(column rating_ann\): "5-Mar" is a date'):
        read(tmp_path / "a.csv", text)


def test_formulas_that_were_never_computed_are_named(tmp_path):
    """openpyxl writes formulas and computes none, as many exports do."""
    from openpyxl import Workbook
    from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

    book = Workbook()
    for row in (
        ["question", "answer", "rating"],
        ["q", "a", 4],
        ["r", '=CONCAT("x","y")', "=1+1"],
        ["s", "b", ArrayFormula("C4", "=SUM(A1:A2)")],
        ["t", "c", DataTableFormula("C5", r1="A1")],
    ):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    notes: list[str] = []
    samples = load_set(tmp_path / "a.xlsx", notes=notes)
    assert [(sample.response, sample.rating) for sample in samples] == [("a", 4), ("", None), ("b", None), ("c", None)]
    assert "has formulas without a value, read as empty; open the file in Excel and save it" in notes[0]
