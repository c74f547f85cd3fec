"""A command reads a run once: counted in a store of two runs of 60 answers, the second with a queue of ratings."""

import pytest
from command_counts import ANSWERS, count_command, make_store


@pytest.fixture(scope="module")
def store_of_two_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readings")
    make_store(folder)
    return folder


@pytest.mark.parametrize("command", ["show last", "show last --json"])
def test_a_run_is_shown_by_one_reading(store_of_two_runs, monkeypatch, command):
    monkeypatch.chdir(store_of_two_runs)
    figures = count_command(command).figures()
    assert figures["answers parsed"] == ANSWERS
    assert figures["SQL statements"] <= 25
    assert (figures["plans parsed"], figures["ratings joined"]) == (1, 1)


def test_a_run_is_reported_by_one_reading(store_of_two_runs, monkeypatch):
    monkeypatch.chdir(store_of_two_runs)
    figures = count_command("run answers_b.csv --quiet").figures()
    assert figures["answers parsed"] == ANSWERS
    assert (figures["plans parsed"], figures["ratings joined"]) == (1, 1)
