"""Scores and ratings as they come, and the table that is made of them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_files import cases_beside

from assay import evaluate
from assay.errors import AssayError, InputError
from assay.eval_sets import ReadOptions, flat_rows, load_set, read_ratings, read_score_files
from assay.meta_eval import (
    JoinedScores,
    ScoreTable,
    evaluate_table,
    join_sources,
    metric_agreements,
    repeated_trials,
)

CASES = cases_beside(__file__)
EXPORTS = Path(__file__).parent / "exports"
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: object) -> Path:
        path = tmp_path / name
        if name.endswith(".jsonl") and isinstance(content, list):
            content = "\n".join(json.dumps(row) for row in content)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return written


def read_score_table(scores: list[Path], ratings: Path | None, options: ReadOptions) -> JoinedScores:
    sources, rating_source = read_score_files(scores, ratings or scores[0], options)
    assert rating_source is not None
    return join_sources(sources, rating_source, options)


def by_item(table: ScoreTable, values: np.ndarray) -> dict[str, float | None]:
    return {item: None if np.isnan(value) else value for item, value in zip(table.items, values.tolist(), strict=True)}


def column(joined: JoinedScores, metric: str) -> dict[str, float | None]:
    return by_item(joined.table, joined.table.scores[:, joined.table.metrics.index(metric)])


def rated(joined: JoinedScores, rater: str = "rating") -> dict[str, float | None]:
    return by_item(joined.table, joined.table.ratings[:, joined.table.raters.index(rater)])


RATINGS = "id,rating\na,1\nb,3\nc,5\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("wide.csv", "id,faith,note\nb,0.5,x\na,0.25,y\nc,,z\n"),
        ("wide.csv", "id;faith\nb;0,5\na;0,25\nc;NaN\n"),  # a Dutch spreadsheet
        ("long.csv", "sample,metric,value,reason\nb,faith,0.5,x\na,faith,0.25,y\nc,faith,,z\n"),
        ("wide.jsonl", [{"id": "b", "faith": 0.5}, {"id": "a", "faith": 0.25}, {"id": "c", "faith": None}]),
        ("long.jsonl", [
            {"item": "b", "metric": "faith", "score": 0.5}, {"item": "a", "metric": "faith", "score": "0.25"}]),
        ("wide.json", [{"id": "b", "scores": {"faith": 0.5}}, {"id": "a", "scores": {"faith": 0.25}}]),
        ("pandas.json", {"id": {"0": "b", "1": "a"}, "faith": {"0": 0.5, "1": 0.25}}),
        ("show.json", {"run": "r", "scores": [
            {"sample": "b", "metric": "faith", "value": 0.5}, {"sample": "a", "metric": "faith", "value": 0.25}]}),
    ],
)  # fmt: skip
def test_long_and_wide_are_the_same_table(write, name, content):
    joined = read_score_table([write(name, content)], write("ratings.csv", RATINGS), ReadOptions())
    scores = column(joined, "faith")
    assert joined.table.metrics == ("faith",)
    assert (scores["a"], scores["b"], scores.get("c")) == (0.25, 0.5, None)
    assert [rated(joined)[item] for item in ("a", "b")] == [1, 3]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("raters.csv", "id,rater,rating\na,an,1\na,bo,2\nb,an,3\n"),
        ("raters.jsonl", [{"id": "a", "ratings": {"an": 1, "bo": 2}}, {"id": "b", "ratings": {"an": 3}}]),
        ("raters.csv", 'id,ratings\na,"{""an"": 1, ""bo"": 2}"\nb,"{""an"": 3}"\n'),
        ("raters.csv", "id,an,bo\na,1,2\nb,3,\n"),
    ],
)
def test_raters_long_in_an_object_or_a_column_each(write, name, content):
    joined = read_score_table([write("scores.csv", "id,faith\na,0.1\nb,0.2\n")], write(name, content), ReadOptions())
    assert rated(joined, "an") == {"a": 1, "b": 3}
    assert rated(joined, "bo") == {"a": 2, "b": None}


def test_the_rating_beside_the_raters_counts_only_where_they_are_silent(write):
    rows = [{"id": "a", "rating": 1.5, "ratings": {"an": 1, "bo": 2}}, {"id": "b", "rating": 4}]
    scores, ratings = write("scores.csv", "id,f\na,1\nb,2\n"), write("r.jsonl", rows)
    joined = read_score_table([scores], ratings, ReadOptions())
    assert rated(joined, "rating") == {"a": None, "b": 4}
    only = read_score_table([scores], ratings, ReadOptions(ratings=("bo",)))
    assert only.table.raters == ("bo",)
    assert only.unrated == ("b",)


def test_ragas_has_no_ids_and_is_matched_by_its_texts(write):
    """Five rows of `EvaluationResult.to_pandas()`; the first answer is empty, so that its question alone tells it."""
    rows = [
        {"id": f"s{n}", "user_input": f"How do I do step {n}?", "response": "Open menu. " * n, "rating": 1 + n}
        for n in range(5)
    ]
    ratings = write("ratings.jsonl", rows)
    for export in ("ragas_pandas.csv", "ragas_pandas.json"):
        joined = read_score_table([EXPORTS / export], ratings, ReadOptions())
        assert joined.table.metrics == ("non_llm_string_similarity", "exact_match")
        assert column(joined, "non_llm_string_similarity")["s1"] == pytest.approx(9 / 11)
        assert joined.answers["s1"].contexts == ("Open menu 'x'.", "Second.")


@pytest.mark.parametrize("export", ["deepeval_run.json", "deepeval_result.json"])
def test_deepeval_is_matched_by_name_or_by_its_texts(write, export):
    """Cases 1, 3 and 5 were named s1, s3, s5; the others have names of DeepEval's own. Case 4 failed."""
    texts = {number: "Open menu. " * number + ("boom" if number == 4 else "") for number in range(1, 7)}
    rows = [
        {"id": f"s{number}", "question": f"How do I do step {number}?", "answer": text, "rating": 1 + number % 5}
        for number, text in texts.items()
    ]
    joined = read_score_table([EXPORTS / export], write("ratings.jsonl", rows), ReadOptions())
    assert joined.table.metrics == ("Answer Length", "Custom [GEval]")
    assert [*column(joined, "Custom [GEval]").values()] == [
        pytest.approx(11 / 30),
        pytest.approx(22 / 30),
        1,
        None,
        1,
        1,
    ]
    assert joined.answers["s2"].reasons["Answer Length"] == "22 characters"
    assert joined.unrated == joined.unscored == ()


def test_long_ratings_are_read_as_columns_of_raters(write):
    """bo gave b no rating; each rating is on the scale that its own row says, of which 4 of 1-7 is the middle."""
    ratings = write("r.csv", "id,rater,rating\na,ann,3\na,bo,4\nb,ann,2\nb,bo,n/a\nc,ann,4\nc,bo,5\n")
    joined = read_score_table([write("s.csv", "id,f\na,1\nb,2\nc,3\n")], ratings, ReadOptions())
    assert joined.table.raters == ("ann", "bo")
    assert any(note.endswith('1 cell of rating without a rating: line 5 "n/a"') for note in joined.notes)
    text = "id,rater,rating,rating_min,rating_max\na,ann,4,1,7\na,bo,3,1,5\nb,ann,7,1,7\nb,bo,1,1,5\n"
    joined = read_score_table([write("s.csv", "id,f\na,1\nb,2\n")], write("r2.csv", text), ReadOptions())
    assert joined.table.ratings.tolist() == [[3, 3], [5, 1]]


def test_a_column_mapped_to_rating_counts_where_no_rater_rated(write):
    """ann rated a and b, so that the mapped mark counts of c alone."""
    text = "id,f,mark,rating_ann\na,0.1,1,2\nb,0.5,3,4\nc,0.9,5,\n"
    table = read_score_table([write("s.csv", text)], None, ReadOptions(mapping={"mark": "rating"})).table
    assert table.raters == ("ann", "mark")
    np.testing.assert_equal(table.ratings, [[2, np.nan], [4, np.nan], [np.nan, 5]])


def test_an_error_of_a_long_file_names_the_line_and_the_column_of_its_cell(write):
    text = "id,metric,value\na,f,1\na,g,2\nb,f,3\nb,g,4 or 5\n"
    with pytest.raises(InputError, match=r's.csv, line 5, field value: "4 or 5" is not a number'):
        read_score_table([write("s.csv", text)], write("r.csv", RATINGS), ReadOptions())


def test_what_does_not_match_is_listed(write):
    joined = read_score_table([write("s.csv", "id,f\na,1\nz,2\n")], write("r.csv", RATINGS), ReadOptions())
    assert (joined.table.items, joined.unscored, joined.unrated) == (("a", "z"), ("b", "c"), ("z",))
    assert joined.notes == ("2 rated items have no score: b, c", "1 scored item has no rating: z")


OF_PROMPTFOO = "[openai:a] {{question}},Status,Score,Named Scores,Grader Reason,Comment"
CURE = "this is the CSV export of promptfoo; export JSON instead: promptfoo export eval EVAL_ID -o FILE.json"


@pytest.mark.parametrize(
    ("header", "row", "problem"),
    [
        (f"question,{OF_PROMPTFOO}", "Why?,So.,PASS,1,{},ok,", f"s.csv: {CURE}"),
        (
            f"question,{OF_PROMPTFOO},{OF_PROMPTFOO}",
            "Why?,So.,PASS,1,{},ok,,So!,FAIL,0,{},no,",
            f"stands twice; {CURE}",
        ),
    ],
)
def test_a_csv_export_of_promptfoo_is_named_with_the_cure(write, header, row, problem):
    scores = write("s.csv", f"{header}\n{row}\n")
    ratings = write("r.csv", "question,answer,ann\nWhy?,So.,4\nWhen?,Now.,3\n")
    with pytest.raises(InputError) as error:
        read_score_table([scores], ratings, ReadOptions())
    assert problem in str(error.value)


def test_a_csv_export_of_promptfoo_whose_answers_are_mapped_is_read(write):
    scores = write("s.csv", f"question,{OF_PROMPTFOO}\nWhy?,So.,PASS,1,{{}},ok,\n")
    ratings = write("r.csv", "question,answer,ann\nWhy?,So.,4\nWhen?,Now.,3\n")
    mapping = {"[openai:a] {{question}}": "response"}
    assert read_score_table([scores], ratings, ReadOptions(mapping=mapping)).table.items == ("r-1",)


def test_one_metric_of_two_judges_is_two_columns_and_of_one_judge_in_two_files_is_one(write):
    ratings = write("r.csv", RATINGS)
    first, second = write("one.csv", "id,f\na,1\n"), write("two.csv", "id,f\nb,2\nc,3\n")
    assert column(read_score_table([first, second], ratings, ReadOptions()), "f") == {"a": 1, "b": 2, "c": 3}
    other = write("other.csv", "id,f\na,0.5\nb,2\n")
    joined = read_score_table([first, other], ratings, ReadOptions())
    assert joined.table.metrics == ("f@one", "f@other")
    assert column(joined, "f@other") == {"a": 0.5, "b": 2}


def test_choices_name_the_columns(write):
    rows = [
        {"key": "a", "metadata": {"tool": {"x": 1, "y": 2}, "source": "p1"}, "turn": 1, "stars": 2, "lang": "nl"},
        {"key": "b", "metadata": {"tool": {"x": 3, "y": 4}, "source": "p1"}, "turn": 2, "stars": 4, "lang": "en"},
    ]
    choices = ReadOptions(
        mapping={"key": "id"}, metrics=("tool.*",), group="source", by=("lang",), lower_is_better=("tool.y",),
        scale=(0, 5),
    )  # fmt: skip
    table = read_score_table([write("all.jsonl", rows)], None, choices).table
    assert table.metrics == ("tool.x", "tool.y")
    assert list(table.directions.values()) == [True, False]
    assert len(set(table.groups)) == 1
    assert table.attributes == {"lang": ("nl", "en")}
    assert (table.rating_min, table.rating_max, table.items) == (0, 5, ("a", "b"))
    deep = ReadOptions(mapping={"key": "id"}, metrics=("metadata.tool.x",), ratings=("metadata.tool.y",))
    table = read_score_table([write("all.jsonl", rows)], None, deep).table
    assert (table.metrics, table.ratings[:, 0].tolist()) == (("tool.x",), [2, 4])


def test_ratings_on_two_scales_are_brought_to_one(write):
    rows = [{"id": "a", "rating": 0, "rating_min": 0, "rating_max": 1}, {"id": "b", "rating": 3}]
    joined = read_score_table([write("s.csv", "id,f\na,1\nb,2\n")], write("r.jsonl", rows), ReadOptions())
    assert rated(joined) == {"a": 1, "b": 3}


@pytest.mark.parametrize(
    ("scores", "ratings", "message"),
    [
        ("id,f\na,1\nb,x1\nc,2\n", RATINGS, 's.csv, line 3, field f: "x1" is not a number; write 4 or 4,5'),
        ("id,f\na,1\na,2\n", RATINGS, 's.csv, line 3, field id: "a" stands at line 2 too'),
        ("id,metric,value\na,f,1\na,f,2\n", RATINGS, "s.csv, line 3, field metric: f stands at line 2 too, with"),
        ("id,metric,value\n,f,1\n", RATINGS, "s.csv, line 2, field id: is missing"),
        ("id,note\na,good\n", RATINGS, "s.csv: there are no scores in it"),
        ("id,f\nx,1\ny,2\n", RATINGS, "no item has both a score and a rating"),
        ("id,f\na,1\n", "id,words\na,fine\n", "nobody rated in it"),
        ("id,f\na,1\n", "id,time,mood\na,100,1\nb,200,2\n", "nobody rated in it"),
        ("id,f\na,1\n", "id,rating\na,good\n", 'r.csv, line 2, field rating: "good" is not a number'),
        ("id,f\na,1\n", "id,rating\na,4\na,5\n", 'r.csv, line 3, field id: "a" stands at line 2 too'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_file_line_field_and_cure(write, scores, ratings, message):
    with pytest.raises(AssayError) as raised:
        read_score_table([write("s.csv", scores)], write("r.csv", ratings), ReadOptions())
    assert message in str(raised.value)


def test_ids_that_belong_to_other_answers_are_told(write):
    """Row numbers as ids: the same ids, but not the same answers."""
    scores = [{"id": number, "question": f"q{number}", "answer": f"old {number}", "f": number} for number in range(3)]
    ratings = [{"id": number, "question": f"q{number}", "answer": f"new {number}", "rating": 3} for number in range(3)]
    with pytest.raises(AssayError, match="these are not the same answers"):
        read_score_table([write("s.jsonl", scores)], write("r.jsonl", ratings), ReadOptions())


def test_two_rated_answers_with_one_text_need_ids(write):
    ratings = [{"id": number, "question": "q", "answer": "yes", "rating": 3} for number in range(2)]
    scores = [{"question": "q", "answer": "yes", "f": 1}]
    with pytest.raises(AssayError, match="give both files an id column"):
        read_score_table([write("s.jsonl", scores)], write("r.jsonl", ratings), ReadOptions())


def test_columns_of_raters_are_ratings_and_may_have_gaps(write):
    file = write("scores.csv", "id,rating_ada,rating_bob,good\na,4,5,0.5\nb,3,n.v.t.,0.1\nc,1,2,0.2\n")
    joined = read_score_table([file], None, ReadOptions())
    assert joined.table.raters == ("ada", "bob") and joined.table.metrics[0] == "good"
    assert joined.table.mean_rating.tolist() == [4.5, 3, 1.5]
    assert f'{file}: 1 cell of rating_bob without a rating: line 3 "n.v.t."' in joined.notes
    assert read_score_table([file], None, ReadOptions(ratings=("bob",))).table.raters == ("bob",)
    file = write("scores.csv", "id,rating_ada\na,4\nb,3\n")
    with pytest.raises(InputError, match="there are no scores in it, only the ratings `rating_ada`; write one column"):
        read_score_table([file], None, ReadOptions())


NAN = float("nan")


def table(**fields: Any) -> ScoreTable:
    known: dict[str, Any] = {
        "items": ("a", "b", "c"),
        "metrics": ("faithfulness", "errors"),
        "scores": np.array([[0.2, 3.0], [0.9, NAN], [0.5, 0.0]]),
        "ratings": np.array([[1.0, 2.0], [5.0, NAN], [NAN, NAN]]),
        "raters": ("ann", "bob"),
        "directions": {"errors": False},
        "attributes": {"language": ("nl", "en", "nl")},
    }
    return ScoreTable(**(known | fields))


def test_what_a_table_derives():
    np.testing.assert_array_equal(table().mean_rating, [1.5, 5.0, NAN])
    assert table().rated().items == ("a", "b")
    np.testing.assert_array_equal(table().column("errors"), [-3.0, NAN, 0.0])  # lower is better: turned
    assert table().groups == ("a", "b", "c")  # an item is its own group unless said otherwise
    assert table(groups=("z", "a", "z")).group_numbers.tolist() == [1, 0, 1]
    with pytest.raises(InputError, match="no metric 'rouge' in the table; it has faithfulness, errors"):
        table().column("rouge")


def test_parts_keep_everything_together():
    two = table(groups=("p", "q", "r")).take([0, 2])
    assert (two.items, two.groups, two.scores[1, 0]) == (("a", "c"), ("p", "r"), 0.5)
    only = table().only(["errors"])
    assert (only.metrics, only.directions, only.scores.shape) == (("errors",), {"errors": False}, (3, 1))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"items": ("a", "a", "c")}, "items: 'a' stands twice"),
        ({"scores": np.zeros((3, 1))}, r"scores: the array is \(3, 1\), not 3 items x 2 scores"),
        ({"scores": np.array([[0, 0], [0, np.inf], [0, 0]])}, "scores: errors of item b is infinite"),
        ({"ratings": np.array([[1, 2], [6, 1], [1, 1]])}, "ratings: ann gave 6 to item b, outside 1 to 5"),
        ({"rating_min": 5}, r"rating_min: 5 is not below rating_max \(5\)"),
        ({"groups": ("p",)}, "groups: 1 label for 3 items"),
        ({"attributes": {"language": ("nl",)}}, "attributes.language: 1 label for 3 items"),
        ({"directions": {"rouge": False}}, "directions: no metric 'rouge' in the table; it has faithfulness, errors"),
    ],
)
def test_what_does_not_fit_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        table(**fields)


def test_a_perfect_metric_agrees_and_is_chosen(write):
    """60 answers rated 1 to 5, `errors` 5 - rating (rho exactly -1), and noise."""
    noise = np.random.default_rng(3).normal(size=60)
    rows = [f"a{n},{n % 5 + 1},{4 - n % 5},{noise[n]:.3f}" for n in range(60)]
    path = write("scores.csv", "\n".join(["id,rating,errors,noise", *rows]) + "\n")
    joined = read_score_table([path], None, ReadOptions(lower_is_better=("errors",)))
    evaluation = evaluate_table(joined.table, permutations=199, repeats=2)
    assert joined.table.directions == {"errors": False, "noise": True}
    errors = evaluation.metrics[0]
    assert (errors.name, errors.higher_is_better) == ("errors", False)
    assert errors.spearman.value == pytest.approx(1.0)
    assert errors.auroc_bad.value == 1.0
    without = metric_agreements(replace(joined.table, directions={}), permutations=99)[0]
    assert without.spearman.value == pytest.approx(-1.0)
    assert evaluation.selection.chosen.metrics == ("errors",)
    assert evaluation.recommendation.startswith("Trust: errors, closely: ")


@pytest.mark.parametrize(
    "name", ["noise_sensitivity(mode=irrelevant)", "Hallucination", "Toxicity", "Bias", "declined", "harmfulness"]
)
def test_names_of_other_tools_whose_lower_scores_are_better_are_known(write, name):
    path = write("scores.csv", f'id,rating,"{name}"\na,1,4\nb,2,3\nc,5,0\n')
    joined = read_score_table([path], None, ReadOptions())
    assert joined.table.directions == {name: False}
    assert f"lower is better for {name}, by its name; say otherwise with --higher-is-better" in joined.notes
    turned = read_score_table([path], None, ReadOptions(higher_is_better=(name,)))
    assert turned.table.directions == {name: True}


METRICS_ONLY = "user_input,response,faithfulness,answer_relevancy\nQ?,A.,0.3,0.4\nP?,B.,0.8,0.1\n"
LONG_ONLY = "question,answer,metric,score\nQ?,A.,faithfulness,0.3\nP?,B.,faithfulness,0.9\n"


@pytest.mark.parametrize("text", [METRICS_ONLY, LONG_ONLY])
def test_scores_of_metrics_are_nobodys_ratings(write, text):
    path = write("s.csv", text)
    with pytest.raises(InputError, match=r"s\.csv: nobody rated in it; name a file of ratings \(--ratings FILE\)"):
        read_score_table([path], None, ReadOptions())
    other = write("r.csv", METRICS_ONLY.replace("0.3", "0.5"))
    with pytest.raises(InputError, match=r"r\.csv: nobody rated in it"):
        read_score_table([path], other, ReadOptions())


def test_one_rule_for_the_numbers_of_a_metric(write):
    joined = read_score_table(
        [write("s.csv", 'id,chars,rating\na,990,1\nb,"1,000",2\nc,"1,100",5\n')], None, ReadOptions()
    )
    assert column(joined, "chars") == {"a": 990, "b": 1000, "c": 1100}
    with pytest.raises(InputError, match=r'line 2, field lat: "1,500" is 1500 or 1.500, and no other cell tells'):
        read_score_table([write("u.csv", 'id,lat,rating\na,"1,500",1\nb,"2,250",5\n')], None, ReadOptions())


@pytest.mark.parametrize("kind", ["failures", "reasons"])
def test_words_that_say_that_a_metric_failed(write, kind):
    """Each stands beside a 0, which is no score where it says so; a reason that speaks of an error is one."""
    cells = CASES[kind]
    rows = [{"id": f"a{n}", "tone_score": 0, "reason": cell, "rating": 1} for n, cell in enumerate(cells)]
    rows += [{"id": f"b{n}", "tone_score": 0.5, "reason": "ok", "rating": 2 + n} for n in range(4)]
    joined = read_score_table([write("s.json", rows)], None, ReadOptions())
    scores = column(joined, "tone_score")
    wrong = [cell for n, cell in enumerate(cells) if (scores[f"a{n}"] is None) != (kind == "failures")]
    assert wrong == []


FAILED_SCORES = [
    "id,f_score,score_reason,rating\na,0,Error: invalid JSON,1\nb,0,,2\nc,0.5,,5\n",
    "id,f_score,judge_error,rating\na,0,JSON parse error,1\nb,0,,2\nc,0.5,,5\n",
    "id,f_score,errors,rating\na,0,Evaluation failed,1\nb,0,,2\nc,0.5,,5\n",
    "id,f_score,message,rating\na,0,Timeout after 60 s,1\nb,0,ok,2\nc,0.5,,5\n",
    "id,f_score,fouten,rating\na,0,Evaluatie mislukt,1\nb,0,,2\nc,0.5,,5\n",
    "id,f_score,f_reason,rating\na,0.0,Error: invalid JSON,1\nb,0.0,The answer is wrong.,2\nc,0.5,Error: odd,5\n",
    "id,f_score,f_status,rating\na,0,failed,1\nb,0,scored,2\nc,0.5,scored,5\n",
    "id,f_score,f_score_error,rating\na,0,RateLimitError,1\nb,0,,2\nc,0.5,,5\n",
    "id,metric,value,status,rating\na,f_score,0.7,error,1\nb,f_score,0,scored,2\nc,f_score,0.5,scored,5\n",
]


@pytest.mark.parametrize("text", FAILED_SCORES)
def test_a_failure_that_is_written_as_a_score_is_missing_and_counted(write, text):
    joined = read_score_table([write("s.csv", text)], None, ReadOptions())
    assert column(joined, "f_score") == {"a": None, "b": 0, "c": 0.5}
    assert any("1 score of f_score missing, as the metric failed there: line 2" in note for note in joined.notes)


def test_a_reason_that_says_one_thing_again_and_again_is_read_at_once(write):
    """Each took as many steps as 2 to the number of its repetitions: all together minutes."""
    rows = "".join(f"a{n},0,{'rate-limit ' * 18},{n % 5 + 1}\n" for n in range(400))
    joined = read_score_table([write("s.csv", f"id,f_score,f_reason,rating\n{rows}")], None, ReadOptions())
    assert set(column(joined, "f_score").values()) == {0}


def test_the_error_of_one_metric_is_not_that_of_another(write):
    text = "id,f_score,g_score,g_reason,rating\na,0,0,Error: timeout,1\nb,0.5,0.5,,5\n"
    joined = read_score_table([write("s.csv", text)], None, ReadOptions())
    assert (column(joined, "f_score")["a"], column(joined, "g_score")["a"]) == (0, None)


@pytest.mark.parametrize(
    ("scores", "first"), [("-1 0.5 1", None), ("-1 0 1", -1), ("-1 -0.5 0.5", -1), ("-1 2 0.5", -1)]
)
def test_minus_one_beside_shares_is_no_score(write, scores, first):
    """Beside 0 and 1 alone it is a degree, and beside other negative numbers the end of a scale."""
    rows = [f"a{n},{score},{n + 1}" for n, score in enumerate(scores.split())]
    joined = read_score_table([write("s.csv", "id,f_score,rating\n" + "\n".join(rows))], None, ReadOptions())
    assert column(joined, "f_score")["a0"] == first
    said = "1 score of f_score of -1 beside scores from 0 to 1 counts as missing: line 2"
    assert any(note.endswith(said) for note in joined.notes) == (first is None)


def test_a_verdict_on_a_score_is_no_failure_of_it(write):
    text = "id,metric,value,status,rating\na,f,0.2,failed,1\nb,f,0.9,passed,5\n"
    assert column(read_score_table([write("s.csv", text)], None, ReadOptions()), "f") == {"a": 0.2, "b": 0.9}


def test_a_row_that_sums_up_others_is_no_item(write):
    joined = read_score_table([write("s.csv", "id,f,rating\na,0.1,1\nb,0.9,5\nAverage,0.5,3\n")], None, ReadOptions())
    assert joined.table.items == ("a", "b")
    assert any("1 row left out that sums up others (Average): line 4" in note for note in joined.notes)


def test_a_row_that_names_no_item_tells_no_scale(write):
    joined = read_score_table([write("s.csv", "id,f,rating\na,0.1,1\nb,0.9,5\n,,30\n")], None, ReadOptions())
    assert joined.table.items == ("a", "b") and (joined.table.rating_min, joined.table.rating_max) == (1, 5)
    assert sum("1 row left out that names no item: line 4" in note for note in joined.notes) == 1


def test_two_columns_of_one_rater_are_joined(write):
    joined = read_score_table(
        [write("s.csv", "id,f,rating_anja,Cijfer Anja\na,0.1,1,\nb,0.9,,5\n")], None, ReadOptions()
    )
    assert joined.table.raters == ("anja",)


def test_another_rating_of_people_is_no_metric(write):
    file = write("s.csv", "id,f,user_rating,expert_rating\na,0.1,1,2\nb,0.9,5,4\nc,0.5,3,3\n")
    joined = read_score_table([file], None, ReadOptions())
    assert (joined.table.metrics, rated(joined)) == (("f",), {"a": 1, "b": 5, "c": 3})
    assert f"{file}: expert_rating is another rating and no metric; --rating expert_rating reads it" in joined.notes
    chosen = read_score_table([file], None, ReadOptions(ratings=("expert_rating",)))
    assert (chosen.table.metrics, rated(chosen)) == (("f",), {"a": 2, "b": 4, "c": 3})


def test_rated_answers_that_nothing_scored_are_told_what_scores_them(write):
    file = write("my answers.csv", "question,answer,rating\nFree?,Yes.,4\nWhen?,In May.,2\n")
    with pytest.raises(InputError, match=r"nothing has scored its answers; `assay run '.*my answers.csv'` does"):
        read_score_table([file], None, ReadOptions())


def test_raters_on_two_scales_in_long_rows_are_brought_to_one(write):
    """Of each row its own scale: 1 of 0 to 1 is the best, 3 of 1 to 5 the middle."""
    rows = "id,rater,rating,rating_min,rating_max\na,an,1,0,1\na,bo,1,1,5\nb,an,3,1,5\nb,bo,1,0,1\n"
    joined = read_score_table([write("s.csv", "id,f\na,1\nb,2\n")], write("r.csv", rows), ReadOptions())
    assert (rated(joined, "an"), rated(joined, "bo")) == ({"a": 5, "b": 3}, {"a": 1, "b": 5})


def test_long_rows_of_several_versions_and_a_rating_off_its_scale(write):
    scores = "id,model,metric,value\na,old,f,0.1\na,new,f,0.9\nb,old,f,0.3\nb,new,f,0.8\n"
    ratings = "id,model,rating\na,old,2\na,new,5\nb,old,1\nb,new,7\n"
    options = ReadOptions(versions="model")
    joined = read_score_table([write("s.csv", scores)], write("r.csv", ratings), options)
    assert column(joined, "f") == {"a@old": 0.1, "a@new": 0.9, "b@old": 0.3, "b@new": 0.8}
    told = "the scale of 1 to 10 is taken from its ratings: one rating is 7 (line 5, field rating) and all others"
    assert any(told in note for note in joined.notes)
    with pytest.raises(InputError, match=r"r\.csv, line 5, field rating: is 7, off the scale of 1 to 5, which --scale"):
        read_score_table([write("s.csv", scores)], write("r.csv", ratings), replace(options, scale=(1, 5)))


def test_an_id_with_the_question_of_another_answer_means_that_answer(write):
    ratings = [{"id": n, "question": f"q{n}?", "answer": f"a{n}", "rating": n + 1} for n in range(3)]
    scores = [{"id": 2 - n, "question": f"q{n}?", "f": n / 2} for n in range(3)]
    joined = read_score_table([write("s.jsonl", scores)], write("r.jsonl", ratings), ReadOptions())
    assert column(joined, "f") == {"0": 0, "1": 0.5, "2": 1}


def test_ratings_of_pairs_in_a_file_are_left_out_and_said(write):
    header = "id,rating,rating_min,rating_max,other_response\n"
    ratings = write("r.csv", header + "a,2,1,5,\nb,4,1,5,\nc,-2,-2,2,No.\nd,1,-2,2,\n")
    joined = read_score_table([write("s.csv", "id,f\na,1\nb,2\nc,3\nd,4\n")], ratings, ReadOptions())
    assert (rated(joined), joined.table.rating_max) == ({"a": 2, "b": 4, "c": None, "d": None}, 5)
    assert f"{ratings}: 2 ratings say which of two answers is better, and are left out" in joined.notes
    with pytest.raises(
        InputError, match=r"r2\.csv: its ratings say which of two answers is better, and ratings of one"
    ):
        read_score_table([write("s.csv", "id,f\nc,3\n")], write("r2.csv", header + "c,-2,-2,2,No.\n"), ReadOptions())


_TWO_SCALES = [(1, 20), (5, 100), (3, 60), (4, 80), (2, 40)]


_WIDE_RATINGS = "id,rating_ann,rating_bob\n" + "".join(f"q{n},{a},{b}\n" for n, (a, b) in enumerate(_TWO_SCALES))


_LONG_RATINGS = "id,rater,rating\n" + "".join(f"q{n},ann,{a}\nq{n},bob,{b}\n" for n, (a, b) in enumerate(_TWO_SCALES))


_OBJECT_RATINGS = "".join(
    json.dumps({"id": f"q{n}", "ratings": {"ann": a, "bob": b}}) + "\n" for n, (a, b) in enumerate(_TWO_SCALES)
)


@pytest.mark.parametrize(
    ("name", "text"), [("r.csv", _WIDE_RATINGS), ("r.csv", _LONG_RATINGS), ("r.jsonl", _OBJECT_RATINGS)]
)
def test_raters_on_two_scales_that_nothing_tells_are_an_error(write, name, text):
    scores = write("s.csv", "id,bleu\n" + "".join(f"q{n},0.{n}\n" for n in range(5)))
    with pytest.raises(InputError, match=r"raters are on different scales: ann 1 to 5, bob 0 to 100; .*--scale LOW"):
        read_score_table([scores], write(name, text), ReadOptions())
    assert read_score_table([scores], write(name, text), ReadOptions(scale=(0, 100))).table.rating_max == 100


@pytest.mark.parametrize(
    ("ratings", "problem"),
    [
        ([4, 2, 55, 1, 3], "line 4, field rating: is 55, and the other ratings lie on the scale 1-5; correct it"),
        ([4, 2, -1, 1, -1, 3], "line 4, field rating: is -1, and the other ratings lie on the scale 1-5"),
    ],
)
def test_one_mistyped_rating_does_not_move_the_scale(write, ratings, problem):
    scores = write("s.csv", "id,bleu\n" + "".join(f"q{n},0.{n}\n" for n in range(len(ratings))))
    file = write("r.csv", "id,rating\n" + "".join(f"q{n},{rating}\n" for n, rating in enumerate(ratings)))
    with pytest.raises(InputError, match=problem):
        read_score_table([scores], file, ReadOptions())


LONG = "sample,metric,value,status,user_input,response,rating,rating_min,rating_max\n"
LONG += "a,m,0.5,scored,Q1,A1,2,1,5\na,n,0.25,scored,Q1,A1,,1,5\nb,m,,failed,Q2,A2,,1,5\nb,n,1,scored,Q2,A2,4,1,5\n"


def test_a_long_file_with_ratings_has_each_answers_rating_once(write: Write) -> None:
    """Answer a is rated 2 in its first row, b is rated 4 in its last; m failed on b."""
    joined = read_score_table([write("long.csv", LONG)], None, ReadOptions())
    assert rated(joined) == {"a": 2, "b": 4}
    assert (column(joined, "m"), column(joined, "n")) == ({"a": 0.5, "b": None}, {"a": 0.25, "b": 1})


def test_two_ratings_of_one_answer_in_a_long_file_are_named(write: Write) -> None:
    path = write("long.csv", LONG.replace("0.25,scored,Q1,A1,,", "0.25,scored,Q1,A1,3,"))
    with pytest.raises(InputError, match=r"line 3, field rating: is 3, and of the same answer 2 at line 2; correct"):
        read_score_table([path], None, ReadOptions())


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json"])
def test_saved_results_are_read_as_the_table_that_they_are(tmp_path: Path, suffix: str) -> None:
    samples = load_set("helpdesk_en", limit=6)
    results = evaluate(samples, ["rouge_l", "declined"], progress=False)
    path = tmp_path / f"saved.{suffix}"
    results.save(path)
    joined = read_score_table([path], None, ReadOptions())
    assert rated(joined) == {sample.id: sample.human_rating for sample in samples}
    assert {*joined.table.metrics} == {*results.metrics}
    for metric in results.metrics:
        assert column(joined, metric) == {name: scores[metric].value for name, scores in results.scores.items()}
    if suffix != "json":  # whose rows are within an object
        read = load_set(path)
        assert [(one.id, one.response, one.rating) for one in read] == [
            (one.id, one.response, one.human_rating) for one in samples
        ]


def test_a_long_file_with_two_ratings_of_one_answer_is_no_set(write: Write) -> None:
    path = write("long.csv", LONG.replace("0.25,scored,Q1,A1,,", "0.25,scored,Q1,A1,3,"))
    with pytest.raises(InputError, match=r"line 3, field rating: differs from that of the same answer at line 2"):
        load_set(path)


def test_one_55_among_fives_is_an_error(write: Write) -> None:
    path = write("a.csv", "id,m,rating\n" + "".join(f"q{n},0.{n},5\n" for n in range(11)) + "q,0.5,55\n")
    with pytest.raises(InputError, match=r"line 13, field rating: is 55, and the other ratings lie on the scale 1-5"):
        read_score_table([path], None, ReadOptions())


def test_a_rater_who_used_one_label_is_read_by_the_labels_of_all(write: Write) -> None:
    """Of good and bad, Ann gave both and Bob only good."""
    rows = "a,q,x,Ann,good\na,q,x,bob,good\nb,q2,y,Ann,bad\nb,q2,y,bob,good\n"
    ratings = write("lab.csv", f"id,question,answer,rater,rating\n{rows}")
    _, source = read_score_files([write("sc.csv", "id,f\na,0.9\nb,0.1\n")], ratings, ReadOptions())
    assert source is not None
    assert source.columns == {"Ann": {0: 1, 1: 0}, "bob": {0: 1, 1: 1}}
    assert source.scale == (0, 1)
    assert source.notes == (f"{ratings}: read rating as ratings from 0 to 1, good is 1 and bad is 0",)
    assert [dict(sample.ratings) for sample in load_set(ratings)] == [{"Ann": 1, "bob": 1}, {"Ann": 0, "bob": 1}]


def test_rows_of_scores_that_name_no_answer_are_not_one(write: Write) -> None:
    path = write("k.csv", "metric,value,rating\nf,0.5,4\nf,0.5,5\n")
    source = read_ratings(flat_rows(path), path.name, ReadOptions())
    assert source.columns == {"rating": {0: 4, 1: 5}}


def test_rows_that_repeat_others_are_told_and_are_no_trials(write):
    """Of six rows three are of one question with one answer, of which two have the same rating; two rows are trials."""
    rows = [("Hoe?", "Zo.", 4, 0.9), ("Hoe?", "Zo.", 4, 0.9), ("Hoe?", "Zo.", 2, 0.9), ("Wie?", "Ik.", 1, 0.1)]
    rows += [("Waar?", "Hier.", 5, 0.8), ("Waar?", "Daar.", 1, 0.2)]
    lines = ["id,question,answer,rating,faithfulness"]
    lines += [",".join(map(str, (f"a{place}", *row))) for place, row in enumerate(rows)]
    joined = read_score_table([write("scores.csv", "\n".join(lines))], None, ReadOptions())
    copies = "1 row repeats another (the same question, answer and ratings): each row counts as an answer"
    assert copies in joined.notes
    (trials, *_) = repeated_trials(joined.table, {})
    assert (trials.questions, trials.trials, trials.pass_rate.value) == (1, 2, 0.5)


def test_ids_of_several_versions_and_groups_that_are_missing(write):
    text = "id,model,group,f,rating\nq1,old,nan,0.9,5\nq1,new,nan,0.4,2\nq2,old,n/a,0.2,1\nq2,new,g,0.8,4\n"
    for options in (ReadOptions(), ReadOptions(versions="model")):
        joined = read_score_table([write("s.csv", text)], None, options)
        assert joined.table.items == ("q1@old", "q1@new", "q2@old", "q2@new")
        assert joined.table.versions == ("old", "new", "old", "new")
    twice = "id,model,f,rating\nq1,old,0.9,5\nq1,old,0.4,2\n"
    with pytest.raises(InputError, match=r'line 3, field id: "q1" stands at line 2 too; .*--versions COLUMN'):
        read_score_table([write("t.csv", twice)], None, ReadOptions())
