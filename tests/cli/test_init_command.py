"""`assay init` as people type it, also at a terminal; and a workbook of a support lead, with an explanation first."""

import json
from pathlib import Path

import pytest
import yaml
from openpyxl import Workbook

ROWS = (
    "question,answer,context,stars\nHow?,So.,So it is.,4\nWhy?,Thus.,Thus it is.,2\nWho?,Me.,Nobody.,1\nWhen?,Now.,,5\n"
)


def test_the_gates_fail_where_the_answers_get_worse_or_are_gone(assay):
    rows = [f"How do I do step {n}?,Open menu {n} and press save.,Open menu {n} and press save.\n" for n in range(30)]
    header = "question,answer,context\n"
    Path("answers.csv").write_text(header + "".join(rows), encoding="utf-8")
    done = assay("init", "answers.csv")
    assert (done.code, done.err) == (0, "")  # 30 groups are enough
    assert "enough answers get a value, and no metric falls below the runs that you accept, nor" in done.out
    assert (
        "It has 5 gates: " in done.out
        and "suite.yaml: 1 set, 2 metrics, 0 judges, 5 gates: " in assay("suite", "suite.yaml", "--check").out
    )
    assert len(assay("suite", "suite.yaml", "--json", code=0).json["gates"]) == 5
    assert assay("suite", "accept", "last").code == 0
    worse = [row.replace("press save.,", "sing.,", 1) for row in rows]
    Path("answers.csv").write_text(header + "".join(worse), encoding="utf-8")
    failed = assay("suite", "suite.yaml", code=5)
    assert "failed      regression: token_overlap is lower by" in failed.out
    assert "If the change is meant" in failed.out
    kept = assay("suite", "suite.yaml", "--accept", "--json")
    assert (kept.code, kept.json["verdict"], kept.json["is_accepted"]) == (0, "passed", True)
    without_contexts = [row.rpartition(",")[0] + ",\n" for row in worse[1:]]
    Path("answers.csv").write_text(header + worse[0] + "".join(without_contexts), encoding="utf-8")
    empty = assay("suite", "suite.yaml", "--json", code=5)
    states = {gate["name"]: (gate["state"], gate["reason"]) for gate in empty.json["gates"]}
    state, reason = states["coverage of token_overlap, at least 0.95"]
    # one answer of 30 still has a context
    assert state == "failed"
    assert reason.startswith("the share of samples with a value of token_overlap is 0.033, but must be at least 0.95; ")
    assert (
        "without a value: answers-2, answers-3, answers-4, answers-5, answers-6 and 24 more "
        "(the first: the sample has no retrieved_contexts"
    ) in reason
    # what is accepted by hand still has to reach the coverage
    assert assay("suite", "suite.yaml", "--accept").code == 5


def test_nothing_is_asked_and_the_error_names_the_option(assay):
    Path("vragen.csv").write_text("klant,bot\nHoe?,Zo.\n", encoding="utf-8")
    assert "map klant=user_input" in assay("init", "vragen.csv", code=1).err
    assay("init", "vragen.csv", "--map", "klant=user_input", "--map", "bot=response", code=0)
    suite = yaml.safe_load(Path("suite.yaml").read_text(encoding="utf-8"))
    assert suite["map"] == {"klant": "user_input", "bot": "response"}
    assert suite["metrics"] == ["answer_length"]


@pytest.mark.parametrize("out", ["suite.yaml", "eval/suite.yaml"])
def test_the_next_commands_work_as_they_are_printed(assay, out):
    Path("answers.csv").write_text(ROWS, encoding="utf-8")
    said = assay("init", "answers.csv", "--out", out, code=0).out
    assert f"  assay suite accept {out} last  " in said
    assay("suite", out, code=0)
    assay("suite", "accept", out, "last", code=0)


@pytest.mark.parametrize("folder", ["", "eval/"])
def test_the_suite_names_a_judge_in_a_file_from_its_own_folder(assay, folder):
    Path("eval").mkdir()
    Path("eval/answers.csv").write_text(ROWS, encoding="utf-8")
    Path(f"{folder}j.yaml").write_text("model: mistral/large\n", encoding="utf-8")
    assay("init", "eval/answers.csv", "--judge", f"{folder}j.yaml", "--out", "eval/suite.yaml", code=0)
    judges = yaml.safe_load(Path("eval/suite.yaml").read_text(encoding="utf-8"))["judges"]
    assert judges == ["j.yaml" if folder else "../j.yaml"]


def test_two_suites_of_one_file_are_two_histories(assay):
    Path("answers.csv").write_text(ROWS, encoding="utf-8")
    names = []
    for words in (
        (),
        ("--out", "plain.yaml"),
        ("--out", "eval/judge.yaml"),
        ("--out", "answers.yaml"),
        ("--out", "suite.yml"),
    ):
        assay("init", "answers.csv", *words, code=0)
        names.append(yaml.safe_load(Path(words[-1] if words else "suite.yaml").read_text(encoding="utf-8"))["name"])
    assert names == ["answers", "plain", "judge", "answers-suite", "suite-yml"]


def test_traces_with_peoples_scores_are_run_and_a_file_of_scores_is_compared(assay):
    """People's scores in traces (a list) are no metrics' scores: `assay meta` of them finds nothing to compare."""
    traces = [
        {
            "id": f"t{n}",
            "timestamp": "2026-03-01T10:00:00Z",
            "observations": [],
            "input": f"Question {n}?",
            "output": f"Answer {n}.",
            "scores": [{"name": "rating", "value": n % 5 + 1, "source": "ANNOTATION", "dataType": "NUMERIC"}],
        }
        for n in range(30)
    ]
    Path("traces.json").write_text(json.dumps(traces), encoding="utf-8")
    looked = assay("init", "traces.json")
    assert "30 answers are rated\n       assay run traces.json" in looked.out
    lines = [
        {"id": f"a{n}", "user_input": "Q?", "response": "A.", "rating": n % 5 + 1, "scores": {"own": n / 30}}
        for n in range(30)
    ]
    Path("scored.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    looked = assay("init", "scored.jsonl", "--force")
    assert "30 answers are rated\n       assay meta scored.jsonl" in looked.out


ANSWERS = [
    ("Hoe annuleer ik een bestelling?", "Open Bestellingen.", "Open Bestellingen en kies Annuleren.", "2 - matig"),
    ("Levert u in België?", "Ja, dat doen wij.", "Wij leveren in Nederland en België.", "5 (uitstekend)"),
    ("Kan ik achteraf betalen?", "Nee.", None, "1: slecht"),
    ("Waar is mijn pakket?", "Volg de link in de mail.", "Volg uw pakket via de link in de mail.", None),
    ("Hoe lang is de garantie?", "De garantie is twee jaar.", "U heeft twee jaar garantie.", "4 - goed"),
]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = Workbook()
    explanation, answers, ratings = book.active, book.create_sheet("Antwoorden"), book.create_sheet("Cijfers")
    explanation.title = "Uitleg"
    for row in (("Uitleg",), ("Kies een cijfer uit de lijst",)):
        explanation.append(row)
    answers.append(("Vraag", "Antwoord", "Bron", "Beoordeling", "Opmerking"))
    ratings.append(("id", "An"))
    for number, row in enumerate(ANSWERS, 1):
        answers.append((*row, None))
        ratings.append((f"team-{number}", row[3]))
    path = tmp_path / "team.xlsx"
    book.save(path)
    return path


def test_the_answers_are_read_and_it_says_how(assay, workbook):
    done = assay("run", workbook, "--sheet", "Antwoorden", "--json", code=0)
    assert (
        "read Vraag as user_input, Antwoord as response, Bron as retrieved_contexts, Beoordeling as rating from 1 to 5"
        in done.err
    )
    overlap = done.json["metrics"]["token_overlap"]
    assert (overlap["n"], overlap["scored"], overlap["skipped"]) == (5, 4, 1)  # one answer has no source
    shown = assay("show", "last", "--json").json["scores"]
    assert [score["rating"] for score in shown if score["metric"] == "answer_length"] == [2, 5, 1, None, 4]


def test_without_a_choice_the_sheets_are_named(assay, workbook):
    done = assay("run", workbook, code=1)
    assert "has the sheets `Uitleg`, `Antwoorden`, `Cijfers`; choose one (--sheet NAME)" in done.err


def test_a_column_that_only_mentions_the_field_is_proposed(assay):
    Path("team.csv").write_text("Vraag uit chat;Tekst bot\nHoe?;Zo.\n", encoding="utf-8")
    done = assay("run", "team.csv", code=1)
    assert "map 'Vraag uit chat=user_input' and map 'Tekst bot=response'" in done.err
    mapped = ("--map", "Vraag uit chat=user_input", "--map", "Tekst bot=response")
    assert assay("run", "team.csv", *mapped, "--metrics", "answer_length").code == 0
