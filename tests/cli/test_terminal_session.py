"""`assay init` and colours at a real terminal: a pseudo-terminal of 80 columns, typed into as a person does."""

import os
import sys
from pathlib import Path

import pytest
import yaml

pexpect = pytest.importorskip("pexpect")
ROWS = "klant,bot,pagina\nHow do I cancel?,Open My orders.,Open My orders and choose Cancel.\nWhy?,So.,So it is.\n"


def typed_at_a_terminal(folder: Path, *words: str) -> "pexpect.spawn[str]":
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("ASSAY_STORE", "COLUMNS", "NO_COLOR"):
        environment.pop(name, None)
    return pexpect.spawn(
        sys.executable, ["-m", "assay", *words], cwd=folder, env=environment, dimensions=(40, 80), encoding="utf-8",
        timeout=90,
    )  # fmt: skip


@pytest.mark.timeout(200)
def test_init_asks_for_the_columns_and_the_judge(tmp_path):
    (tmp_path / "answers.csv").write_text(ROWS, encoding="utf-8")
    session = typed_at_a_terminal(tmp_path, "init")
    session.expect("Which file holds your questions and answers?")
    session.sendline("answers.csv")
    session.expect("The columns are klant, bot, pagina")
    session.expect("Which column holds the customer's question?")
    session.sendline("vraag")  # no such column: it is asked again
    session.expect("is not one of")
    session.expect("Which column holds the customer's question?")
    session.sendline("klant")
    session.expect("Which column holds the chatbot's answer?")
    session.sendline("bot")
    session.expect("Who judges")
    session.sendline("")
    session.expect("answers.csv: 2 samples, 0 with contexts")
    session.expect("assay suite suite.yaml")
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0
    suite = yaml.safe_load((tmp_path / "suite.yaml").read_text(encoding="utf-8"))
    assert suite["map"] == {"klant": "user_input", "bot": "response"}
    assert suite["metrics"] == ["answer_length"]
