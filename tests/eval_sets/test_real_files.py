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


@pytest.mark.parametrize(("cells", "ratings", "scale"), CASES["numbers"])
def test_one_rule_for_the_numbers_of_a_column(tmp_path, cells, ratings, scale):
    if scale is None:
        samples, _ = read(tmp_path / "a.csv", rated(*cells), scale=(0, 1000))
    else:
        samples, _ = read(tmp_path / "a.csv", rated(*cells))
        assert {(sample.rating_min, sample.rating_max) for sample in samples if sample.rating is not None} == {
            tuple(scale)
        }
    assert [sample.rating for sample in samples] == ratings


@pytest.mark.parametrize(("cells", "says"), CASES["unclear_numbers"])
def test_a_number_that_nothing_tells_is_an_error_with_its_line(tmp_path, cells, says):
    with pytest.raises(InputError, match=says) as error:
        read(tmp_path / "a.csv", rated(*cells))
    assert error.value.is_of_row


def test_numbers_of_excel_are_numbers(tmp_path):
    """1.234 beside 990 is no 1,234, as it would be in a text: Excel knows what it holds."""
    from openpyxl import Workbook

    book = Workbook()
    for row in (["question", "answer", "rating"], ["Q?", "A.", 1.234], ["P?", "B.", 990]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert [sample.rating for sample in load_set(tmp_path / "a.xlsx", scale=(0, 1000))] == [1.234, 990]


LONG = """question,answer,metric,score
Q?,A.,faithfulness,0.3
Q?,A.,toxicity,0.1
P?,B.,faithfulness,0.9
P?,B.,toxicity,
"""


def test_scores_of_metrics_are_no_ratings_and_one_answer_is_one(tmp_path):
    samples, notes = read(tmp_path / "a.csv", LONG)
    assert [(sample.user_input, sample.rating) for sample in samples] == [("Q?", None), ("P?", None)]
    assert samples[0].metadata == {"scores": {"faithfulness": "0.3", "toxicity": "0.1"}}
    assert notes[0].startswith("4 rows with one score each, of 2 answers: faithfulness, toxicity are the scores")


_EVIDENCE = """{id},question,answer,metric,value,evidence,usage
a,Q?,A.,faithfulness,0.5,page 3,12
a,Q?,A.,toxicity,0.1,page 3,12
"""


def test_columns_beside_the_scores_are_kept_but_where_a_run_wrote_them(tmp_path):
    scores = {"scores": {"faithfulness": "0.5", "toxicity": "0.1"}}
    [sample], notes = read(tmp_path / "a.csv", _EVIDENCE.format(id="id"))
    assert sample.metadata == {"evidence": "page 3", "usage": "12"} | scores
    assert notes[1].endswith("kept in the metadata: evidence, usage")
    [sample], _ = read(tmp_path / "a.csv", _EVIDENCE.format(id="sample"))
    assert sample.metadata == scores


@pytest.mark.parametrize("name", ["id", "sample"])
def test_a_column_beside_the_scores_is_read_as_it_is_mapped(tmp_path, name):
    mapping = {"evidence": "retrieved_contexts"}
    [sample], _ = read(tmp_path / "a.csv", _EVIDENCE.format(id=name), mapping=mapping)
    assert (sample.id, sample.retrieved_contexts) == ("a", ("page 3",))
    mapping = {"foo": "user_input", "bar": "response"}
    text = "id,foo,bar,metric,value\na,Q?,A.,faithfulness,0.5\na,Q?,A.,toxicity,0.1\n"
    [sample], _ = read(tmp_path / "a.csv", text, mapping=mapping)
    assert (sample.user_input, sample.response) == ("Q?", "A.")
    text = "id,question,answer,rater,given\na,Q?,A.,ann,4\na,Q?,A.,bob,2\n"
    [sample], _ = read(tmp_path / "a.csv", text, mapping={"given": "rating"})
    assert sample.ratings == {"ann": 4, "bob": 2}


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


def test_versions_that_a_metric_scored_each_are_answers_of_their_own(tmp_path):
    rows = "a,Q?,A.,old,f,0.5\na,Q?,A.,new,f,0.1\na,Q?,A.,old,g,0.2\na,Q?,A.,new,g,0.3\n"
    samples, _ = read(tmp_path / "a.csv", f"id,question,answer,system,metric,score\n{rows}")
    assert {sample.id: sample.metadata["scores"] for sample in samples} == {
        "a@old": {"f": "0.5", "g": "0.2"},
        "a@new": {"f": "0.1", "g": "0.3"},
    }


@pytest.mark.parametrize(("column", "options"), CASES["scales"])
def test_one_scale_for_every_way_of_naming(tmp_path, column, options):
    text = rated("0", "1", "2", "0", "1", column=column)
    samples, notes = read(tmp_path / "a.csv", text, **options)
    top = 2 if "(" in column else 5
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(0, top)}
    assert ("no rating is above 2: if that is the scale say --scale 0-2" in notes) == (top == 5)
    samples, notes = read(tmp_path / "a.csv", text, scale=(0, 2), **options)
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(0, 2)} and len(notes) == 1


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


@pytest.mark.parametrize(("zeros", "is_told"), [(4, True), (6, True), (12, True), (13, False)])
def test_zeros_beside_ratings_from_one_may_mean_that_nobody_rated(tmp_path, zeros, is_told):
    """Of 60 ratings up to 12 (a fifth): where more are, 0 is a rating as any."""
    _, notes = read(tmp_path / "a.csv", rated(*["0"] * zeros, *["1", "5"] * 23, *["3"] * (14 - zeros)))
    expected = f"{zeros} ratings are 0 (line 2) and all others lie on 1-5: read as 0-5; if 0 means that nobody rated"
    assert any(note.startswith(expected) for note in notes) == is_told
    assert len(notes) == 1 + is_told


def test_a_told_scale_that_a_rating_is_off_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"line 3, field rating: 3 is outside the scale 0-2"):
        read(tmp_path / "a.csv", rated("1", "3"), scale=(0, 2))


@pytest.mark.parametrize(("cells", "expected", "says"), CASES["labels"])
def test_labels_with_two_values_are_one_and_nought(tmp_path, cells, expected, says):
    samples, notes = read(tmp_path / "a.csv", rated(*cells, column="label"))
    assert [sample.rating for sample in samples] == (expected or [None] * len(cells))
    assert says in notes[0]


@pytest.mark.parametrize(("row", "says"), CASES["no_answers"])
def test_rows_that_are_no_answers_are_left_out_and_named(tmp_path, row, says):
    text = f"question,answer,context,rating\nQ?,A.,c,5\nP?,B.,c,1\n{row}\n"
    samples, notes = read(tmp_path / "a.csv", text)
    assert [sample.rating for sample in samples] == [5, 1]
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(1, 5)}
    assert says in notes


def test_a_second_row_of_names_is_no_answer(tmp_path):
    """Files that were put together have their names twice."""
    path = tmp_path / "a.csv"
    names = "question,answer,context,rating"
    samples, notes = read(path, f"{names}\n{names}\nQ?,A.,c,5\nP?,B.,c,1\n")
    assert [(sample.user_input, sample.rating) for sample in samples] == [("Q?", 5), ("P?", 1)]
    assert "1 row left out that repeats the names of the columns: line 2" in notes
    _, ratings = read_score_files([], path, ReadOptions())
    assert ratings.columns == {"rating": {0: 5.0, 1: 1.0}}


@pytest.mark.parametrize(
    "ours", ["generated_answer", "Bot answer", "antwoord_bot", "Antwort des Bots", "chatbot_response"]
)
def test_the_answer_that_is_called_the_bots_is_under_test_beside_a_plain_one(tmp_path, ours):
    samples, notes = read(tmp_path / "a.csv", f"question,answer,{ours}\nQ?,Right.,Bot.\nP?,Right.,Bot.\n")
    assert [sample.response for sample in samples] == ["Bot."] * 2
    assert "kept in the metadata: answer" in notes[0]


def test_a_decision_is_proposed_as_the_rating(tmp_path):
    _, notes = read(tmp_path / "a.csv", "question,answer,is_correct\nQ?,A.,TRUE\nP?,B.,FALSE\n")
    assert notes[1] == "no column is read as a rating; if these are your team's: --map is_correct=rating"


@pytest.mark.parametrize("label", ["Average", "Total"])
def test_a_label_of_a_total_need_not_stand_first(tmp_path, label):
    samples, notes = read(tmp_path / "a.csv", f"rating,question,answer\n5,Q?,A.\n1,Total cost?,\n30,{label},\n")
    assert [(sample.user_input, sample.rating, sample.rating_max) for sample in samples] == [
        ("Q?", 5, 5),
        ("Total cost?", 1, 5),
    ]
    assert f"1 row left out that sums up others ({label}): line 4" in notes


def test_a_row_that_is_no_answer_decides_nothing(tmp_path):
    """Its other columns are not even told as filled, and its id is no other row's."""
    text = "ticket,question,answer,team,rating\n7,Q?,A.,,5\n8,P?,B.,,2\n7,,,web,30\n"
    samples, notes = read(tmp_path / "a.csv", text)
    assert [(sample.id, sample.rating, sample.rating_max) for sample in samples] == [("7", 5, 5), ("8", 2, 5)]
    assert "ticket as id" in notes[0] and "empty: team" in notes[0]


def test_a_file_without_any_question_says_so(tmp_path):
    with pytest.raises(InputError, match=r"none of its rows is an answer: 2 rows left out that have no question"):
        read(tmp_path / "a.csv", "question,answer\n,A.\n,B.\n")


@pytest.mark.parametrize(("cell", "contexts"), CASES["passages"])
def test_blank_passages_and_printed_documents(tmp_path, cell, contexts):
    quoted = cell.replace('"', '""')
    samples, _ = read(tmp_path / "a.csv", f'question,answer,retrieved_contexts\nQ?,A.,"{quoted}"\n')
    assert samples[0].retrieved_contexts == tuple(contexts)


@pytest.mark.parametrize(("header", "says"), CASES["hints"])
def test_a_hint_never_names_a_column_with_another_role(tmp_path, header, says):
    with pytest.raises(InputError, match=says):
        read(tmp_path / "a.csv", f"{header}\na,b,c\n")


def test_brackets_in_a_header_are_no_person(tmp_path):
    samples, _ = read(tmp_path / "a.csv", rated("5", "1", column="Beoordeling (Jan)"))
    assert [(sample.rating, dict(sample.ratings)) for sample in samples] == [(5, {}), (1, {})]
    text = "question,answer,Cijfer (Jan),Cijfer (Piet)\nQ?,A.,5,1\nP?,B.,1,2\n"
    samples, notes = read(tmp_path / "a.csv", text)
    assert {sample.human_rating for sample in samples} == {None}
    assert "Cijfer (Jan) (another rating; --map 'Cijfer (Jan)=rating' uses it)" in notes[0]


def test_columns_of_one_rater_are_joined_where_they_say_the_same(tmp_path):
    text = "question,answer,rating_anja,Cijfer Anja\nQ?,A.,5,\nP?,B.,,1\nO?,C.,2,2\n"
    samples, _ = read(tmp_path / "a.csv", text)
    assert [dict(sample.ratings) for sample in samples] == [{"anja": 5}, {"anja": 1}, {"anja": 2}]


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


def test_a_missing_group_is_none(tmp_path):
    samples, _ = read(tmp_path / "a.csv", "id,question,answer,group\n1,Q?,A.,nan\n2,P?,B.,n/a\n3,O?,C.,g\n")
    assert [sample.source for sample in samples] == ["1", "2", "g"]


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


DEEPEVAL = {
    "testRunData": {"testCases": [{"name": "t0", "input": "Q?", "actualOutput": "A.", "retrievalContext": ["c"]}]}
}
PROMPTFOO = {"evalId": "e", "results": {"version": 3, "results": [
    {"testIdx": 0, "vars": {"question": "Q?", "context": "c"}, "provider": {"id": name}, "response": {"output": text},
     "success": True, "score": 1, "namedScores": {"rubric": 0.8}}
    for name, text in (("p1", "A."), ("p2", "B."))]}}  # fmt: skip


def test_runs_of_other_tools(tmp_path):
    for name, document in (("d.json", DEEPEVAL), ("p.json", PROMPTFOO)):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    [case] = load_set(tmp_path / "d.json")
    assert (case.id, case.user_input, case.response, case.retrieved_contexts) == ("t0", "Q?", "A.", ("c",))
    first, second = load_set(tmp_path / "p.json")
    assert [(one.id, one.response, one.source) for one in (first, second)] == [("0@p1", "A.", "0"), ("0@p2", "B.", "0")]
    assert first.metadata["scores"] == {"rubric": 0.8, "promptfoo": 1}
    assert first.retrieved_contexts == ("c",) and first.rating is None


def test_contexts_in_numbered_columns_and_several_references(tmp_path):
    header = "question,answer,Context 2,context_1,ground_truths"
    text = f"{header}\nQ?,A.,second,first,\"['5 euro']\"\nP?,B.,,only,\"['x', 'y']\"\n"
    one, two = read(tmp_path / "a.csv", text)[0]
    assert (one.retrieved_contexts, one.reference) == (("first", "second"), "5 euro")
    assert (two.retrieved_contexts, two.reference) == (("only",), "x\ny")


def test_several_winners_are_several_raters(tmp_path):
    path = tmp_path / "w.csv"
    text = "question_id,model_1,model_2,winner1,winner2\n1,old,new,model_2,model_1\n2,old,new,tie,\n"
    path.write_text(text, encoding="utf-8")
    read_as = [(one.question, one.rater, one.value) for one in read_preferences(path, notes=[])]
    assert read_as == [("1", "1", 1), ("1", "2", -1), ("2", "1", 0)]
    with pytest.raises(InputError, match=r"holds preferences between versions, and no answers"):
        load_set(path)


def test_where_the_names_of_the_columns_stand(tmp_path):
    titled = "Ratings of March,,\n,,\nQuestion,Answer,Rating\nQ?,A.,4\n"
    samples, notes = read(tmp_path / "a.csv", titled)
    assert (samples[0].user_input, samples[0].rating) == ("Q?", 4)
    assert notes[0] == "line 3 names the columns; 1 line above it left out"
    assert [one.user_input for one in load_set(tmp_path / "a.csv", header_row=3)] == ["Q?"]
    with pytest.raises(InputError, match="line 2 is empty, or inside a row"):
        load_set(tmp_path / "a.csv", header_row=2)
    bare = "How do I cancel?,Under My orders.\nIs it free?,Yes.\n"
    with pytest.raises(InputError, match=r"line 1 was read as the names of the columns.*--header-row 0"):
        read(tmp_path / "b.csv", bare)
    mapping = {"column 1": "user_input", "column 2": "response"}
    assert len(load_set(tmp_path / "b.csv", header_row=0, mapping=mapping)) == 2


def test_ratings_of_several_people_in_rows_of_their_own_are_of_one_answer(tmp_path):
    header = "question_id,question,answer,annotator,rating"
    rows = "q1,Q?,A.,ann,5\nq1,Q?,A.,bob,4\nq2,P?,B.,ann,1\nq2,P?,B.,bob,n/a\n"
    samples, notes = read(tmp_path / "a.csv", f"{header}\n{rows}")
    assert [(one.id, dict(one.ratings)) for one in samples] == [("q1", {"ann": 5, "bob": 4}), ("q2", {"ann": 1})]
    assert notes[0] == "4 rows with one rating each, of 2 answers: rating as ratings by annotator (ann, bob)"
    once = f"{header}\nq1,Q?,A.,ann,5\nq2,P?,B.,bob,1\n"
    once_read, once_notes = read(tmp_path / "b.csv", once)
    assert [dict(one.ratings) for one in once_read] == [{"ann": 5}, {"bob": 1}]
    assert "annotator as rater" in once_notes[0]


@pytest.mark.parametrize(("header", "row", "says"), CASES["other_teams"])
def test_the_columns_of_other_teams(tmp_path, header, row, says):
    path = tmp_path / "export.csv"
    path.write_text(f"{header}\n{row}\n", encoding="utf-8-sig")
    notes: list[str] = []
    (sample,) = load_set(path, notes=notes)
    assert sample.user_input
    assert any(says in note for note in notes), notes


def test_a_json_object_of_columns_or_around_rows(tmp_path):
    path = tmp_path / "a.json"
    for columns, answers in (
        ({"question": ["Free?", "When?"], "answer": ["Yes.", "May."]}, [("Free?", "Yes."), ("When?", "May.")]),
        ({"question": {"0": "Free?"}, "answer": {"0": "Yes."}}, [("Free?", "Yes.")]),
    ):
        path.write_text(json.dumps(columns), encoding="utf-8")
        assert [(sample.user_input, sample.response) for sample in load_set(path)] == answers
    path.write_text(json.dumps({"results": [{"question": "Free?", "answer": "Yes."}], "run": 3}), encoding="utf-8")
    (sample,) = load_set(path)
    assert (sample.user_input, sample.metadata) == ("Free?", {"of_results": {"run": 3}})


def test_a_log_of_calls_of_a_model(tmp_path):
    path = tmp_path / "calls.jsonl"
    spoken = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Free?"}]
    answer = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}
    path.write_text(json.dumps({"request": {"messages": spoken}, "response": answer}), encoding="utf-8")
    (sample,) = load_set(path)
    assert (sample.user_input, sample.response, sample.policy) == ("Free?", "Yes.", "Be short.")


def test_labels_in_rows_of_messages_have_one_rule(tmp_path):
    path = tmp_path / "tickets.csv"
    spoken = "{0},user,Q,\n{0},bot,A,{1}\n"
    path.write_text(f"ticket,role,comment,csat\n{spoken.format(1, 'good')}{spoken.format(2, 'bad')}", encoding="utf-8")
    notes: list[str] = []
    samples = load_set(path, notes=notes)
    assert [sample.messages[1].rating for sample in samples] == [1, 0]
    assert {(sample.rating_min, sample.rating_max) for sample in samples} == {(0, 1)}
    assert any("csat as rating, good is 1 and bad is 0" in note for note in notes)


def test_objects_that_an_application_was_given_and_returned(tmp_path):
    path = tmp_path / "runs.jsonl"
    rows = [
        {"id": 1, "input": {"question": "Free?"}, "output": {"answer": "Yes."}, "expected": "Yes.", "cost": 3},
        {"id": 2, "input": {"question": "When?"}, "output": None, "cost": 4},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    notes: list[str] = []
    first, second = load_set(path, notes=notes)
    assert (first.id, first.user_input, first.response, first.reference) == ("1", "Free?", "Yes.", "Yes.")
    assert (second.user_input, second.response, second.metadata["cost"]) == ("When?", "", 4)
    assert not any("LangSmith" in note for note in notes)
    assert notes[0].endswith(
        "read input as user_input, output as response, id, reference, metadata (change with --map); kept in the "
        "metadata: expected, cost"
    )


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


def test_the_policy_in_a_request_of_anthropic(tmp_path):
    asked = {"system": [{"type": "text", "text": "Be short."}], "messages": [{"role": "user", "content": "Free?"}]}
    answered = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    (sample,), _ = read(tmp_path / "a.json", json.dumps({"request": asked, "response": answered}))
    assert (sample.user_input, sample.response, sample.policy) == ("Free?", "Yes.", "Be short.")


def test_the_column_of_the_rater_is_mapped(tmp_path):
    text = "id,question,answer,wie,rating\na,Q,A,ada,1\na,Q,A,bob,4\nb,R,B,ada,5\n"
    with pytest.raises(
        InputError, match=r"line 3, .*of several raters say which column names them \(--map COLUMN=rater"
    ):
        read(tmp_path / "a.csv", text)
    samples, _ = read(tmp_path / "a.csv", text, mapping={"wie": "rater"})
    assert [dict(sample.ratings) for sample in samples] == [{"ada": 1, "bob": 4}, {"ada": 5}]
    with pytest.raises(InputError, match="map wi=rater: there is no column `wi`; did you mean wie=rater"):
        read(tmp_path / "a.csv", text, mapping={"wi": "rater"})
    one, _ = read(
        tmp_path / "b.csv", "id,question,answer,wie,rating\na,Q,A,ada,1\nb,R,B,bob,5\n", mapping={"wie": "rater"}
    )
    assert [(dict(sample.ratings), sample.metadata) for sample in one] == [({"ada": 1}, {}), ({"bob": 5}, {})]


@pytest.mark.parametrize("second", ["", "c,S,C,6,bob\n"], ids=["once", "twice"])
def test_who_rated_is_read_from_its_column_with_one_row_per_answer_as_with_several(second, tmp_path):
    """The header tells the scale, a rating without a name is the file's, and a row without one keeps the cell."""
    rows = "a,Q,A,1,ada\nb,R,B,2,\nc,S,C,4,ADA\n"
    samples, notes = read(tmp_path / "a.csv", f"id,question,answer,Rating (1-10),rater\n{rows}{second}d,T,D,,bob\n")
    ratings = [one.ratings or {"file": one.rating} for one in samples]
    assert ratings[:3] == [{"ada": 1}, {"file": 2}, {"ada": 4} | ({"bob": 6} if second else {})]
    assert samples[3].human_rating is None
    assert {(one.rating_min, one.rating_max) for one in samples[:3]} == {(1, 10)}
    assert any("rater" in note and "kept" not in note for note in notes)


def test_a_second_rating_that_names_nobody_is_an_error(tmp_path):
    text = "id,question,answer,rating,rater\na,Q,A,1,ada\na,Q,A,3,bob\na,Q,A,2,\na,Q,A,5,\n"
    with pytest.raises(InputError, match="line 5, field rater: file stands at line 4 too, with this answer"):
        read(tmp_path / "a.csv", text)


@pytest.mark.parametrize("second", ["", "a,Q,A,2,bob\n"], ids=["once", "twice"])
def test_ratings_by_rater_whose_column_says_that_low_is_good_are_refused(second, tmp_path):
    text = f"id,Frage,Antwort,Schulnote,Bewerter\na,Q,A,1,ada\n{second}b,R,B,6,ada\n"
    with pytest.raises(InputError, match="the column Schulnote says that its low end is good"):
        read(tmp_path / "a.csv", text, mapping={"Schulnote": "rating"})


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


@pytest.mark.parametrize("header", ["id,version", "Fall,Fassung", "Ticket,Version"])
def test_answers_of_versions_to_one_question_are_told_apart(tmp_path, header):
    text = f"{header},question,answer,rating\n1,A,q,a,4\n1,B,q,b,5\n2,A,r,a,4\n2,B,r,b,3\n"
    samples, _ = read(tmp_path / "a.csv", text)
    assert [(sample.id, sample.group) for sample in samples] == [
        ("1@A", "1"),
        ("1@B", "1"),
        ("2@A", "2"),
        ("2@B", "2"),
    ]


def test_numbers_whose_rows_tell_their_scale_have_one_rule_too(tmp_path):
    rows = "".join(f'Q?,A{n}.,"{cell}",0,1000\n' for n, cell in enumerate(["1,000", "990", "20"]))
    samples, _ = read(tmp_path / "a.csv", f"question,answer,rating,rating_min,rating_max\n{rows}")
    assert [(sample.rating, sample.rating_max) for sample in samples] == [(1000, 1000), (990, 1000), (20, 1000)]


def test_a_scale_whose_low_end_is_good_is_an_error_with_its_cure(tmp_path):
    column = '"Bewertung (1 = sehr gut, 6 = ungenügend)"'
    with pytest.raises(InputError, match=r"its low end is good.*write 7 - x in place of each rating x"):
        read(tmp_path / "a.csv", rated("1", "3", column=column))
    samples, _ = read(tmp_path / "a.csv", rated("1", "3", column='"Bewertung (1 = ungenügend, 6 = sehr gut)"'))
    assert [(sample.rating, sample.rating_max) for sample in samples] == [(1, 6), (3, 6)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "conversation_id,message_index,role,content\n"
            "a,10,assistant,Yes.\na,9,user,Invoice?\na,1,assistant,At depot.\na,0,user,Where?\n",
            ["Where?", "At depot.", "Invoice?", "Yes."],
        ),
        ("conversation_id,turn,question,answer\na,2,Second?,B.\na,1,First?,A.\n", ["First?", "A.", "Second?", "B."]),
    ],
)
def test_numbers_of_turns_order_rows_as_times_do(tmp_path, text, said):
    (tmp_path / "turns.csv").write_text(text, encoding="utf-8")
    (sample,) = load_set(tmp_path / "turns.csv")
    assert [message.content for message in sample.messages] == said


@pytest.mark.parametrize("label", ["Aantal:", "Count", "Anzahl", "N", "Totaal"])
@pytest.mark.parametrize("number", ["60", ""])
def test_a_count_in_the_column_of_answers_is_left_out(tmp_path, label, number):
    (tmp_path / "rated.csv").write_text(
        f"question,answer,rating\nFree?,Yes.,5\nN,No.,1\nTotal?,42 EUR,2\n{label},{number or 61},{number}\n", "utf-8"
    )
    notes = list[str]()
    assert [sample.response for sample in load_set(tmp_path / "rated.csv", notes=notes)] == ["Yes.", "No.", "42 EUR"]
    assert f"1 row left out that sums up others ({label}): line 5" in notes[-1]


@pytest.mark.parametrize("word", ["Subtotaal", "Gem.", "Teilsumme", "Moyenne générale"])
def test_a_sum_in_the_column_of_questions_is_left_out_and_decides_no_scale(tmp_path, word):
    rows = f"question,answer,rating\nFree?,Yes.,5\nOpen?,At nine.,1\nWhere?,In Gent.,4\n{word},,10\n"
    (tmp_path / "rated.csv").write_text(rows, encoding="utf-8")
    assert [(sample.rating, sample.rating_max) for sample in load_set(tmp_path / "rated.csv")] == [
        (5, 5),
        (1, 5),
        (4, 5),
    ]


def test_a_row_of_sums_without_an_empty_cell_is_left_out_and_sets_no_scale(tmp_path):
    samples, notes = read(tmp_path / "a.csv", "question,answer,rating\nQ?,A.,5\nP?,B.,1\nTotal,2,6\nMean,1,3.5\n")
    assert [(sample.rating, sample.rating_max) for sample in samples] == [(5, 5), (1, 5)]
    assert notes[1:] == [
        "1 row left out that sums up others (Total): line 4",
        "1 row left out that sums up others (Mean): line 5",
    ]


def test_a_question_of_totals_with_an_answer_is_one(tmp_path):
    samples, _ = read(tmp_path / "a.csv", "question,answer,rating\nTotal (my invoice),See page 2.,3\nQ,A,5\n")
    assert len(samples) == 2


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
    assert "1 row has no answer and counts as an empty one: row 1" in notes
    assert (
        "2 conversations end with an empty reply or calls of tools alone: the answer before it is the one under test: "
        "row 2, row 3"
    ) in notes
    _, notes = read(tmp_path / "a.json", json.dumps([{"messages": [*asked, called]}, {"messages": [*asked, blank]}]))
    assert "2 rows have no answer and count as an empty one: row 1, row 2" in notes
