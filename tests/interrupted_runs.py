"""Runs that are stopped in the middle: a command that waits at its n-th request, and what a run has in its store."""

import json
import threading
from collections import Counter
from contextlib import contextmanager

from openai_server import Answer

from assay.runs import Store


@contextmanager
def command_at_request(python, folder, server, words, number, *, begin=("-m", "assay")):
    """A real `assay ...` in a process of its own, brought to its request of this number, which gets no answer.

    At the end of the block it is killed, if it goes on, and the server answers again.

    Args:
        python: Begins it.
        folder: Where the command is given.
        server: Whom it asks.
        words: The command, without `assay`.
        number: Of the request.
        begin: What Python is given before the words.
    """
    reached = threading.Event()
    script = server.script

    def hang(request):
        if request.number < number:
            return script(request) if script else None
        reached.set()
        return Answer(fault="hang")

    server.script = hang
    process = python.start(*begin, *words, cwd=folder)
    try:
        assert reached.wait(300), process.communicate()
        yield process
    finally:
        with process:  # waits, and closes its pipes
            process.kill()
        server.script = script


def scores(folder, run="last", store=".assay"):
    """All of a run's scores, without what they took."""
    opened = Store(folder / store)
    stored = [(name, metric, s.value, s.status, s.evidence) for name, metric, s in opened.scores(opened.run(run).id)]
    opened.close()
    return sorted(stored, key=lambda each: each[:2])


def count_bodies(server):
    """How often each request was sent."""
    return Counter(json.dumps(request.body, sort_keys=True) for request in server.requests)
