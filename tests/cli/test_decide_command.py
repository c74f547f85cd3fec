"""`assay decide`, as people type it."""

import json
import math
import re
import sqlite3
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from noted_sets import write_rows
from scipy import stats

from assay.meta_eval import spent_error
from assay.runs import Store, find_source, open_queue
from assay.runs.ratings import QueueSettings

COUNT = 24


def write(path, name, rating):
    rows = [
        {"id": f"q{n}", "user_input": f"Question {n}?", "response": f"{name} word {'word ' * (n % 3)}{n}."}
        | {"retrieved_contexts": [f"word {n}"]}
        | ({} if rating(n) is None else {"rating": rating(n)})
        for n in range(COUNT)
    ]
    return write_rows(path, rows)


@pytest.fixture
def two_runs(assay, tmp_path):
    """The new answers are rated one point higher, every fourth of them two."""
    old = write(tmp_path / "old.jsonl", "old", lambda n: 1 + n % 3)
    new = write(tmp_path / "new.jsonl", "new", lambda n: 2 + n % 3 + (n % 4 == 0) if n % 2 == 0 else None)
    return [assay("run", path, "--metrics", "token_overlap", "--json").json["run"] for path in (old, new)]


def test_a_version_has_the_mean_that_estimate_says_of_its_run(assay, two_runs):
    """All of the old version's answers are rated, and 12 of 24 of the new one's: both commands help by percentiles."""
    versions = assay("decide", *two_runs, "--metric", "token_overlap", "--json").json["versions"]
    words = ("--judged", "token_overlap", "--json")
    means = [assay("estimate", run, *words).json for run in two_runs]
    assert [one["mean"] for one in versions] == pytest.approx([one["mean"] for one in means], abs=1e-12)
    assert means[1]["power"] > 0 and [one["rated"] for one in means] == [24, 12]


def test_a_gate_fails_unless_the_new_version_may_be_shipped(assay, two_runs):
    old, new = two_runs
    arguments = ("--metric", "token_overlap", "--gate", "--json")
    assert assay("decide", old, new, *arguments).code == 0
    keep = assay("decide", new, old, *arguments)
    assert (keep.code, keep.json["verdict"]) == (5, "keep")
    same = assay("decide", f"a={old}", f"b={old}", *arguments)
    assert (same.code, same.json["verdict"]) == (0, "equivalent")
    assert assay("decide", new, old, "--metric", "token_overlap").code == 0
    newest = assay("decide", "last~1", "last", *arguments)
    assert (newest.code, newest.json["verdict"]) == (0, "ship")


def test_a_gate_fails_where_what_is_rated_is_no_random_part(assay, tmp_path):
    """Of the new version the 12 answers that repeat the context are rated, 2 points higher, and no other."""
    runs = []
    for name in ("old", "new"):
        rows = [
            {"id": f"q{n}", "user_input": f"Question {n}?", "retrieved_contexts": [f"word {n}"]}
            | {"response": f"word {n}" if n % 2 == 0 else f"{name} and nothing {n}"}
            | ({"rating": 1 + n % 3} if name == "old" else {"rating": 3 + n % 3} if n % 2 == 0 else {})
            for n in range(24)
        ]
        for row in rows:
            row["response"] += f", says {name}"
        path = write_rows(tmp_path / f"{name}.jsonl", rows)
        runs.append(assay("run", path, "--metrics", "token_overlap", "--json").json["run"])
    words = ("decide", f"old={runs[0]}", f"new={runs[1]}", "--metric", "token_overlap")
    assert assay(*words, "--json").json["verdict"] == "ship"
    gate = assay(*words, "--gate")
    assert gate.code == 5 and assay(*words).code == 0
    assert "Ship new: your raters like it better than old; but what is rated may be no random part" in gate.out
    files = assay("decide", "old=old.jsonl", "new=new.jsonl", "--gate")  # the same answers, which are in no run
    assert files.code == 5
    assert "Ship new: your raters like it better than old; but what is rated may be no random part" in files.out
    only = assay("decide", *runs, "--json").json["others"]  # of runs and of files by the same scores
    of_files = assay("decide", "old.jsonl", "new.jsonl", "--json").json["others"]
    assert [(one["metric"], one["difference"]) for one in of_files] == [
        (one["metric"], one["difference"]) for one in only
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["RUN_A", "nope"], "'nope' is no set, and no run: no run is called 'nope'"),
        (["RUN_A", "RUN_B", "--metric", "bleu"], "A, B was not scored with it (all versions have token_overlap"),
        (["RUN_A", "RUN_B", "--level", "turn"], "no sample of the run has messages"),
    ],
)
def test_what_cannot_be_done_ends_with_2_and_says_why(words, message, assay, two_runs):
    names = dict(zip(("RUN_A", "RUN_B"), two_runs, strict=True))
    done = assay("decide", *(names.get(word, word) for word in words))
    assert done.code == 2 and message in done.err and done.out == ""


@pytest.mark.parametrize(("rated", "mean", "which"), [("", None, "each"), ("A", 3.5, "B")])
def test_where_nothing_tells_versions_apart_nothing_is_settled(rated, mean, which, assay, tmp_path):
    """Of 24 answers of each version none is rated, or only those of A, half 3 and half 4: the gate fails with 5."""
    rows = [
        {"id": f"q{n}", "question": f"Q{n}?", "answer": f"{name} {n}", "system": name}
        | ({"rating": 3 + n % 2} if name == rated else {})
        for name in "AB"
        for n in range(COUNT)
    ]
    file = write_rows(tmp_path / "answers.jsonl", rows)
    done = assay("decide", file, "--by", "system", "--scale", "1-5", "--gate", "--json")
    assert (done.code, done.json["verdict"]) == (5, "unsettled")
    row = done.json["differences"][0]
    assert [row[key] for key in ("difference", "low", "high", "p")] == [None] * 4
    assert [one["mean"] for one in done.json["versions"]] == [mean, None]
    assert done.json["needs"]["ratings"] == COUNT
    shown = assay("decide", file, "--by", "system", "--scale", "1-5", "--report", "d.html", code=0).out
    assert "Difference        not known: too few answers of each are rated" in shown
    assert f"To settle it      rate about 24 answers of {which}" in shown and "number of looks" not in shown


def test_the_lines_of_a_verdict_are_the_same_in_every_output(assay, two_runs):
    """Runs without names of their own are A and B in the lines; the values of JSON name the runs."""
    words = ("decide", *two_runs, "--metric", "token_overlap")
    done, shown = assay(*words, "--json").json, " ".join(assay(*words).out.split())
    lines = done["verdict_lines"]
    assert lines["Decision"] == "Ship B: your raters like it better than A"
    assert all(f"{label} {' '.join(line.split())}" in shown for label, line in lines.items())
    assert (done["best"], done["runs"]) == (two_runs[1], dict(zip("AB", two_runs, strict=True)))
    assert [one["name"] for one in done["versions"]] == two_runs
    named = assay("decide", f"old={two_runs[0]}", f"new={two_runs[1]}", "--metric", "token_overlap", "--json").json
    assert named["best"] == "new" and "runs" not in named


def test_sets_need_no_run(assay, tmp_path):
    old = write(tmp_path / "old.jsonl", "old", lambda n: 1 + n % 3)
    new = write(tmp_path / "new.jsonl", "new", lambda n: 2 + n % 3 + (n % 4 == 0))
    done = assay("decide", f"old={old}", f"new={new}")
    assert done.code == 0 and done.out.startswith("Decision          Ship new: ")
    last = assay("decide", old, "last")
    assert last.code == 2 and "there are no runs" in last.err


def test_what_is_rated_on_the_page_settles_it(assay, tmp_path):
    """The commands that an unsettled decision names rate both versions; the same command then decides."""
    files = [write(tmp_path / f"{name}.jsonl", name, lambda n: None) for name in ("old", "new")]
    runs = [assay("run", file, "--metrics", "token_overlap", "--json").json["run"] for file in files]
    done = assay("decide", *runs, "--metric", "token_overlap")
    store = Store(".assay")
    settings = QueueSettings(raters=("ada",), per_answer=1, repeat_share=0.0)
    for run in runs:
        assert f"  assay rate {run} --raters NAME,NAME\n" in done.out
        queue = open_queue(store, find_source(store, run), settings, guideline=None)
        while assignment := queue.next_item("ada"):
            bonus = 2.0 + (len(assignment.sample.response) % 2) if "new" in assignment.sample.response else 0.0
            queue.save("ada", assignment.sample.id, 2.0 + bonus)
    store.close()
    decision = assay("decide", *runs, "--metric", "token_overlap", "--json").json
    assert (decision["verdict"], decision["best"]) == ("ship", runs[1])
    assert [version["rated"] for version in decision["versions"]] == [24, 24]


def test_a_score_alone_passes_no_gate(assay, tmp_path):
    files = [write(tmp_path / f"{name}.jsonl", name, lambda n: None) for name in ("old", "new")]
    runs = [assay("run", file, "--metrics", "token_overlap", "--json").json["run"] for file in files]
    gate = assay("decide", *runs, "--metric", "token_overlap", "--gate")
    assert gate.code == 5 and "scores, which decide nothing: nothing is rated" in gate.out
    said = " ".join(assay("show", "changes", *runs).out.split())
    assert "Whether your raters like B better is not known: no answer is rated" in said


def test_a_store_counts_the_looks_at_its_runs(assay, tmp_path):
    """Twelve of 24 are rated, then all: the second look has the rest of the 5%. Runs that are swapped are the same."""
    old = write(tmp_path / "old.jsonl", "old", lambda n: 1 + n % 3)
    new = write(tmp_path / "new.jsonl", "new", lambda n: None)
    runs = [assay("run", file, "--metrics", "token_overlap", "--json").json["run"] for file in (old, new)]
    rows = [json.loads(line) for line in new.read_text(encoding="utf-8").splitlines()]

    def rate(count):
        rated = [row | {"rating": 1 + (n * 7) % 4} for n, row in enumerate(rows[:count])]
        return write_rows(tmp_path / f"rated{count}.jsonl", rated)

    def decide(count, names):
        decision: dict[str, Any] = assay("decide", *names, "--ratings", rate(count), "--json").json
        return decision

    first = decide(12, runs)
    assert (first["look"]["number"], first["look"]["rated"]) == (1, 12)
    assert decide(12, runs) == first
    row = decide(12, runs[::-1])["differences"][0]
    assert [row["low"], row["high"], row["p"]] == [
        -first["differences"][0]["high"], -first["differences"][0]["low"], first["differences"][0]["p"]
    ]  # fmt: skip
    second = decide(24, runs)
    assert (second["look"]["number"], second["look"]["share"]) == (2, 1.0)
    assert second["look"]["error"] == pytest.approx(0.05 - first["look"]["error"])
    assert "This is look 2 at these versions" in " ".join(
        assay("decide", *runs, "--ratings", tmp_path / "rated24.jsonl").out.split()
    )
    again = [assay("run", file, "--metrics", "token_overlap", "--json").json["run"] for file in (old, new)]
    assert decide(24, again)["look"] == second["look"], "the same answers are the same decision, in whatever run"
    assert assay("decide", old, new, "--ratings", tmp_path / "rated24.jsonl", "--json").json["look"] == second["look"]
    alone = assay("decide", *runs, "--ratings", tmp_path / "rated24.jsonl", "--looks", "any", "--json").json
    assert alone["look"] is None
    width = alone["differences"][0]["high"] - alone["differences"][0]["low"]
    assert width > second["differences"][0]["high"] - second["differences"][0]["low"]


def test_rows_of_two_answers_are_no_version_and_the_cure_that_is_named_decides(assay, tmp_path):
    """Of 24 choices 18 are for b, 3 for a and 3 ties, net (18 - 3) / 24: read as one version twice nothing differed."""
    questions, file = [f"Question {n}?" for n in range(24)], tmp_path / "pairs.csv"
    rows = [f"{one},a {n},b {n},{'B' if n < 18 else 'A' if n < 21 else 'tie'}" for n, one in enumerate(questions)]
    file.write_text("\n".join(["question,answer_a,answer_b,preference", *rows]), encoding="utf-8")
    of_each = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for place in of_each:
        answers = [f"{one},{place.stem} {n}" for n, one in enumerate(questions)]
        place.write_text("\n".join(["question,answer", *answers]), encoding="utf-8")
    runs = [assay("run", file, "--metrics", "token_overlap", "--json").json["run"] for _ in range(2)]
    named = [file], [file, file], [f"A={file}", f"B={file}"], [f"A={of_each[0]}", f"B={file}"], runs
    for versions in named:
        refused = assay("decide", *versions, "--ratings", file, "--gate")
        assert refused.code == 2 and "pairs.csv: its rows hold two answers each" in refused.err, versions
    decision = assay("decide", f"A={of_each[0]}", f"B={of_each[1]}", "--ratings", file, "--gate", "--json").json
    assert (decision["verdict"], decision["best"]) == ("ship", "B")
    assert decision["differences"][0]["difference"] == pytest.approx(15 / 24)


def test_looks_at_files_are_counted_by_their_answers(assay, tmp_path):
    """Six of 24 are rated, then twelve, in a file of another name: both looks have what 12 / 24 may spend."""
    old = write(tmp_path / "old.jsonl", "old", lambda n: 1 + n % 3)
    few = write(tmp_path / "few.jsonl", "new", lambda n: 2 + n % 2 if n < 6 else None)
    more = write(tmp_path / "more.jsonl", "new", lambda n: 2 + n % 2 if n < 12 else None)
    looks = [assay("decide", old, new, "--json").json["look"] for new in (few, few, more)]
    assert [(look["number"], look["rated"]) for look in looks] == [(1, 6), (1, 6), (2, 12)]
    assert looks[0]["error"] + looks[2]["error"] == pytest.approx(0.05 * math.log1p((math.e - 1) / 2))
    (tmp_path / "a_file").write_text("", encoding="utf-8")
    unkept = assay("decide", old, more, "--json", "--store", tmp_path / "a_file").json
    assert unkept["look"]["number"] == 1
    assert "This look is not counted: " in unkept["notes"][0] and "cannot be opened" in unkept["notes"][0]


def test_other_ratings_of_the_same_answers_have_no_error_of_their_own(assay, tmp_path):
    """The first file, all ratings, spends the 5%; by the second B is surely 1.5 better, which then ships nothing.

    By the first the differences are 12 times +2 and 12 times -2: 0 +- 2.0687 x 2 / sqrt(23). That is what each further
    look shows, 0 with this interval, whether its own difference lies within it (0.5) or not (1.5). The first file again
    is the first look.
    """
    old, new = (write(tmp_path / f"{name}.jsonl", name, lambda n: None) for name in ("old", "new"))

    def decide(name, rate, *versions):
        rows = [f"{one},q{n},{rate(n) if one == 'B' else 3}" for one in "AB" for n in range(24)]
        (tmp_path / name).write_text("\n".join(["version,id,rating", *rows]), encoding="utf-8")
        done: dict[str, Any] = assay("decide", *versions, "--ratings", tmp_path / name, "--json").json
        return done

    names = f"A={old}", f"B={new}"
    first = decide("first.csv", lambda n: 1 + 4 * (n % 2), *names)
    half = 2.0687 * 2 / math.sqrt(23)
    assert first["differences"][0]["high"] == pytest.approx(half, abs=1e-3)
    better = decide("second.csv", lambda n: 4 + n % 2, *names)
    assert (better["verdict"], better["look"]["number"], better["look"]["error"]) == ("unsettled", 2, 0)
    assert better["differences"] == first["differences"]
    assert "These answers were looked at before (1 look), with other ratings" in better["notes"][0]
    third = decide("third.csv", lambda n: 3 + n % 2, *names[::-1])
    assert (third["verdict"], third["look"]["number"]) == ("unsettled", 3)
    assert [third["differences"][0][key] for key in ("difference", "high")] == pytest.approx([0, half], abs=1e-3)
    assert third["notes"][0].endswith("the differences are those of look 1.")
    assert decide("fourth.csv", lambda n: 1 + 4 * (n % 2), *names) == first | {"notes": ANY}


def test_all_looks_at_a_file_count_where_only_its_ratings_change(assay, tmp_path):
    """All are rated, and nothing is settled: the 5% are spent, for other ratings and for fewer of them too.

    The differences of the first look are 12 times +1 and 12 times -0.5: 0.25 +- 2.0687 x 0.75 / sqrt(23).
    """
    old = [3.0] * COUNT
    looks = []
    for new in ([4.0, 2.5] * 12, [4.0, 5.0] * 12, [4.0, 5.0] * 6 + [None] * 12):
        rows = [
            {"id": f"q{n}", "question": f"Q{n}?", "answer": f"{name} {n}", "system": name, "rating": rating}
            for name, ratings in (("A", old), ("B", new))
            for n, rating in enumerate(ratings)
        ]
        file = write_rows(tmp_path / "answers.jsonl", [{k: v for k, v in row.items() if v is not None} for row in rows])
        done = assay("decide", file, "--by", "system", "--scale", "1-5", "--json").json
        assert done["verdict"] == "unsettled"
        row = done["differences"][0]
        looks.append((done["look"]["number"], done["look"]["error"]))
        half = stats.t.isf(0.025, 23) * 0.75 / math.sqrt(23)
        assert [row[key] for key in ("difference", "low", "high")] == pytest.approx([0.25, 0.25 - half, 0.25 + half])
    assert looks == [(1, 0.05), (2, 0), (3, 0)]
    assert "a new run of about " in done["verdict_lines"]["To settle it"]
    assert "assay rate" not in assay("decide", file, "--by", "system", "--scale", "1-5").out, "more ratings do nothing"


def test_where_no_error_is_left_a_new_run_of_compared_questions_settles_it(assay, tmp_path):
    """24 choices, 8 for each and 8 ties, spend the 5%; then 20 of other people, of which 9 are for B and 7 for A.

    The variance of the 20 is (16 - 2^2 / 20) / 19 = .83. That a difference of 0 is below 0.1 is shown in 8 of 10 cases
    by (1.645 + 1.282)^2 .83 / .1^2 = 712, told in steps of 5%.
    """
    old, new = (write(tmp_path / f"{name}.jsonl", name, lambda n: None) for name in ("old", "new"))

    def decide(name, choices):
        rows = [f"q{n},{choice}" for n, choice in enumerate(choices)]
        (tmp_path / name).write_text("\n".join(["id,preference", *rows]), encoding="utf-8")
        done: dict[str, Any] = assay("decide", f"A={old}", f"B={new}", "--ratings", tmp_path / name, "--json").json
        return done

    first = decide("first.csv", ["A", "B", "tie"] * 8)
    second = decide("second.csv", ["A"] * 7 + ["B"] * 9 + ["tie"] * 4)
    assert (first["look"]["error"], second["look"]["error"], second["verdict"]) == (0.05, 0, "unsettled")
    assert second["differences"][0] == first["differences"][0] | {"rated": 20}
    needs = second["needs"]
    assert (needs["ratings"], needs["is_equal"]) == (None, True)
    assert needs["answers"] == pytest.approx(712, rel=0.06)
    settles = second["verdict_lines"]["To settle it"]
    assert settles == "a new run of about 750 compared questions to show that they are alike"


def test_versions_of_the_same_answers_each_keep_their_looks(assay, tmp_path):
    """The version in use, a copy of it and a new one: the three pairs stand in each look."""
    old, copy = (write(tmp_path / f"{name}.jsonl", "old", lambda n: 1 + n % 3) for name in ("old", "copy"))
    few = write(tmp_path / "few.jsonl", "new", lambda n: 2 + n % 2 if n < 6 else None)
    more = write(tmp_path / "more.jsonl", "new", lambda n: 2 + n % 2 if n < 12 else None)
    looks = [assay("decide", old, copy, new, "--json").json["look"] for new in (few, more)]
    assert [(look["number"], look["rated"]) for look in looks] == [(1, 12), (2, 24)], "of two pairs"
    with sqlite3.connect(tmp_path / ".assay" / "runs.sqlite") as database:
        kept = [json.loads(look)["intervals"] for (look,) in database.execute("SELECT look FROM decision_looks")]
    assert [len({frozenset(pair[:2]) for pair in intervals}) for intervals in kept] == [3, 3]
    assert all(first != second for intervals in kept for first, second, *_ in intervals)


def test_two_of_three_versions_are_another_look_at_them_and_no_new_decision(assay, tmp_path):
    """24 differences of 1.5 or -0.5, mean 0.5, error 1 / sqrt(23): the t of 23 degrees is 2.398, p .025 by itself.

    Of three pairs p is 1 - (1 - .025)^3 = .073, and stays so without the second version. A fourth version is new.
    """
    rate = {"old": lambda n: 3, "same": lambda n: 3, "new": lambda n: 2.5 + 2 * (n % 2), "fourth": lambda n: 4 + n % 2}
    old, same, new, fourth = (write(tmp_path / f"{name}.jsonl", name, one) for name, one in rate.items())
    p = 2 * stats.t.sf(0.5 * math.sqrt(23), 23)
    three = assay("decide", old, same, new, "--json").json
    assert (three["verdict"], three["look"]["number"]) == ("unsettled", 1)
    row = three["differences"][1]
    assert (row["difference"], row["p"]) == (0.5, pytest.approx(1 - (1 - p) ** 3))
    for _ in range(2):
        two = assay("decide", old, new, "--json").json
        assert (two["verdict"], two["look"]["number"], two["look"]["error"]) == ("unsettled", 2, 0)
        assert [two["differences"][0][key] for key in ("low", "high", "p")] == [
            row[key] for key in ("low", "high", "p")
        ]
        assert "looked at before (1 look), with other ratings or beside other versions" in two["notes"][0]
    assert assay("decide", old, same, new, "--json").json == three
    assert assay("decide", old, new, fourth, "--json").json["verdict"] == "ship"
    assert assay("decide", old, new, "--json", "--store", tmp_path / "empty").json["differences"][0]["p"] == (
        pytest.approx(p)
    )


def test_ratings_that_came_count_where_a_version_is_left_out(assay, tmp_path):
    """Of three versions 8 of 24 questions are rated, 24 in three pairs; then of two of them 16, not 8 as before."""
    few = [write(tmp_path / f"{name}.jsonl", name, lambda n: 3 + n % 2 if n < 8 else None) for name in ("old", "b")]
    new = [
        write(tmp_path / f"new{end}.jsonl", "new", lambda n, end=end: 2 + n % 4 if n < end else None) for end in (8, 16)
    ]
    old = write(tmp_path / "more.jsonl", "old", lambda n: 3 + n % 2 if n < 16 else None)
    three = assay("decide", *few, new[0], "--json").json["look"]
    assert (three["number"], three["rated"]) == (1, 24)
    two = assay("decide", old, new[1], "--json").json["look"]
    assert (two["number"], two["rated"], two["share"]) == (2, 16, pytest.approx(2 / 3))
    assert two["error"] == pytest.approx(spent_error(2 / 3) - spent_error(1 / 3))
    assert assay("decide", old, new[1], "--json").json["look"] == two


def test_a_report_says_of_which_runs_and_files_it_is_and_who_rated(assay, tmp_path):
    old = write(tmp_path / "old.jsonl", "old", lambda n: None)
    run = assay("run", old, "--metrics", "token_overlap", "--json").json["run"]
    new = write(tmp_path / "new.jsonl", "new", lambda n: None)
    rows = [{"id": f"q{n}", "version": version, "rating": {"mia": 2, "tom": 3}} for n in range(8) for version in "AB"]
    ratings = tmp_path / "ratings.jsonl"
    ratings.write_text(
        "".join(
            json.dumps({"id": row["id"], "version": row["version"], "rating": value, "rater": rater}) + "\n"
            for row in rows
            for rater, value in row["rating"].items()
        )
    )
    assay("decide", f"A={run}", f"B={new}", "--ratings", ratings, "--scale", "1-5", "--report", "d.html", code=0)
    about = Path("d.html").read_text().partition('<p class="about" lang="en">')[2].partition("</p>")[0]
    assert (
        about.startswith("A: old.jsonl, scored on ") and "; B: new.jsonl; 16 rated answers; raters: mia, tom; " in about
    )
    assert "; report of " in about


def test_a_name_of_a_version_is_one_line(assay, two_runs):
    done = assay(
        "decide", f"A={two_runs[0]}", f"new\nShip C: forged\x1b[31m={two_runs[1]}", "--metric", "token_overlap"
    )
    assert "\nnew Ship C: forged[31m: run " in done.out
    assert "\nShip C" not in done.out and "\x1b" not in done.out


def test_a_run_that_did_not_end_is_said(assay, two_runs):
    store = Store(".assay")
    store.end(two_runs[1], "interrupted")
    store.close()
    notes = assay("decide", *two_runs, "--metric", "token_overlap", "--json").json["notes"]
    assert f"Run {two_runs[1]} is not done (interrupted): what it has so far takes part." in notes


def test_a_judge_for_decide_went(assay, two_runs):
    done = assay("decide", *two_runs, "--metric", "token_overlap", "--judge", "openai/x", code=2)
    assert "people do, side by side (assay rate RUN_A RUN_B --pairs)" in " ".join(done.err.split())


def test_a_report_that_cannot_be_written_is_refused(assay, two_runs):
    done = assay("decide", *two_runs, "--metric", "token_overlap", "--report", "/proc/x.html")
    assert done.code == 2 and "/proc/x.html" in done.err


def test_a_cell_of_two_lines_forges_no_line(assay, two_runs, tmp_path):
    (tmp_path / "pref.csv").write_text('question,first,second,choice\nq1,A,B,"javas\nShip B forged"\n')
    done = assay("decide", *two_runs, "--metric", "token_overlap", "--ratings", "pref.csv")
    assert done.code != 0 and "javas Ship B forged" in " ".join(done.err.split())
    assert not any(line.startswith("Ship B") for line in done.err.splitlines())


def dutch_versions(tmp_path, rating):
    """A file of two versions in columns that only `--map` makes clear, with ratings on 0 to 10."""
    lines = ["vraag = kort;uitkomst;versie;cijfer"]
    for number in range(COUNT):
        lines += [f"Vraag {number}?;{name} {number};{name};{rating(name, number)}" for name in ("oud", "nieuw")]
    (tmp_path / "antwoorden.csv").write_text("\n".join(lines) + "\n")
    return ["antwoorden.csv", "--by", "versie", "--map", "vraag = kort=user_input", "--map", "uitkomst=response"]


def test_further_ratings_are_asked_for_on_the_scale_of_those_so_far(assay, tmp_path):
    words = [
        *dutch_versions(tmp_path, lambda name, n: n % 8 + 1 + (name == "nieuw") * (n % 3 - 1) if n < 14 else ""),
        *("--map", "cijfer=rating", "--scale", "0-10"),
    ]
    out = assay("decide", *words, code=0).out
    assert re.search(r"\n  assay rate \S*antwoorden.csv --scale 0-10 --raters NAME,NAME\n", out)


def test_the_sheet_that_is_named_holds_the_ratings_or_the_preferences(assay, two_runs, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rated, compared = book.active, book.create_sheet("Choices")
    rated.title = "Ratings"
    rated.append(["id", "version", "rating"])
    compared.append(["id", "model_a", "model_b", "winner"])
    for number in range(COUNT):
        for version, more in (("old", 0), ("new", number % 3)):
            rated.append([f"q{number}", version, 2 + more])
        compared.append([f"q{number}", "old", "new", "new" if number % 3 else "tie"])
    book.save(tmp_path / "team.xlsx")
    words = ("decide", f"old={two_runs[0]}", f"new={two_runs[1]}", "--ratings", "team.xlsx", "--json")
    assert "choose one (--sheet NAME)" in assay(*words, code=1).err
    done = assay(*words, "--sheet", "Ratings", code=0)
    assert not [note for note in done.json["notes"] if "choices between" in note]
    assert "24 choices between two answers, of team.xlsx." in assay(*words, "--sheet", "Choices", code=0).json["notes"]
