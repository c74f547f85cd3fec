"""Kills (-9) of a run in batches at each step: the same command goes on, nothing is lost, nothing is asked twice."""

import itertools
import os
import threading

import pytest
from openai_server import Answer
from stop_points import stop_at_change

from assay.runs import Store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills need signals")

METRICS = "faithfulness:claims=judge,judge_truthfulness"
SAMPLES = 4
CALLS = 3 * SAMPLES
SIZE = 3  # requests per batch: 8 requests of the first stage in 3 batches, 4 of the second in 2
BATCHES = 5


class Killable:
    """The same command, given again and again: each time in a process of its own, which may be killed."""

    def __init__(self, python, words, folder, server):
        self.python, self.words, self.folder, self.server = python, words, folder, server
        self.kills = 0

    def start(self):
        return self.python.start("-m", "assay", *self.words, cwd=self.folder)

    def kill_at(self, number, *, has_effect):
        """Gives the command, and kills it at its n-th call: before or after that call's effect.

        Returns:
            Whether it was killed; else it ended before.
        """
        reached, before = threading.Event(), len(self.server.batches.calls)

        def hang(call):
            if call.number - before < number:
                return None
            reached.set()
            return Answer(fault="hang", status=200 if has_effect else 500)

        self.server.batches.on_call = hang
        process = self.start()
        while not reached.wait(0.02) and process.poll() is None:
            pass
        process.kill()
        process.communicate()
        self.server.batches.on_call = None
        self.kills += reached.is_set()
        return reached.is_set()

    def finish(self):
        done = self.python.run("-m", "assay", *self.words, cwd=self.folder)
        assert done.returncode == 0, done.stderr

    def scores(self, store=".assay"):
        opened = Store(self.folder / store)
        stored = [(name, metric, s.value, s.status) for name, metric, s in opened.scores(opened.run("last").id)]
        opened.close()
        return sorted(stored)

    def check(self, expected):
        assert self.scores() == expected
        assert len(self.server.batches.asked) == CALLS
        assert set(self.server.batches.asked.values()) == {1}
        assert not [*(self.folder / ".assay" / "batches").glob("*.batches")]


def expected_scores():
    """By hand: of `Open menu n. Press button n.` both claims stand in the context, of `Send flowers.` none."""
    rows = []
    for number in range(SAMPLES):
        is_whole = number % 3 != 0
        rows += [
            (f"s{number}", "faithfulness:claims=judge", 1.0 if is_whole else 0.5, "scored"),
            (f"s{number}", "judge_truthfulness", 5.0 if is_whole else 3.0, "scored"),
        ]
    return sorted(rows)


@pytest.fixture
def killable(warm_python, set_file, judge_file, openai_server, tmp_path):
    words = ["run", str(set_file(SAMPLES)), "--judge", str(judge_file()), "--metrics", METRICS]
    return Killable(warm_python, [*words, "--batch", "--batch-size", str(SIZE)], tmp_path, openai_server)


def judged(scores):
    return [each for each in scores if each[1] in METRICS.split(",")]


@pytest.mark.parametrize(
    ("number", "has_effect"),
    [(2, False), (2, True), (8, False)],
    ids=["before creation", "created", "before the replies"],
)
def test_a_kill_at_a_step_loses_and_doubles_nothing(killable, number, has_effect):
    assert killable.kill_at(number, has_effect=has_effect)
    killable.finish()
    assert judged(killable.scores()) == expected_scores()
    killable.check(killable.scores())
    assert len(killable.server.batches.batches) == BATCHES


@pytest.mark.slow
@pytest.mark.parametrize("has_effect", [False, True])
def test_kills_at_every_step_one_after_another(killable, has_effect):
    """The first process is killed at its first call, the second at its second, ..., until one gets to the end."""
    number = 1
    while killable.kill_at(number, has_effect=has_effect):
        number += 1
    killable.finish()
    assert judged(killable.scores()) == expected_scores()
    killable.check(killable.scores())
    assert killable.kills >= 4


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_kills_at_changes_of_files(killable, step):
    """Between the steps too: while a file is written, replies are kept, samples are scored."""
    for number in itertools.count(1, step):
        stopped = stop_at_change(killable.python, killable.folder, number, *killable.words)
        if not stopped.is_reached:
            break
        assert stopped.code == -9, stopped.err
    assert stopped.code == 0, stopped.err
    assert judged(killable.scores()) == expected_scores()
    killable.check(killable.scores())
