"""`assay meta`, as people type it."""

import json
import random
import re
from pathlib import Path

import pytest
from noted_sets import write_rows

METRIC = "faithfulness:claims=judge"
QUICK = ("--bootstrap", "100", "--repeats", "1")


@pytest.fixture
def two_runs(assay, set_file, judge_file):
    """One set of 24 judged by two judges."""
    samples = set_file(24)

    def judged_by(name):
        judge = judge_file(f"{name}.yaml", served_as=name)
        return str(assay("run", samples, "--judge", judge, "--metrics", METRIC, "--json").json["run"])

    return judged_by("one"), judged_by("two")


def test_runs_of_two_judges_stand_beside_each_other(assay, two_runs):
    done = assay("meta", *two_runs, "--json", *QUICK, code=0)
    names = [metric["name"] for metric in done.json["metrics"]]
    baselines = ["token_overlap", "rouge_l_precision", "answer_length"]
    assert names == [f"{METRIC}@one", *baselines, f"{METRIC}@two", "question_only", "constant"]
    own = [metric["name"] for metric in done.json["metrics"] if metric["baseline"]]
    assert own == [*baselines, "question_only", "constant"]


@pytest.mark.parametrize("is_chosen", [True, False])
def test_an_estimate_says_that_what_is_rated_is_no_random_part(assay, is_chosen):
    """Half of 48 answers repeat their context; these are rated, or every second one of either half."""
    rows = [
        {"id": f"q{n}", "user_input": f"Q{n}?", "retrieved_contexts": [f"word {n}"], "language": "en"}
        | {"response": f"word {n}" if n % 2 else f"nothing said of {n}"}
        | ({"rating": 3 + n % 3} if (n % 2 if is_chosen else n % 4 < 2) else {})
        for n in range(48)
    ]
    write_rows(Path("s.jsonl"), rows)
    assay("run", "s.jsonl", "--metrics", "token_overlap", code=0)
    notes = assay("estimate", "last", "--json", code=0).json["notes"]
    assert any("may be no random part of the answers" in note for note in notes) == is_chosen


def test_baselines_alone_are_evaluated(assay, set_file):
    assay("run", set_file(24), "--metrics", "token_overlap", code=0)
    done = assay("meta", "last", "--json", *QUICK, code=0)
    assert {metric["baseline"] for metric in done.json["metrics"]} == {True}


QUESTIONS = 24


def _answers(path, version, better, *, ids=True, group=False):
    """A set of one version's answers to the same questions, with ratings; longer answers are better."""
    chance = random.Random(version)
    with path.open("w", encoding="utf-8") as out:
        for number in range(QUESTIONS):
            good = chance.random() < 0.4 + better
            answer = f"Send {'flowers to room ' if good else 'a '}{number} of {version}."
            row = {"user_input": f"What is sent to {number}?", "response": answer, "rating": 5 if good else 2}
            row |= {"retrieved_contexts": [f"Send flowers to room {number}."], "language": "en"}
            row |= {"id": f"q{number}"} if ids else {}
            row |= {"metadata": {"group": f"g{number // 3}"}} if group else {}
            out.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def runs_of(assay, tmp_path):
    """Runs of versions: name -> how much better, as share of good answers."""

    def run(**versions):
        sets = [_answers(tmp_path / f"{name}.jsonl", name, better) for name, better in versions.items()]
        return [str(assay("run", one, "--metrics", "token_overlap", "--json").json["run"]) for one in sets]

    return run


def test_a_second_run_of_the_same_answers_is_no_version(assay, runs_of, tmp_path):
    old, new = runs_of(old=0.0, new=0.5)
    again = assay("run", tmp_path / "new.jsonl", "--metrics", "rouge_l_precision", "--json").json["run"]
    assert assay("meta", new, again, "--json", *QUICK).json["versions"] is None
    report = assay("meta", old, new, again, "--json", *QUICK).json
    assert report["versions"]["versions"] == [old, new]
    assert report["settings"]["rated"] == 2 * QUESTIONS


def test_an_estimate_is_of_one_version(assay, runs_of):
    runs = runs_of(old=0.0, new=0.5)
    done = assay("estimate", *runs, "--judged", "rouge_l_precision", code=2)
    assert "hold other answers to the same questions" in done.err
    assert "estimate one version at a time" in done.err


def test_a_column_of_a_file_says_the_version(assay, tmp_path):
    chance = random.Random(1)
    lines = ["id,user_input,model,good,rating"]
    for number in range(30):
        for model in ("small", "large"):
            rating = chance.randint(1, 4) + (model == "large")
            lines.append(f"{model}{number},Question {number}?,{model},{rating + chance.gauss(0, 1)},{rating}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    typed = ("meta", "--scores", file, "--json", *QUICK)
    assert assay(*typed).json["versions"] is None
    report = assay(*typed, "--versions", "model").json
    assert report["versions"]["versions"] == ["small", "large"]
    assert report["settings"]["groups"] == 30
    file.write_text("\n".join(lines).replace("model", "system", 1))
    assert assay(*typed).json["versions"]["versions"] == ["small", "large"]
    assert "did you mean `system`?" in assay(*typed, "--by", "sytem").err
    missing = assay(*typed, "--versions", "country")
    assert (missing.code, "--versions country: no item has a label for it" in missing.err) == (1, True)


def test_a_greeting_of_many_conversations_is_no_question_that_joins_their_groups(assay, tmp_path):
    chance = random.Random(2)
    lines = ["id,user_input,system,good,rating,group"]
    for number in range(40):
        question = "Hi" if number % 2 else f"Question {number}?"
        for system in ("old", "new"):
            rating = chance.randint(1, 5)
            lines.append(f"{system}{number},{question},{system},{rating + chance.gauss(0, 1)},{rating},chat{number}")
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines))
    report = assay("meta", "--scores", file, "--json", *QUICK).json
    assert report["settings"]["groups"] == 40
    assert report["versions"]["pairs"][0]["questions"] == 40  # a greeting is paired within its own conversation
    file.write_text("\n".join(line.replace(",chat", f",{line[:3]}") for line in lines))  # groups of one version each
    report = assay("meta", "--scores", file, "--json", *QUICK).json
    assert (report["settings"]["groups"], report["versions"]["pairs"][0]["questions"]) == (60, 20)


def test_a_rater_that_no_one_is_lists_the_raters(assay, tmp_path):
    file = tmp_path / "team.csv"
    rows = "".join(f"Q{row},A,{row % 5 + 1},{5 - row % 5},c\n" for row in range(12))
    file.write_text(f"question,answer,rating_ann,rating_bob,channel\n{rows}")
    assay("run", file, "--metrics", "answer_length")
    told = assay("meta", "last", "--rating", "file", code=2).err.replace("\n", " ")
    assert "unknown rater or column of ratings `file`; it has `ann`, `bob`" in told
    assert "channel" not in told


def test_a_report_names_its_run_its_answers_and_its_raters_in_the_language_of_its_reader(assay, tmp_path, monkeypatch):
    file = tmp_path / "team.csv"
    rows = "".join(f"Q{row},A,{row % 5 + 1},{5 - row % 5}\n" for row in range(12))
    file.write_text(f"question,answer,rating_ann,rating_bob\n{rows}")
    assay("run", file, "--metrics", "answer_length")
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    assay("meta", "last", "--report", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    assert '<h1 lang="nl">Welke maat uw team volgt</h1>' in page
    assert '<h2 lang="nl">Elke maat naast de beoordelingen</h2>' in page
    about = page.partition('<p class="about" lang="nl">')[2].partition("</p>")[0]
    assert about.startswith("team.csv, gescoord op ")
    assert "; 12 beoordeelde antwoorden; beoordelaars: ann, bob; rapport van " in about


def test_a_dutch_reader_sees_every_figure_with_a_comma_and_names_as_they_are(assay, tmp_path, monkeypatch):
    """Two versions whose names look like figures; no part of the report is said to be in English."""
    file = tmp_path / "scores.csv"
    rows = [(version, row, (row + place) % 5 + 1) for place, version in enumerate(("1.2", "1.3")) for row in range(30)]
    lines = [f"{version},Q{row},A{rating} of {row},{rating},{rating + row % 3}" for version, row, rating in rows]
    file.write_text("\n".join(["system,user_input,response,rating,good", *lines]))
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    shown = assay("meta", file, "--all", "--wide", "--report", "report.html", *QUICK).out
    page = Path("report.html").read_text(encoding="utf-8")
    body = re.sub(r"<(script|style|svg)\b.*?</\1>|<dt>versions</dt>.*?</dd>|<[^>]+>", " ", page, flags=re.DOTALL)
    for text in (shown, body):
        assert "in het Engels" not in text
        assert re.search(r"\[[+-−]?0,\d\d; \+?0,\d\d\]", text)
        figures = set(re.findall(r"(?<![\d.])\d+\.\d+(?![\d.])", text))
        assert figures <= {"1.2", "1.3", "1.000", "2.000"}
    assert "2 versies: 1.2, 1.3." in " ".join(shown.split())


def test_a_metric_that_orders_answers_as_a_free_one_does_is_no_better(assay, tmp_path):
    """It is twice the length, so that its rho is that of the length, to the last digit."""
    lines = ["id,question,answer,words,rating"]
    lines += [f"{n},Question {n}?,{'word ' * (n + 1)},{2 * n},{1 + (n + n % 3) // 11}" for n in range(40)]
    (tmp_path / "scores.csv").write_text("\n".join(lines), encoding="utf-8")
    said = assay("meta", "scores.csv", *QUICK, code=0).out
    [row] = [line for line in said.splitlines() if line.startswith("│ words ")]
    assert "equals baseline" in row
    assert "; answer_length does as well" in said


def test_a_person_who_rates_turns_and_single_answers_is_one_person(assay, tmp_path):
    """12 single answers rated 4, and 12 conversations of two turns rated 2 and 1, as pull writes them: 24 bad of 36."""

    def said(*rated: float) -> list[dict[str, object]]:
        texts = [[{"role": "user", "content": "Free?"}, {"role": "assistant", "content": f"Yes, {n}."}] for n in rated]
        for (_, answer), rating in zip(texts, rated, strict=True):
            answer |= {"rating": rating, "ratings": {"klant": rating}}
        return [message for turn in texts for message in turn]

    rows = [{"id": f"s{n}", "user_input": "Free?", "response": f"Yes {n}.", "ratings": {"klant": 4}} for n in range(12)]
    rows += [{"id": f"c{n}", "messages": said(2, 1)} for n in range(12)]
    (tmp_path / "set.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assay("run", "set.jsonl", "--metrics", "answer_length", "--turns", "each")
    for options in ([], ["--rating", "klant"]):
        first = " ".join(assay("meta", "last", *options).out.split("Trust")[0].split())
        assert first.startswith("Your chatbot rated 2.3 of 5; 24 of 36 answers are bad"), options  # (12 * (4+2+1)) / 36
