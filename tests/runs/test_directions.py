"""Directions of metrics, and of ratings of pairs of answers: what follows them, and what is not compared with them."""

import csv
import importlib
import json
import sys

import pytest
from noted_sets import write_rows
from openai_server import Answer

from assay import load_set
from assay.eval_sets import Sample
from assay.installation import registered_entries
from assay.runs import Plan, Results, Store, compute_figures, evaluate, select_bad_answers

# Both read one figure from the sample: `wrong`, 0 for the best answer and 1 for the worst.
PACKAGE = """
from assay.metrics import Metric, Score
from assay.metrics.score import scored

class Rightness(Metric):
    name = "rightness"

    async def measure(self, sample) -> Score:
        return scored(1 - sample.metadata["wrong"], "one less what is wrong")

class Wrongness(Metric):
    name = "wrongness"
    higher_is_better = False

    async def measure(self, sample) -> Score:
        return scored(sample.metadata["wrong"], "what is wrong")
"""
BOTH = "rightness,wrongness"


@pytest.fixture(autouse=True)
def other_package(tmp_path, monkeypatch):
    """Another package with a metric of each direction, found by its entry points like every metric."""
    site = tmp_path / "site"
    (site / "rightful-1.0.dist-info").mkdir(parents=True)
    (site / "rightful.py").write_text(PACKAGE, encoding="utf-8")
    (site / "rightful-1.0.dist-info" / "METADATA").write_text("Name: rightful\nVersion: 1.0\n", encoding="utf-8")
    (site / "rightful-1.0.dist-info" / "entry_points.txt").write_text(
        "[assay.metrics]\nrightness = rightful:Rightness\nwrongness = rightful:Wrongness\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    registered_entries.cache_clear()
    yield site
    registered_entries.cache_clear()
    sys.modules.pop("rightful", None)


def write_set(path, wrong, contexts="Some words."):
    """One sample per value, in groups of their own, rated 5 for 0 and 1 for 1: both metrics agree perfectly."""
    rows = [
        {
            "id": f"s{number}",
            "user_input": f"Question {number}?",
            "response": "Some words." if number % 2 else "Others altogether, and more of them.",
            "retrieved_contexts": [contexts],
            "language": "en",
            "rating": 5 - 4 * value,
            "wrong": value,
        }
        for number, value in enumerate(wrong)
    ]
    return write_rows(path, rows)


RISING = [n / 9 for n in range(10)]  # s9 is the worst


def test_a_plan_records_what_its_metrics_declare(assay, tmp_path, other_package):
    """And a run keeps its directions when the package is removed, or when it declares another direction later."""
    assay("run", write_set(tmp_path / "set.jsonl", RISING), "--metrics", BOTH)
    sys.modules.pop("rightful")
    (other_package / "rightful.py").unlink()
    (other_package / "rightful-1.0.dist-info" / "entry_points.txt").unlink()
    importlib.invalidate_caches()
    registered_entries.cache_clear()
    plan = Store(".assay").run("last").plan
    assert plan.directions["rightness"] is plan.directions["answer_length"] is True
    assert plan.all_directions["wrongness"] is False


def test_a_plan_without_directions_takes_those_of_the_catalogue():
    plan = Plan(sets=("set.jsonl",), metrics=("wrongness", "rightness", "gone", "ragas:noise_sensitivity", "declined"))
    expected = {"wrongness": False, "rightness": True, "gone": True, "ragas:noise_sensitivity": False}
    baselines = {"token_overlap": True, "rouge_l_precision": True, "answer_length": True}
    assert plan.all_directions == expected | {"declined": False} | baselines


def test_directions_are_no_part_of_the_identity():
    """Otherwise a run recorded before directions were kept could not be resumed."""
    plan = Plan(sets=("a",), metrics=("b", "c"))
    assert plan.identity == "563c4f118ca3"  # as version 0.1.0 made it
    assert plan.model_copy(update={"directions": {"b": False}}).identity == plan.identity


def test_no_metric_that_agrees_perfectly_loses_to_a_baseline(assay, tmp_path):
    path = write_set(tmp_path / "set.jsonl", RISING)
    metrics = assay("run", path, "--metrics", BOTH, "--json").json["metrics"]
    assert (metrics["rightness"]["spearman"], metrics["wrongness"]["spearman"]) == (pytest.approx(1), pytest.approx(-1))
    assert (metrics["rightness"]["loses_to"], metrics["wrongness"]["loses_to"]) == (None, None)
    assert (metrics["rightness"]["higher_is_better"], metrics["wrongness"]["higher_is_better"]) == (True, False)
    assert [
        line for line in assay("show", "last").out.splitlines() if "lower is better" in line and "wrongness" in line
    ]
    in_memory = {each.name: each for each in evaluate(load_set(path), ["rightness", "wrongness"]).summary()}
    assert (in_memory["rightness"].loses_to, in_memory["wrongness"].loses_to) == ("", "")
    assert in_memory["wrongness"].higher_is_better is False


@pytest.mark.parametrize("metric", ["rightness", "wrongness"])
def test_the_worst_answers_are_the_bad_ones(assay, tmp_path, metric):
    output = assay("run", write_set(tmp_path / "set.jsonl", RISING), "--metrics", metric).out
    store = Store(".assay")
    assert list(Results.from_store(store, "last").worst(3, metric).samples) == ["s9", "s8", "s7"]
    assert "Question 9?" in output
    assert "Question 0?" not in output


def test_of_changes_of_one_size_the_worse_stands_first(assay, tmp_path):
    assay("run", write_set(tmp_path / "set.jsonl", [0.5, 0.5, 0.5]), "--metrics", BOTH)
    first = Store(".assay").run("last").id
    assay("run", write_set(tmp_path / "set.jsonl", [0.25, 0.75, 0.5]), "--metrics", BOTH)
    for metric in ("rightness", "wrongness"):
        changed = assay("show", "changes", first, "last", "--metric", metric, "--json").json["changed"]
        assert [row["sample"] for row in changed] == ["s1", "s0"]
    assert "name two runs" in " ".join(assay("show", "changes", "last", "last", code=2).err.split())


def test_meta_turns_what_is_better_when_lower(assay, tmp_path):
    assay("run", write_set(tmp_path / "set.jsonl", [n / 29 for n in range(30)]), "--metrics", BOTH)
    report = assay("meta", "last", "--json", "--bootstrap", "100", "--repeats", "1").json
    agreement = {metric["name"]: metric["spearman"] for metric in report["metrics"]}
    assert agreement["rightness"] == agreement["wrongness"] == pytest.approx(1.0)


LETTERS = "abcdef"


@pytest.fixture
def pairs(tmp_path):
    """Six pairs; the second answer is rated better the later the letter, and token overlap rises with it too."""
    rows = [
        {"id": f"p{n}", "user_input": "Which letters?", "response": f"{' '.join(LETTERS[: n + 1])} {n}",
         "other_response": "No idea.", "retrieved_contexts": [" ".join(LETTERS)], "language": "en",
         "rating": (-2, -1, -1, 1, 1, 2)[n], "rating_min": -2, "rating_max": 2, "group": f"g{n}"}
        for n in range(6)
    ]  # fmt: skip
    return write_rows(tmp_path / "pairs.jsonl", rows)


def test_no_metric_of_one_answer_is_compared_with_ratings_of_pairs(assay, pairs):
    done = assay("run", pairs, "--metrics", "token_overlap", "--json", code=0)
    assert "6 ratings say which of two answers is better; only pairwise is compared with them" in done.err
    assert {name: one["spearman"] for name, one in done.json["metrics"].items()} == dict.fromkeys(done.json["metrics"])
    refused = assay("meta", done.json["run"])
    assert refused.code != 0
    assert "its ratings say which of two answers is better" in " ".join(refused.err.split())


NOTE = "6 ratings say which of two answers is better; only pairwise is compared with them, no metric of one answer"


def test_a_stored_run_says_what_ratings_of_pairs_count_for(assay, pairs, tmp_path):
    """Said once by `assay run`, on standard error before anything is asked; by all that shows the run later."""
    ran = assay("run", pairs, "--metrics", "token_overlap")
    everything = " ".join((ran.out + ran.err).split())
    assert everything.count(NOTE) == 1
    assert NOTE in " ".join(ran.err.split())
    assert " ".join(assay("show", "last").out.split()).count(NOTE) == 1
    again = assay("run", pairs, "--metrics", "token_overlap", "--json")
    assert again.json["notes"] == [NOTE]
    store = Store(tmp_path / ".assay")
    assert compute_figures(store, again.json["run"]).notes == (NOTE,), "what `assay view` shows"
    assert Results.from_store(store, "last").notes == (NOTE,)


def test_the_audit_of_a_pair_has_both_answers_and_says_which_way_its_rating_points(assay, pairs, tmp_path):
    assert assay("run", pairs, "--metrics", "token_overlap").code == 0
    shown = assay("show", "last", "p0").out
    assert "rated -2 of -2 to 2 (above 0 the other answer is better)" in " ".join(shown.split())
    assert "Answer\na 0\n\nThe other answer\nNo idea.\n" in shown
    results = Results.from_store(Store(tmp_path / ".assay"), "last")
    assert "The other answer\nNo idea." in str(results.explain("p0"))
    results.save(tmp_path / "results.html")
    page = (tmp_path / "results.html").read_text(encoding="utf-8")
    assert page.count("(above 0 the other answer is better)") == page.count("The other answer:") == 6


def prefer_as_people(request):
    answers = request.user.partition("<first_answer>")[2]
    is_other = "No idea." in answers.partition("</first_answer>")[0]
    is_long = "d" in answers.replace("No idea.", "").split()
    return Answer(text=json.dumps({"better": "first" if is_other == is_long else "second"}))


def test_pairwise_follows_the_ratings_of_pairs(assay, pairs, judge_file, openai_server):
    """The judge prefers the answer that people preferred in each pair: `pairwise` agrees with them."""
    openai_server.script = prefer_as_people
    words = ["run", pairs, "--metrics", "pairwise", "--judge", judge_file("mini.yaml"), "--json"]
    done = assay(*words)
    metrics = done.json["metrics"]
    assert metrics["pairwise"]["spearman"] > 0.8
    assert metrics["token_overlap"]["spearman"] is None
    assert assay("show", done.json["run"]).code == 0


def test_pairwise_has_no_figure_where_ratings_have_no_sides(assay, pairs, judge_file, openai_server):
    """The same pairs rated from 1 to 5: a rating is of the answer, and says nothing of which of two is better."""
    _rewrite(pairs, _rate_from_1_to_5)
    openai_server.script = prefer_as_people
    done = assay("run", pairs, "--metrics", "pairwise", "--judge", judge_file("mini.yaml"), "--json")
    assert done.json["metrics"]["pairwise"]["scored"] == 6
    assert (done.json["metrics"]["pairwise"]["spearman"], done.json["metrics"]["pairwise"]["rated"]) == (None, 0)
    assert done.json["metrics"]["token_overlap"]["spearman"] is not None


def _rewrite(path, change, name=""):
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    changed = path.with_name(name or path.name)
    changed.write_text("".join(json.dumps(change(n, row)) + "\n" for n, row in enumerate(rows)), encoding="utf-8")
    return changed


def _rate_from_1_to_5(_, row):
    return row | {"rating": row["rating"] + 3, "rating_min": 1, "rating_max": 5}


SINGLE_NOTE = (
    "6 samples have two answers and a rating whose scale has no two sides: it is taken as a rating of the first; if it "
    "says which is better, rate pairs from -2 to 2 (rating_min, rating_max), above 0 where other_response is better"
)


def test_a_rating_without_sides_beside_two_answers_is_said_to_be_of_the_first(assay, pairs, tmp_path):
    """The same six ratings on 1 to 5, in two runs: whoever counts them as of the answer says so, once."""
    first = _rewrite(pairs, _rate_from_1_to_5, "first.jsonl")
    second = _rewrite(first, lambda _, row: row | {"response": "a", "rating": 5}, "second.jsonl")
    ran = assay("run", first, "--metrics", "token_overlap", "--json")
    other = assay("run", second, "--metrics", "token_overlap", "--json")
    assert ran.json["notes"] == [SINGLE_NOTE]
    assert " ".join(assay("show", ran.json["run"]).out.split()).count(SINGLE_NOTE) == 1
    assert Results.from_store(Store(tmp_path / ".assay"), ran.json["run"]).notes == (SINGLE_NOTE,)
    decided = " ".join(assay("decide", ran.json["run"], other.json["run"]).out.split())
    assert decided.count(SINGLE_NOTE.replace("6 samples", "12 samples")) == 1


def test_beside_pairs_the_answers_count_and_each_command_says_what_does_not(assay, pairs):
    """Twelve answers rated from 1 to 5, in the order of their letters, beside the six pairs."""
    rows = [
        {"id": f"s{n}", "user_input": f"Which {n}?", "response": " ".join(LETTERS[: n % 6 + 1]), "language": "en",
         "retrieved_contexts": [" ".join(LETTERS)], "rating": (1, 2, 3, 3, 4, 5)[n % 6], "group": f"s{n}"}
        for n in range(12)
    ]  # fmt: skip
    with pairs.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(row) + "\n" for row in rows))
    run = assay("run", pairs, "--metrics", "token_overlap", "--json").json["run"]
    left_out = "6 ratings say which of two answers is better, and are left out"
    meta = " ".join((done := assay("meta", run)).out.split())
    assert done.code == 0 and left_out in meta
    assert "only pairwise" not in meta and "brought to 1 to 5" not in meta
    failures = " ".join(assay("show", "failures", run).out.split())
    assert "4 of 12 rated answers are bad" in failures
    assert left_out in failures


def test_results_in_python_have_the_same_ratings(tmp_path):
    samples = [
        Sample(id=f"s{n}", user_input="q", response=" ".join(LETTERS[: n + 1]), retrieved_contexts=("a",),
               other_response="x", rating=n - 2, rating_min=-2, rating_max=3, group=f"g{n}", language="en")
        for n in range(6)
    ]  # fmt: skip
    results = evaluate(samples, "token_overlap", progress=False)
    assert {summary.correlation.value for summary in results.summary()} == {None}
    assert results.notes == (NOTE,)
    assert f"  {NOTE}\n" in f"{results!r}\n"
    assert NOTE in results._repr_html_()
    results.save(tmp_path / "results.html")
    assert NOTE in (tmp_path / "results.html").read_text(encoding="utf-8")
    bad = select_bad_answers(results)
    assert bad.metric == "token_overlap", "that the other answer is better does not make this one bad"
    single = [sample.model_copy(update={"other_response": ""}) for sample in samples]
    assert evaluate(single, "token_overlap", progress=False).notes == ()
    agreements = {one.name: one.agreement for one in evaluate(single, "token_overlap", progress=False).summary()}
    assert agreements["token_overlap"] == pytest.approx(-1)


def test_what_is_saved_has_the_scale_of_each_rating_and_the_other_answer(assay, pairs, tmp_path):
    """A pair rated 2 of -2 to 2, a single answer rated 2 of 1 to 5, and one that nobody rated, in one file."""
    (pair,) = (json.loads(line) for line in pairs.read_text(encoding="utf-8").splitlines()[-1:])
    single = {"user_input": "Free?", "response": "=Yes.", "retrieved_contexts": ["Yes."], "language": "en"}
    rows = [pair, single | {"id": "one", "rating": 2}, single | {"id": "none"}]
    path = write_rows(tmp_path / "mixed.jsonl", rows)
    expected = {"p5": ("2.0", "-2.0", "2.0", "No idea."), "one": ("2.0", "1.0", "5.0", ""), "none": ("", "", "", "")}
    names = ("rating", "rating_min", "rating_max", "other_response")
    assert assay("run", path, "--metrics", "token_overlap", "--out", tmp_path / "run.csv").code == 0
    results = Results.from_store(Store(tmp_path / ".assay"), "last")
    results.save(tmp_path / "saved.csv")
    for saved in ("run.csv", "saved.csv"):
        with (tmp_path / saved).open(encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        assert {row["sample"]: tuple(row[name] for name in names) for row in table} == expected
        # what stood in such a file before is where it was
        assert ",".join(table[0]).startswith("sample,metric,value,status,reason,user_input,response,rating,rating_min,")
    by_id = {row["sample"]: row for row in results.as_json()["scores"]}
    assert [by_id["p5"][name] for name in names] == [2, -2, 2, "No idea."]
    assert [by_id["none"][name] for name in names] == [None, None, None, ""]
    frame = results.to_pandas().set_index("id")
    assert frame.loc["p5", [*names]].tolist() == [2, -2, 2, "No idea."]
    assert frame.loc["one", [*names]].tolist() == [2, 1, 5, ""]
    assert frame.loc["none", [*names[:3]]].isna().all()
    again = evaluate(results.to_pandas(), "token_overlap", progress=False).samples  # the frame is read as a set
    read = {key: (one.human_rating, one.rating_min, one.rating_max, one.other_response) for key, one in again.items()}
    assert read == {"p5": (2, -2, 2, "No idea."), "one": (2, 1, 5, ""), "none": (None, 1, 5, "")}
