"""Samples in a language without prompts or a pack: judged in English and said so, or skipped with the reason."""

import json
from pathlib import Path

import pytest

SPANISH = {
    "user_input": "¿Cómo puedo restablecer la contraseña de mi cuenta?",
    "response": "Haga clic en el enlace del correo electrónico. El enlace caduca a los 30 minutos.",
    "retrieved_contexts": ["Haga clic en el enlace del correo electrónico. El enlace caduca a los 30 minutos."],
}
DUTCH = {
    "user_input": "Hoe kan ik het wachtwoord van mijn account herstellen?",
    "response": "Klik op de link in de e-mail. De link verloopt na 30 minuten.",
    "retrieved_contexts": ["Klik op de link in de e-mail. De link verloopt na 30 minuten."],
}
ASKED_IN_ENGLISH = "There are no prompts in es (1 sample); the judge was asked in English."


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    """A Spanish and a Dutch sample, without a column `language`."""
    path = tmp_path / "mixed.jsonl"
    rows = ({"id": "es1", **SPANISH}, {"id": "nl1", **DUTCH})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("metric", ["faithfulness", "answer_relevance", "judge_truthfulness", "declined"])
def test_a_judge_is_asked_in_english_and_it_is_said(assay, mixed, judge_file, metric):
    done = assay("run", mixed, "--judge", judge_file(), "--metrics", metric, code=0)
    assert done.out.count(ASKED_IN_ENGLISH) == 1
    scores = {score["sample"]: score for score in assay("show", "--json").json["scores"] if score["metric"] == metric}
    spanish, dutch = scores["es1"]["evidence"], scores["nl1"]["evidence"]
    assert {identity.partition("@")[0].rpartition(".")[2] for identity in spanish["prompts"]} == {"en"}
    assert spanish["other_prompt_language"] == "there are no prompts in es: the judge was asked in en"
    assert {identity.partition("@")[0].rpartition(".")[2] for identity in dutch["prompts"]} == {"nl"}
    assert "other_prompt_language" not in dutch


def test_your_own_prompt_in_a_language_without_a_pack_is_used(assay, mixed, judge_file, tmp_path):
    """This ended in KeyError: the two words of a judge's answer were known for two languages only."""
    folder = tmp_path / "own"
    folder.mkdir()
    parts = "<documentation>\n$documentation\n</documentation>\n<statement>\n$statement\n</statement>\n"
    (folder / "support.es.md").write_text(f"## user\n{parts}¿Es correcto? Responda Yes o No.\n", encoding="utf-8")
    judge = judge_file(logprobs=True)
    metric = "faithfulness"
    assay("run", mixed, "--judge", judge, "--prompts", str(folder), "--metrics", metric, code=0)
    scores = assay("show", "--json").json["scores"]
    evidence = {score["sample"]: score["evidence"] for score in scores if score["metric"] == metric}
    assert evidence["es1"]["prompts"][0].startswith("support.es@")
    assert "other_prompt_language" not in evidence["es1"]
    assert evidence["nl1"]["prompts"][0].startswith("support.nl@")
