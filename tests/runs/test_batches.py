"""A run in batches: the scores of a live run, whatever happens to the batches; nothing is lost, nothing asked twice."""

import json
from pathlib import Path

import pytest
from interrupted_runs import count_bodies, scores
from openai_server import Answer

from assay.judges import BatchJournal
from assay.runs import Store

METRICS = "faithfulness:claims=judge,judge_truthfulness"
SAMPLES, FIRST, SECOND = 6, 12, 6  # claims and ratings of each; then whether its claims are supported


def command(set_path, judge, *more):
    return ["run", str(set_path), "--judge", str(judge), "--metrics", METRICS, "--batch", *more]


def answered_once(server):
    return len(server.batches.asked) == FIRST + SECOND and set(server.batches.asked.values()) == {1}


def journal_of(folder):
    (cassette,) = (folder / ".assay" / "batches").glob("*.batches")
    return BatchJournal(cassette.with_name(cassette.name.removesuffix(".batches")))


_LIVE = []


@pytest.fixture
def live(assay, set_file, judge_file, openai_server, tmp_path):
    """The scores of a run that asks call by call, and what it sent: the same for all tests here."""
    if _LIVE:
        return _LIVE[0]
    words = [word for word in command(set_file(SAMPLES), judge_file()) if word != "--batch"]
    assert (assay(*words, "--store", "live", "--json").code, len(openai_server.requests)) == (0, FIRST + SECOND)
    sent = count_bodies(openai_server)
    openai_server.forget()
    _LIVE.append((scores(tmp_path, store="live"), sent))
    return _LIVE[0]


def test_batches_give_the_scores_of_live_calls(*, assay, set_file, judge_file, openai_server, tmp_path, live):
    """Two stages, since what is asked about claims depends on them; the same bodies; each reply counted as new."""
    openai_server.batches.polls = 2
    done = assay(*command(set_file(SAMPLES), judge_file()), "--json", code=0)
    assert (scores(tmp_path), count_bodies(openai_server)) == live
    assert [len(batch.lines) for batch in openai_server.batches.batches.values()] == [FIRST, SECOND]
    assert answered_once(openai_server)
    assert done.json["usage"]["calls"] == FIRST + SECOND
    assert done.json["usage"]["from_cassette"] == 0
    told = [line for line in done.err.splitlines() if "stage" in line]
    assert [line.partition(", at most")[0] for line in told] == [
        f"assay: stage 1: {FIRST} requests in 1 batch",
        f"assay: stage 2: {SECOND} requests in 1 batch",
    ]
    assert not [*(tmp_path / ".assay" / "batches").glob("*.batches")]
    again = assay(*command(set_file(SAMPLES), judge_file()), "--json")
    assert again.json["usage"]["from_cassette"] == FIRST + SECOND
    assert answered_once(openai_server)


def test_batches_hold_no_more_requests_than_asked_for(*, assay, set_file, judge_file, openai_server, tmp_path, live):
    assert assay(*command(set_file(SAMPLES), judge_file()), "--batch-size", "5").code == 0
    assert [len(batch.lines) for batch in openai_server.batches.batches.values()] == [5, 5, 2, 5, 1]
    assert answered_once(openai_server)
    assert scores(tmp_path) == live[0]


def reorder_and_double(batch):
    batch.output = [*reversed(batch.output), *batch.output, b"not json", b'{"custom_id": "of another batch"}', b"[]"]


def lose_a_third(batch):
    if batch.number == 1:
        del batch.output[::3]


def expire_half(batch):
    if batch.number == 1:
        expired = {"code": "batch_expired", "message": "not executed within the completion window"}
        lines = [json.loads(line) | {"response": None, "error": expired} for line in batch.output[::2]]
        batch.status = "expired"
        batch.errors, batch.output = [json.dumps(line).encode() for line in lines], batch.output[1::2]


def break_bodies(batch):
    if batch.number == 1:
        broken = [{"choices": []}, {"error": {"message": "busy"}}, None]
        for place, body in enumerate(broken):
            line = json.loads(batch.output[place])
            line["response"]["body"] = body
            batch.output[place] = json.dumps(line).encode()


@pytest.mark.parametrize(
    ("spoil", "sizes"),
    [
        (reorder_and_double, [12, 6]),
        (lose_a_third, [12, 6 + 4 - 2, 2]),  # two of the four lost ones are claims, whose verdicts come a stage later
        (expire_half, [12, 12, 0]),
        (break_bodies, None),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_results_may_be_reordered_doubled_lost_expired_or_broken(
    *, assay, set_file, judge_file, openai_server, tmp_path, live, spoil, sizes
):
    openai_server.batches.spoil = spoil
    assay(*command(set_file(SAMPLES), judge_file()), code=0)
    assert scores(tmp_path) == live[0]
    sent = [each for batch in openai_server.batches.batches.values() for each in batch.ids]
    lost = len(sent) - FIRST - SECOND
    assert len(set(sent)) == FIRST + SECOND
    assert lost == {"reorder_and_double": 0, "lose_a_third": 4, "expire_half": 6, "break_bodies": 3}[spoil.__name__]


def test_a_request_that_fails_is_asked_again_or_fails_its_sample(
    *, assay, set_file, judge_file, openai_server, tmp_path, live
):
    """500 once: asked again. 400: the sample fails with the provider's words. Nothing else is touched."""

    def script(request):
        if "truthfulness" in request.user and "step 2?" in request.user:
            return Answer(status=400, error_message="this text is refused")
        return Answer(status=500) if request.schema == "Claims" and request.attempt == 1 else None

    openai_server.script = script
    done = assay(*command(set_file(SAMPLES), judge_file()), code=4)
    assert "1 sample failed (s2)" in done.err
    assert "its request in a batch failed: HTTP 400: this text is refused" in done.err
    expected = [each for each in live[0] if each[:2] != ("s2", "judge_truthfulness")]
    assert [each for each in scores(tmp_path) if each[:2] != ("s2", "judge_truthfulness")] == expected
    openai_server.script = None
    assert assay("run", "--resume", "last", "--batch").code == 0  # a new session asks for what failed
    assert scores(tmp_path) == live[0]


def test_a_request_that_is_never_answered_fails_after_the_attempts(
    assay, set_file, judge_file, openai_server, tmp_path
):
    def lose(batch):
        batch.output = [line for line in batch.output if b"truthfulness" not in line]

    openai_server.batches.spoil = lose
    done = assay(*command(set_file(2), judge_file(attempts=2)), code=4)
    assert "no reply in 2 batches, at last: the batch has no line about it" in done.err
    failed = [(name, metric) for name, metric, _, status, _ in scores(tmp_path) if status == "failed"]
    assert failed == [("s0", "judge_truthfulness"), ("s1", "judge_truthfulness")]


def test_a_reply_that_cannot_be_used_is_corrected_in_the_next_batch(
    *, assay, set_file, judge_file, openai_server, tmp_path, live
):
    def script(request):
        is_first = request.body["messages"][-1]["content"] == request.user
        return Answer(text="five") if "truthfulness" in request.user and is_first else None

    openai_server.script = script
    assert assay(*command(set_file(SAMPLES), judge_file())).code == 0
    assert scores(tmp_path) == live[0]
    assert [len(batch.lines) for batch in openai_server.batches.batches.values()] == [12, 12]


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("create", Answer(fault="reset")),
        ("create", Answer(fault="cut")),
        ("create", Answer(status=503)),
        ("create", Answer(status=429)),
        ("upload", Answer(fault="reset")),
        ("retrieve", Answer(status=503)),
        ("content", Answer(fault="cut")),
    ],
)
def test_no_batch_is_submitted_twice_where_a_reply_is_lost(
    *, assay, set_file, judge_file, openai_server, tmp_path, kind, answer
):
    """Each kind of call fails the first time: with its effect and no reply, or without effect."""

    def fail_first(call):
        return answer if call.kind == kind and call.attempt == 1 else None

    openai_server.batches.on_call = fail_first
    assay(*command(set_file(SAMPLES), judge_file()), code=0)
    assert [len(batch.lines) for batch in openai_server.batches.batches.values()] == [FIRST, SECOND]
    assert answered_once(openai_server)


def test_a_refused_batch_stops_the_run_and_says_why(assay, set_file, judge_file, openai_server, tmp_path):
    def refuse(batch):
        batch.status, batch.output = "failed", []
        batch.problems = [{"code": "model_not_found", "message": "no batches for this model", "line": 1}]

    openai_server.batches.spoil = refuse
    done = assay(*command(set_file(2), judge_file()), code=1)
    assert "the batch batch_1 was refused (model_not_found: no batches for this model)" in done.err
    openai_server.batches.spoil = lambda _: None
    run = Store(tmp_path / ".assay").run("last").id
    done = assay(*command(set_file(2), judge_file()), "--json")
    assert (done.code, done.json["run"]) == (0, run)  # the same command goes on with the same run


def test_a_cassette_named_by_its_judge_is_filled(assay, set_file, judge_file, openai_server, tmp_path):
    """A session that ends before any reply has paid: its run stays, and the same command goes on with it."""
    words = [*command(set_file(2), judge_file()), "--cassette", "replies.{judge}.jsonl"]
    interrupt_polling(openai_server)
    assert assay(*words).code == 1
    (run,) = Store(tmp_path / ".assay").run_ids(9)
    openai_server.batches.on_call = None
    batches = ("run", "batches", "status", "--cassette", "replies.{judge}.jsonl", "--json")
    assert "say whose it is (--judge MODEL)" in assay(*batches, code=2).err
    (listed,) = assay(*batches, "--judge", judge_file()).json["batches"]
    assert listed["requests"] == 4
    done = assay(*words, "--json", code=0)
    assert done.json["run"] == run
    assert set(openai_server.batches.asked.values()) == {1}
    assert str(Store(tmp_path / ".assay").cassette(run)) == "replies.openai-test.jsonl"
    assert [*tmp_path.glob("replies.*")] == [tmp_path / "replies.openai-test.jsonl"]


def interrupt_polling(server):
    server.batches.on_call = lambda call: Answer(status=401) if call.kind == "retrieve" else None


def test_status_and_cancel(*, assay, set_file, judge_file, openai_server, tmp_path, live):
    """A cancelled batch keeps what it has done; the same command submits the rest, and only the rest."""
    words = command(set_file(SAMPLES), judge_file())
    assert "no batches are under way" in assay("run", "batches", "status", code=2).err
    interrupt_polling(openai_server)
    assert assay(*words).code == 1
    openai_server.batches.on_call, openai_server.batches.polls = None, 9
    (listed,) = assay("run", "batches", "status", "--json").json["batches"]
    assert (listed["batch"], listed["status"], listed["requests"], listed["stage"]) == (
        "batch_1",
        "in_progress",
        FIRST,
        1,
    )
    shown = assay("run", "batches", "cancel")
    assert "batch_1" in shown.out
    assert "cancelling" in shown.out
    assert "the batch batch_1 was cancelled. The replies that came are kept" in assay(*words, code=1).err
    openai_server.batches.polls = 0
    assert assay(*words).code == 0
    assert [len(batch.lines) for batch in openai_server.batches.batches.values()][1] < FIRST
    assert answered_once(openai_server)
    assert scores(tmp_path) == live[0]


def test_a_budget_bounds_what_is_submitted(*, assay, set_file, judge_file, openai_server, tmp_path, live):
    words = command(set_file(SAMPLES), judge_file())
    stopped = assay(*words, "--budget-calls", str(FIRST + 2), "--json", code=3)
    assert f"the budget of {FIRST + 2} calls is reached" in stopped.err
    assert len(openai_server.requests) == FIRST + 2
    again = assay(*words, "--budget-calls", str(FIRST + 2))
    assert again.code == 3  # what an earlier session submitted counts
    assert assay(*words, "--budget-calls", str(FIRST + SECOND)).code == 0
    assert answered_once(openai_server)
    assert scores(tmp_path) == live[0]


def test_the_cost_is_told_before_and_is_that_of_a_batch(assay, set_file, judge_file, openai_server):
    """litellm's list: gpt-4o-mini costs 0.075 and 0.30 USD per million tokens in a batch, half of its other price.

    Claims have room for 1,000 tokens; three ratings for their ids (12 + 11 + 12), a digit and 8 tokens each, and 8: 70.
    """
    openai_server.script = lambda _: Answer(usage=(1000, 10))
    done = assay(*command(set_file(SAMPLES), judge_file(model="openai/gpt-4o-mini")), "--json", code=0)
    per_call = (1000 * 0.075 + 10 * 0.30) / 1e6
    assert done.json["usage"]["usd"] == pytest.approx(per_call * (FIRST + SECOND))
    assert f"tokens in and {SAMPLES * (1000 + 70):,} out, at most 0.00" in done.err
    unpriced = assay(*command(set_file(SAMPLES), judge_file()), "--budget-usd", "1", "--store", "other", code=2)
    assert "the cost of openai/test in batches is unknown" in unpriced.err


def test_what_was_submitted_without_a_price_counts_in_no_budget_in_usd(assay, set_file, judge_file, openai_server):
    samples = set_file(2)
    submitted = openai_server.batches.batches
    openai_server.batches.on_call = lambda call: Answer(status=401) if submitted and call.kind == "upload" else None
    assert assay(*command(samples, judge_file()), "--cassette", "c.jsonl").code == 1
    openai_server.batches.on_call = None
    priced = judge_file(price={"input": 1, "output": 2})
    stopped = assay(*command(samples, priced), "--cassette", "c.jsonl", "--budget-usd", "1")
    assert "the cost of openai/test in batches is unknown" in stopped.err


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("gguf:model.gguf", "runs on this machine"),
        ("anthropic/claude-haiku", "is of the provider anthropic, whose batches are not supported"),
        ("bedrock/x", "is of the provider bedrock"),
    ],
)
def test_other_models_are_refused_before_anything_begins(*, assay, set_file, judge_file, tmp_path, model, problem):
    done = assay(*command(set_file(2), judge_file(model=model, api_base=None)), code=2)
    assert problem in done.err
    assert "leave --batch out, or choose a judge whose model begins with one of openai/" in done.err
    assert Store(tmp_path / ".assay").run_ids(1) == []


def test_what_batch_cannot_go_with_is_said(assay, set_file, judge_file, openai_server):
    assert "no judge is named" in assay("run", set_file(2), "--batch", "--metrics", "token_overlap", code=2).err
    replaying = assay(*command(set_file(2), judge_file()), "--cassette", "c.jsonl", "--mode", "record", code=2)
    assert "leave --mode out" in replaying.err

    done = assay(*command(set_file(2), judge_file(decide="decisions")), code=2)
    assert "is asked as a decision model, which has no batches" in done.err
    assert not openai_server.batches.calls


def test_two_processes_or_judges_never_share_batches(assay, set_file, judge_file, openai_server, tmp_path):
    from assay.judges import locked

    words = [*command(set_file(2), judge_file()), "--cassette", "c.jsonl"]
    with locked(tmp_path / "c.jsonl.batches"):
        busy = assay(*words)
    assert busy.code == 2
    assert "another process is at work on these batches" in busy.err
    interrupt_polling(openai_server)
    assert assay(*words).code == 1
    openai_server.batches.on_call = None
    other = assay(
        *command(set_file(2), judge_file("other.yaml", model="openai/other")), "--cassette", "c.jsonl", code=2
    )
    assert "batches of another judge (openai/test) are under way there" in other.err
    assert assay(*words).code == 0
    assert len(openai_server.batches.batches) == 2


def test_a_record_of_batches_that_is_broken_is_named(assay, set_file, judge_file, openai_server, tmp_path):
    words = command(set_file(SAMPLES), judge_file())
    interrupt_polling(openai_server)
    assert assay(*words).code == 1
    openai_server.batches.on_call = None
    path = journal_of(tmp_path).folder / "batches.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert f"{path.name}: not the record of batches" in assay(*words, code=1).err
    path.write_bytes(whole)
    (asked,) = path.parent.glob("*.asked.jsonl")
    requests = asked.read_bytes()
    for broken in (b'{"key": "a", "tokens_in": 9}\n', None):
        asked.unlink() if broken is None else asked.write_bytes(broken)
        assert f"{asked.name}: not the record of a batch's requests" in assay(*words, code=1).err
    asked.write_bytes(requests)
    assert assay(*words).code == 0
    assert answered_once(openai_server)


def test_batches_that_an_earlier_version_submitted_are_not_asked_for_again(assay, set_file, judge_file, openai_server):
    """Assay 0.2 noted each change in `journal.jsonl`; to begin anew would pay twice, and remove what it had noted."""
    words = [*command(set_file(2), judge_file()), "--cassette", "c.jsonl"]
    folder = Path("c.jsonl.batches")
    folder.mkdir()
    batch = {"id": "a1", "stage": 1, "requests": 4, "bytes": 9, "tokens_in": 9, "tokens_out": 9, "usd": None}
    lines = [{"judge": {"model": "openai/test"}}, batch, {"id": "a1", "state": "submitted", "provider_id": "batch_9"}]
    journal = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "journal.jsonl").write_text(journal)
    for command_line in (words, ["run", "batches", "status", "--cassette", "c.jsonl"]):
        done = assay(*command_line)
        assert done.code == 1
        assert f"{folder / 'journal.jsonl'}: Assay 0.2 submitted these batches" in done.err
        assert f"then remove the folder {folder}" in done.err
    assert (folder / "journal.jsonl").read_text() == journal
    assert not openai_server.batches.calls
    assert not openai_server.requests
    assert Store(".assay").run_ids(1) == []
