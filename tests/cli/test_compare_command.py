"""`assay show changes`, `assay show failures` and `assay estimate`, as people type them."""

import json
import re

import pytest
from noted_sets import write_rows


def changed(path, change):
    """The set with every row changed."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        change(row)
    return write_rows(path, rows)


def flowers_for_s1_and_s4(row):
    if row["id"] in {"s1", "s4"}:
        row["response"] = row["response"].replace("Press button", "[bold]Send\x1b[31m</b>").replace(" 1.", " 1!")


@pytest.fixture
def two_runs(assay, set_file):
    """Six samples; in the second run two answers are worse."""
    path = set_file(6)
    first = assay("run", path, "--metrics", "token_overlap", "--json").json["run"]
    second = assay("run", changed(path, flowers_for_s1_and_s4), "--metrics", "token_overlap", "--json").json["run"]
    return [first, second]


def test_differences_are_paired(assay, two_runs):
    result = assay("show", "changes", *two_runs, "--json")
    assert (result.code, result.err) == (0, "")
    assert (result.json["samples"], result.json["answers_changed"]) == (6, 2)
    first = result.json["metrics"][0]
    one, other = (assay("show", run, "--json").json["scores"] for run in two_runs)
    values = [
        {each["sample"]: each["value"] for each in run if each["metric"] == "token_overlap"} for run in (one, other)
    ]
    by_hand = sum(values[1][name] - values[0][name] for name in values[0]) / 6
    assert (first["metric"], first["n"], first["groups"]) == ("token_overlap", 6, 6)
    assert first["difference"] == pytest.approx(by_hand)
    assert first["low"] <= first["difference"] <= first["high"]
    assert first["p"] > 0.05  # as the interval holds 0: two of six fell
    assert {each["sample"] for each in result.json["changed"]} == {"s1", "s4"}
    assert result.json["changed"][0]["a"]["evidence"] != result.json["changed"][0]["b"]["evidence"]


def test_ratings_of_both_runs_say_which_one_raters_like(assay, set_file):
    """The twelve answers of B are rated 2 lower each, 3 lower in two: by hand (10 x 2 + 2 x 3) / 12 = 2.17 lower."""

    def rate(value):
        def change(row):
            row.update(rating=value - (value < 3 and row["id"] in {"s1", "s4"}), response=f"{row['response']} {value}")

        return change

    first = assay("run", changed(set_file(12), rate(4.0)), "--metrics", "token_overlap", "--json").json["run"]
    second = assay("run", changed(set_file(12), rate(2.0)), "--metrics", "token_overlap", "--json").json["run"]
    raters = assay("show", "changes", first, second, "--json").json["raters"]
    (row,) = raters["differences"]
    assert (raters["verdict"], row["rated"]) == ("keep", 12)
    assert row["difference"] == pytest.approx(-26 / 12)
    assert row["low"] < -26 / 12 < row["high"] < 0
    assert row == assay("decide", f"A={first}", f"B={second}", "--json").json["differences"][0]
    assert (
        "Difference        A is rated 2.17 higher than B, on 1 to 5 (likely"
        in assay("show", "changes", first, second).out
    )


def test_samples_that_cannot_be_paired_are_told(assay, set_file):
    first = assay("run", set_file(6), "--metrics", "token_overlap", "--json").json["run"]

    def ask_else(row):
        if row["id"] == "s0":
            row["user_input"] += " Please."
        if row["id"] == "s1":
            row["id"] = "new"

    path = changed(set_file(6), ask_else)
    second = assay("run", path, "--metrics", "token_overlap", "--json").json["run"]
    report = assay("show", "changes", first, second, "--json").json
    assert (report["only_a"], report["only_b"]) == (["s0", "s1"], ["s0", "new"])
    assert report["samples"] == 4
    changed(path, lambda row: row.update(id=f"x{row['id']}"))
    third = assay("run", path, "--metrics", "token_overlap", "--json").json["run"]
    by_question = assay("show", "changes", first, third, "--json", code=0).json  # as decide pairs them
    assert (by_question["samples"], by_question["metrics"][0]["n"]) == (5, 5)
    changed(path, lambda row: row.update(user_input=f"And {row['user_input']}"))
    fourth = assay("run", path, "--metrics", "token_overlap", "--json").json["run"]
    assert "no sample in common" in assay("show", "changes", first, fourth, code=2).err


@pytest.fixture
def scores(tmp_path):
    """40 answers with a cheap score; the judge scored 30 by the rating; 20 of these are rated 1 to 5."""
    path = tmp_path / "scores.jsonl"
    rows = [
        {"id": f"a{n}", "cheap": n % 2, "judge": 1 + n % 5 if n < 30 else None, "rating": 1 + n % 5 if n < 20 else None}
        for n in range(40)
    ]
    return write_rows(path, rows)


def test_where_all_are_rated_their_own_mean_is_said(assay, tmp_path):
    path = tmp_path / "scores.jsonl"
    rows = [{"id": f"a{n}", "cheap": n % 2, "judge": n % 3, "rating": 1 + n % 5} for n in range(20)]
    write_rows(path, rows)
    shown = assay("estimate", "--scores", path, "--judged", "judge").out
    assert "All are rated: 3.00 is their own mean. The interval is for more answers like these." in " ".join(
        shown.split()
    )


def test_an_estimate_names_its_metric_and_asks_for_ratings(assay, scores, tmp_path):
    typed = ("estimate", "--scores", scores)
    assert "no metric 'other'" in assay(*typed, "--judged", "other").err
    few = tmp_path / "few.jsonl"
    few.write_text("".join(scores.read_text(encoding="utf-8").splitlines(keepends=True)[11:]), encoding="utf-8")
    assert "9 rated answers do not suffice: rate at least 10" in assay("estimate", "--scores", few).err


def test_an_estimate_asks_for_ratings_from_other_groups_too(assay, tmp_path):
    """60 of 400 answers rated; of two answers a group the ratings are of 30 groups, of one each of 60."""
    for in_group, others in ((2, ", from other groups too"), (1, "")):
        rows = [
            {"id": f"a{n}", "group": f"g{n // in_group}", "m": n % 7, "rating": 1 + n // 2 % 5 if n < 60 else None}
            for n in range(400)
        ]
        path = write_rows(tmp_path / "groups.jsonl", rows)
        shown = " ".join(assay("estimate", "--scores", path).out.split())
        assert re.search(rf"Rate about \d+ more answers{others} for an interval 0\.\d wide \(assay rate SET\)", shown)


def test_an_estimate_of_a_run_before_the_last_names_that_run_to_be_rated(assay, tmp_path):
    rows = [{"id": f"a{n}", "user_input": f"Q{n}?", "response": "Yes.", "language": "en"} for n in range(60)]
    for n, row in enumerate(rows[:20]):
        row["rating"] = 1 + n % 5
    path = write_rows(tmp_path / "set.jsonl", rows)
    run, _ = (assay("run", path, "--metrics", "answer_length", "--json", code=0).json["run"] for _ in range(2))
    assert f"(assay rate {run})" in " ".join(assay("estimate", "last~1").out.split())


def test_an_estimate_has_the_marks_of_its_reader(assay, tmp_path, monkeypatch):
    rows = [{"id": f"a{n}", "m": n % 7, "rating": 0.5 + n % 6 if n < 60 else None} for n in range(1200)]
    path = write_rows(tmp_path / "scores.jsonl", rows)
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    shown = " ".join(assay("estimate", "--scores", path, "--scale", "0.5-5.5").out.split())
    assert re.search(r"beoordeling van alle 1\.200 antwoorden: 3,00 \[2,\d\d; 3,\d\d\] op 0,5-5,5", shown)
    assert re.search(r"Slechte antwoorden \(onder het midden beoordeeld\): 50,0% \[\d\d,\d%; \d\d,\d%\]", shown)
    assert re.search(
        r"Beoordeel ongeveer \d+ antwoorden meer voor een interval van 0,\d+ breed \(assay rate SET\)", shown
    )


def test_equal_ratings_are_not_said_to_leave_the_interval_wide(assay, tmp_path):
    """60 fives of 300: the interval, .24 wide, would be .05 wide with all rated fives; no number is told."""
    rows = [{"id": f"a{n}", "m": n % 7, "rating": 5 if n < 60 else None} for n in range(300)]
    path = write_rows(tmp_path / "fives.jsonl", rows)
    shown = assay("estimate", "--scores", path, "--scale", "1-5").out
    assert "5.00 [4.76, 5.00]" in shown and "Rating the others too" not in shown and "Rate about" not in shown


def test_changes_say_of_a_metric_what_decide_says(assay, set_file):
    """The rows of B are in another order and two are missing; the answers of each two samples are of one group."""

    def rate(row):
        row.update(rating=1 + int(row["id"][1:]) % 5, group=f"g{int(row['id'][1:]) // 2}")

    path = changed(set_file(16), rate)
    first = assay("run", path, "--metrics", "token_overlap,answer_length", "--json", code=0).json["run"]
    rows = changed(path, flowers_for_s1_and_s4).read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{row}\n" for row in rows[:1:-1]), encoding="utf-8")
    second = assay("run", path, "--metrics", "token_overlap,answer_length", "--json", code=0).json["run"]
    changes = assay("show", "changes", first, second, "--json", code=0).json["metrics"]
    decided = assay("decide", first, second, "--json", code=0).json["others"]
    figures = ("difference", "low", "high", "p")
    by_metric = {row["metric"]: [row[figure] for figure in figures] for row in changes}
    assert {row["metric"]: [row[figure] for figure in figures] for row in decided} == by_metric
    assert any(row["p"] is not None and row["difference"] for row in decided)


def test_a_question_that_was_answered_several_times_counts_once(assay, tmp_path):
    """Without ids each of five questions was asked three times: their means differ by 1 of 2 words, in each by 0.5."""
    runs = []
    for name, answer in (("a", "Yes"), ("b", "Yes indeed")):
        rows = [{"question": f"Q{n % 5}?", "answer": answer, "context": "Yes", "group": n % 5} for n in range(15)]
        write_rows(tmp_path / f"{name}.jsonl", rows)
        run = assay("run", f"{name}.jsonl", "--metrics", "rouge_l_precision", "--json", code=0).json["run"]
        runs.append(run)
    row = assay("show", "changes", *runs, "--json", code=0).json["metrics"][0]
    assert (row["n"], row["mean_a"], row["mean_b"], row["difference"]) == (5, 1, 0.5, -0.5)


def test_answers_that_became_empty_or_refused_are_changes(assay, set_file):
    """Of eight answers one became empty and one a refusal, which token overlap still scores; the other way round both
    have come back."""
    answers = {"s5": "", "s3": "I am sorry, I cannot help you with that."}
    full = assay("run", set_file(8, rating=None), "--metrics", "token_overlap", "--json").json["run"]
    worse = changed(set_file(8, rating=None), lambda row: row.update(response=answers.get(row["id"], row["response"])))
    silent = assay("run", worse, "--metrics", "token_overlap", "--json").json["run"]
    for runs, before, after, said in (
        ([full, silent], ["scored"] * 2, ["refused", "empty"], "2 became empty, refused or unscored, 0 the reverse"),
        ([silent, full], ["refused", "empty"], ["scored"] * 2, "0 became empty, refused or unscored, 2 the reverse"),
    ):
        shown = assay("show", "changes", *runs, "--json", code=0).json
        assert [row["sample"] for row in shown["outcomes"]] == ["s3", "s5"]
        assert [row["before"] for row in shown["outcomes"]] == before
        assert [row["after"] for row in shown["outcomes"]] == after
        assert [row["sample"] for row in shown["changed"]] == ["s3", "s5"]
        assert (shown["changed"][1]["difference"], shown["changed"][1]["after"]) == (None, after[1])
        assert list(shown["verdict_lines"]) == ["Answers", "Difference", "Decision", "To settle it"]
        assert shown["verdict_lines"]["Answers"] == f"2 of 8 differ; {said}"
        assert f"{before[0].capitalize()} in A and {after[0]} in B: 1 answer (s3)." in shown["sentences"]
    text = " ".join(assay("show", "changes", full, silent, code=0).out.split())
    assert text.startswith("Answers 2 of 8 differ")
    assert "s5: token_overlap, scored in A and empty in B" in text and "No sample's" not in text


def test_same_answers_that_nobody_rated_are_no_decision(assay, set_file):
    """Nobody rated: that is said, and not that they are rated the same."""
    rows = set_file(8, rating=None)
    runs = [assay("run", rows, "--metrics", "token_overlap", "--json").json["run"] for _ in range(2)]
    shown = assay("show", "changes", *runs, "--json", code=0).json
    assert shown["verdict_lines"] == {
        "Answers": "0 of 8 differ",
        "Difference": "token_overlap is the same for B and A on average",
        "Decision": "Nothing is decided: nobody rated the answers, which are the same in both",
    }
    assert shown["raters"] is None
    text = " ".join(assay("show", "changes", *runs, code=0).out.split())
    assert "Whether your raters like B better is not known: nobody rated the answers" in text
    assert "rated the same" not in text and "No difference that matters" not in text


def test_the_same_answers_judged_otherwise_are_no_decision(assay, set_file, tmp_path):
    """Eight rated answers, of which the second run scores seven 0.5 lower, and one as before.

    By hand: the mean falls by 7 x 0.5 / 8 = 0.4375, which verdict, table and JSON say alike.
    """
    rows, runs = set_file(8), []
    (tmp_path / "own.py").write_text(
        "from pathlib import Path\nfrom assay import metric\n\n@metric\ndef own(sample):\n"
        "    return 1.0 - float(Path('less.txt').read_text()) * (sample.id != 's1')\n"
    )
    for less in ("0.0", "0.5"):
        (tmp_path / "less.txt").write_text(less)
        runs.append(assay("run", rows, "--metrics", "own.py:own", "--json").json["run"])
    shown = assay("show", "changes", *runs, "--json", code=0).json
    row = shown["metrics"][0]
    assert row["difference"] == pytest.approx(-0.4375)
    low, high = -row["high"], -row["low"]
    assert shown["verdict_lines"] == {
        "Decision": "Nothing is decided: the same answers, judged otherwise",
        "Difference": f"own.py:own is 0.44 higher for A than for B (likely {low:.2f} to {high:.2f})",
        "Next": "which judge is better: assay judges compare; which prompt: assay judges prompts try",
    }
    assert shown["raters"] is None
    text = " ".join(assay("show", "changes", *runs, code=0).out.split())
    assert "-0.438" in text and "too little is rated" not in text and "No difference that matters" not in text
    error = assay("decide", *runs, code=2).err
    assert "A and B gave the same answers, which were judged otherwise: own.py:own is 1.00 on average in A and" in error
    assert "assay judges compare" in error and "assay judges prompts try" in error


def test_the_same_answers_judged_alike_rest_on_their_ratings(assay, set_file, tmp_path):
    """All of them are rated: that too little is rated would be wrong."""
    (tmp_path / "own.py").write_text("from assay import metric\n\n@metric\ndef own(sample):\n    return 0.5\n")
    rows = set_file(8)
    runs = [assay("run", rows, "--metrics", "own.py:own", "--json").json["run"] for _ in range(2)]
    lines = assay("show", "changes", *runs, "--json", code=0).json["verdict_lines"]
    assert lines["Decision"] == "No difference that matters between B and A"
    assert lines["Rests on"].startswith("your raters' ratings of 16 of 16 answers")


def test_without_names_the_last_two_runs_of_the_set_are_compared(assay, set_file, two_runs, tmp_path):
    compared = assay("show", "changes", "--json", code=0).json
    assert [compared["a"], compared["b"]] == two_runs
    named = assay("show", "changes", "last~1", "last", "--json", code=0).json
    assert [named["a"], named["b"]] == two_runs
    other = tmp_path / "other.jsonl"
    other.write_bytes(set_file(6).read_bytes())
    third = assay("run", other, "--metrics", "token_overlap", "--json").json["run"]
    assert f"no run before {third} is of the same sets" in assay("show", "changes", code=2).err
    fourth = assay("run", set_file(6), "--metrics", "token_overlap", "--json").json["run"]
    compared = assay("show", "changes", "--json", code=0).json
    assert [compared["a"], compared["b"]] == [two_runs[1], fourth]  # the third is of another set
    assert assay("show", "changes", "last~2", "last", "--json", code=0).json["a"] == two_runs[1]
    assert "no run is called 'last~4'" in assay("show", "changes", "last~4", "last", code=2).err
    assert "Name two runs" in assay("show", "changes", "last", code=2).err


CAUSES = ("The price is that of last year", "It refuses to help the customer log in")


@pytest.fixture
def run(assay, tmp_path):
    """A run of 24 answers, 16 of them bad for one of two causes."""
    rows = [
        {
            "id": f"s{n}",
            "user_input": f"Question {n}?",
            "response": f"Answer {n}.",
            "retrieved_contexts": ["A page."],
            "language": "en",
            "rating": 1 if n < 16 else 5,
            "reason": f"{CAUSES[n % 2]}, as I saw in case {n}." if n < 16 else "",
        }
        for n in range(24)
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert assay("run", "set.jsonl", "--metrics", "token_overlap").code == 0


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("last", "last"), "unexpected extra argument"),
        (("nothing",), "no run is called 'nothing'"),
        (("last", "--metric", "faithfulness"), "has no value of the metric 'faithfulness'"),
        (("last", "--groups", "40"), "40 groups are too many for 16 different texts"),
        (("last", "--report", "why.txt"), "name an .html file"),
    ],
)
def test_what_cannot_be_done_is_said(assay, words, message):
    assert message in " ".join(assay("show", "failures", *words, code=2).err.split())


def test_it_says_that_it_takes_the_ratings_alone_where_several_metrics_could_help_them(assay, tmp_path):
    """12 of 24 answers are rated, all of the other run, and two metrics scored them: naming one is for `decide`."""
    (tmp_path / "own.py").write_text(
        "from assay import metric\n\n@metric\ndef words(sample):\n    return len(sample.response.split()) / 100\n\n"
        "@metric\ndef letters(sample):\n    return len(sample.response) / 1000\n"
    )
    for name, rated in (("old", 24), ("new", 12)):
        rows = [
            {"id": f"q{n}", "user_input": f"Question {n}?", "response": f"{name} {'word ' * (n % 3)}{n}."}
            | ({"rating": 2 + n % 3} if n < rated else {})
            for n in range(24)
        ]
        write_rows(tmp_path / f"{name}.jsonl", rows)
        assay("run", tmp_path / f"{name}.jsonl", "--metrics", "own.py:words,own.py:letters", code=0)
    said = " ".join(assay("show", "changes", "last~1", "last").out.split())
    assert "The ratings alone decide here, as several metrics could help them (own.py:words, own.py:letters)" in said
    by_words = assay("decide", "last~1", "last", "--metric", "own.py:words", "--json").json
    assert by_words["basis"] == "ratings and scores"
    assert assay("show", "changes", "last~1", "last", "--json").json["raters"]["basis"] == "ratings"
