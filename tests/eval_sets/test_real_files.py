"""What files of people who evaluate chatbots look like: each is read as what it means, or named for what it is."""

import json

import pytest
from case_files import cases_beside
from noted_sets import read

from assay import evaluate
from assay.errors import InputError
from assay.eval_sets import ReadOptions, load_set, read_preferences, read_samples, read_score_files

CASES = cases_beside(__file__)


def rated(*cells, column="rating"):
    return f"question,answer,{column}\n" + "".join(f'Q{n}?,A{n}.,"{cell}"\n' for n, cell in enumerate(cells))


@pytest.mark.parametrize(("messages", "question"), CASES["unanswered"])
def test_a_conversation_without_an_answer_has_an_empty_one(messages, question):
    rows = [{"messages": [{"role": role, "content": text} for role, text in messages]}]
    [sample] = read_samples(rows)
    assert (sample.user_input, sample.response, len(sample.messages)) == (question, "", len(messages))


def test_answers_that_were_never_given_are_counted(tmp_path):
    samples, notes = read(tmp_path / "a.csv", "question,answer,context\nQ?,A.,c\nP?,,c\nO?,  ,c\n")
    assert [sample.response.strip() for sample in samples] == ["A.", "", ""]
    assert notes[1] == "2 rows have no answer and count as an empty one: line 3, line 4"
    traces = [{"id": "t1", "input": "How?", "output": "So.", "userId": "u"}]
    traces += [{"id": "t2", "input": "When?", "output": None, "userId": "u"}]
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(map(json.dumps, traces)), encoding="utf-8")
    assert [(sample.id, sample.response) for sample in load_set(file)] == [("t1", "So."), ("t2", "")]


def test_a_conversation_that_nobody_answered_is_not_resolved():
    rows = [{"id": "a", "language": "en", "messages": [{"role": "user", "content": "Where is my parcel?"}]}]
    asked: list[str] = []
    results = evaluate(rows, "resolved", judge=lambda text: asked.append(text) or "", model="m", progress=False)
    score = results.scores["a"]["resolved"]
    assert (score.status, score.value, score.reason, asked) == ("scored", 0, "the assistant never answers", [])


def test_numbers_of_excel_are_numbers(tmp_path):
    """1.234 beside 990 is no 1,234, as it would be in a text: Excel knows what it holds."""
    from openpyxl import Workbook

    book = Workbook()
    for row in (["question", "answer", "rating"], ["Q?", "A.", 1.234], ["P?", "B.", 990]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert [sample.rating for sample in load_set(tmp_path / "a.xlsx", scale=(0, 1000))] == [1.234, 990]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize(("part", "value"), [("metric", "score"), ("rater", "rating")])
def test_a_column_of_judges_makes_no_answer_two(tmp_path, suffix, part, value):
    """The model is that of the judge: no metric, and no rater, stands twice with one id."""
    rows = [("a", "Q?", "A.", "gpt", "f", 4), ("a", "Q?", "A.", "mistral", "g", 1)]
    rows += [("b", "P?", "B.", "gpt", "f", 5), ("b", "P?", "B.", "mistral", "g", 2)]
    columns = ("id", "question", "answer", "model", part, value)
    text = "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)])
    if suffix == "jsonl":
        text = "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
    samples, _ = read(tmp_path / f"a.{suffix}", text)
    assert [sample.id for sample in samples] == ["a", "b"]
    if part == "rater":
        assert [dict(sample.ratings) for sample in samples] == [{"f": 4, "g": 1}, {"f": 5, "g": 2}]


SLIPS = [("0", "0-5"), ("7", "1-10")]  # a rating among twelve from 1 to 5, and the scale that it alone makes


def slip_note(slip, scale, place="line 8"):
    return f"one rating is {slip} ({place}) and all others lie on 1-5: read as {scale}; if it is a slip, correct it"


@pytest.mark.parametrize(("slip", "scale"), SLIPS)
@pytest.mark.parametrize(("column", "options"), [case for case in CASES["scales"] if "(" not in case[0]])
def test_a_rating_that_alone_decides_the_scale_is_named(tmp_path, column, options, slip, scale):
    cells = ["1", "2", "3", "4", "5", "4.5", slip, "5", "2", "1", "4", "5"]
    samples, notes = read(tmp_path / "a.csv", rated(*cells, column=column), **options)
    assert {f"{sample.rating_min:g}-{sample.rating_max:g}" for sample in samples} == {scale}
    assert notes.count(f"{slip_note(slip, scale)} and say --scale 1-5") == 1
    _, notes = read(
        tmp_path / "a.csv", rated(*cells, column=column), scale=(float(scale[0]), float(scale[2:])), **options
    )
    assert len(notes) == 1


@pytest.mark.parametrize(("slip", "scale"), SLIPS)
def test_a_rating_of_a_message_or_a_rater_that_alone_decides_the_scale_is_named(tmp_path, slip, scale):
    ratings = [1, 2, 3, 4, 5, 4, int(slip), 5, 2, 1, 4, 5]
    said = [[{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "A.", "rating": n}] for n in ratings]
    notes: list[str] = []
    [*_] = read_samples([{"messages": messages} for messages in said], notes=notes)
    assert sum(slip_note(slip, scale, "index 6") in one for one in notes) == 1
    long = "id,question,answer,rater,rating\n" + "".join(f"q{n},Q{n}?,A.,ada,{r}\n" for n, r in enumerate(ratings))
    if scale == "0-5":
        bob = "".join(f"q{n},Q{n}?,A.,bob,{max(1, rating)}\n" for n, rating in enumerate(ratings))
        assert any(slip_note(slip, scale) in one for one in read(tmp_path / "a.csv", long + bob)[1])
    else:
        bob = "".join(f"q{n},Q{n}?,A.,bob,{min(5, rating)}\n" for n, rating in enumerate(ratings))
        with pytest.raises(InputError, match=r"ada 1 to 10, bob 1 to 5; bring them"):
            read(tmp_path / "a.csv", long + bob)


def test_more_than_a_few_ratings_are_no_slips(tmp_path):
    """Of 60 ratings three may be slips (5%), four not."""
    _, notes = read(tmp_path / "a.csv", rated(*["1", "5"] * 28, "0", "0", "0", "3"))
    assert any(note.startswith("3 ratings are 0 (line 58) and all others lie on 1-5") for note in notes)
    _, notes = read(tmp_path / "a.csv", rated(*["1", "5"] * 28, "7", "7", "7", "7"))
    assert [note for note in notes if "slip" in note] == []


@pytest.mark.parametrize(("zeros", "is_told"), [(4, True), (12, True), (13, True), (40, True)])
def test_zeros_beside_ratings_from_one_may_mean_that_nobody_rated(tmp_path, zeros, is_told):
    """Any number of them beside whole ratings up to 5: nothing but the user tells what 0 means."""
    _, notes = read(tmp_path / "a.csv", rated(*["0"] * zeros, *["1", "5"] * 23, *["3"] * (14 - zeros)))
    expected = f"{zeros} ratings are 0 (line 2) and all others lie on 1-5: read as 0-5; if 0 means that nobody rated"
    assert any(note.startswith(expected) for note in notes) == is_told
    assert len(notes) == 1 + is_told


def test_a_second_row_of_names_is_no_answer(tmp_path):
    """Files that were put together have their names twice."""
    path = tmp_path / "a.csv"
    names = "question,answer,context,rating"
    samples, notes = read(path, f"{names}\n{names}\nQ?,A.,c,5\nP?,B.,c,1\n")
    assert [(sample.user_input, sample.rating) for sample in samples] == [("Q?", 5), ("P?", 1)]
    assert "1 row left out that repeats the names of the columns: line 2" in notes
    _, ratings = read_score_files([], path, ReadOptions())
    assert ratings.columns == {"rating": {0: 5.0, 1: 1.0}}


def test_a_named_column_tells_versions_apart(tmp_path):
    text = "id,mode,question,answer\nq1,direct,Q?,A.\nq1,translated,Q?,B.\n"
    with pytest.raises(InputError, match=r'"q1" is the id of line 2 too'):
        read(tmp_path / "a.csv", text)
    path = tmp_path / "a.csv"
    from assay.eval_sets import read_set

    assert [(one.id, one.source) for one in read_set(path, versions="mode", notes=[])] == [
        ("q1@direct", "q1"),
        ("q1@translated", "q1"),
    ]


@pytest.mark.parametrize("encoding", ["gbk", "shift_jis", "cp1251", "cp1250"])
def test_an_encoding_that_is_not_western_gets_no_unfounded_advice(tmp_path, encoding):
    texts = {
        "gbk": "退款要多久？十天。",
        "shift_jis": "営業時間は九時です",
        "cp1251": "Как отменить заказ",
        "cp1250": "zażółć gęślą jaźń",
    }
    (tmp_path / "a.csv").write_bytes(f"question,answer\n{texts[encoding]},{texts[encoding]}\n".encode(encoding))
    with pytest.raises(InputError, match=r"is not UTF-8: save the file as UTF-8.*from the encoding that it is in"):
        load_set(tmp_path / "a.csv")


def test_several_winners_are_several_raters(tmp_path):
    path = tmp_path / "w.csv"
    text = "question_id,model_1,model_2,winner1,winner2\n1,old,new,model_2,model_1\n2,old,new,tie,\n"
    path.write_text(text, encoding="utf-8")
    read_as = [(one.question, one.rater, one.value) for one in read_preferences(path, notes=[])]
    assert read_as == [("1", "1", 1), ("1", "2", -1), ("2", "1", 0)]
    with pytest.raises(InputError, match=r"holds preferences between versions, and no answers"):
        load_set(path)


@pytest.mark.parametrize("keys", ["input output", "inputs outputs", "request response"])
def test_ratings_beside_objects_that_an_application_was_given_and_returned(tmp_path, keys):
    given, returned = keys.split()
    rows = [
        {"id": f"c{n}", given: {"question": f"Q{n}?"}, returned: {"answer": f"A{n}."}, "rating": n, "punten": 6 - n}
        | {"group": "g", "metadata": {"input": "web", "shop": 7}}
        for n in (1, 2, 5)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    samples, _ = read(tmp_path / "a.jsonl", text)
    assert [(one.user_input, one.rating, one.rating_max, one.group) for one in samples] == [
        ("Q1?", 1, 5, "g"),
        ("Q2?", 2, 5, "g"),
        ("Q5?", 5, 5, "g"),
    ]
    told = {"input": {"question": "Q1?"}, "output": {"answer": "A1."}, "metadata.input": "web", "shop": 7, "punten": 5}
    assert samples[0].metadata == told
    mapped, _ = read(tmp_path / "a.jsonl", text, mapping={"punten": "rating"})
    assert [sample.rating for sample in mapped] == [5, 4, 1]


def test_the_first_rows_of_json_have_no_rating(tmp_path):
    """Exports leave out what is null; how many rows do so before the first that is rated says nothing."""
    for unrated in (1, 30):
        rows = [
            {"id": f"k{n // 2}", "question": "Q?", "answer": f"A{n // 2}.", "reviewer": ("ada", "bob")[n % 2]}
            | ({"rating": 1 + n // 2 % 5} if n >= unrated else {})
            for n in range(40)
        ]
        samples, notes = read(tmp_path / "a.json", json.dumps(rows))
        assert len(samples) == 20
        assert {*samples[-1].ratings} == {"ada", "bob"}
        assert "rating as ratings by reviewer (ada, bob)" in notes[0]


def test_merged_cells_of_excel_are_read_in_each_row_that_they_cover(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    for row in (
        ("Ratings of May", None, None, None),
        ("question", "system", "answer", "rating"),
        ("How?", "old", "So.", 4),
        (None, "new", "Thus.", 5),
        ("Where?", "old", "Here.", 2),
        (None, None, "There.", 3),
    ):
        sheet.append(row)
    for cells in ("A1:D1", "A3:A4", "A5:A6", "B5:B6"):
        sheet.merge_cells(cells)
    book.save(tmp_path / "a.xlsx")
    notes: list[str] = []
    samples = load_set(tmp_path / "a.xlsx", notes=notes)
    read = [(sample.user_input, sample.metadata["system"], sample.rating) for sample in samples]
    assert read == [("How?", "old", 4), ("How?", "new", 5), ("Where?", "old", 2), ("Where?", "old", 3)]
    assert f"{tmp_path / 'a.xlsx'}, sheet Sheet: 3 merged cells read in each row that they cover" in notes


def test_replies_without_a_text_are_counted(tmp_path):
    asked = [{"role": "user", "content": "Q"}]
    again = [*asked, {"role": "assistant", "content": "A"}, {"role": "user", "content": "R"}]
    blank = {"role": "assistant", "content": " "}
    called = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]}
    rows = [[*asked, blank], [*again, blank], [*again, called], again, again[:2]]
    text = json.dumps([{"id": str(n), "messages": messages} for n, messages in enumerate(rows)])
    _, notes = read(tmp_path / "a.json", text)
    assert "2 rows have no answer and count as an empty one: row 1, row 2" in notes  # the reply to R says nothing
    assert (
        "1 conversation ends with an empty reply or calls of tools alone: the answer before it is the one under test: "
        "row 3"
    ) in notes
    _, notes = read(tmp_path / "a.json", json.dumps([{"messages": [*asked, called]}, {"messages": [*asked, blank]}]))
    assert "2 rows have no answer and count as an empty one: row 1, row 2" in notes
