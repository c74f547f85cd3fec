"""Pushes: scores of a run go to their traces, each once."""

import pytest
from modules import module_of
from traces_of_tests import MemoryTool, trace

from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.runs import Plan, RunOptions, Store, run_plan
from assay.traces import PullRequest, PushRequest, TraceAddress, pull_traces, push_scores

ADDRESS = TraceAddress.parse("tool://localhost/support")
METRICS = ("token_overlap", "thanks_at_end")


class Pushing:
    """A store, a tool with traces, and a run of them."""

    def __init__(self, folder):
        self.folder, self.store = folder, Store(folder / "store")
        contexts = ("Answer t1 of a document.",)
        self.tool = MemoryTool(
            trace("t1", 0, "s", retrieved_contexts=contexts),
            trace("t2", 1, "s", retrieved_contexts=contexts),
            trace("alone", 2, retrieved_contexts=contexts),
            trace("bare", 3),  # without contexts: token_overlap is skipped
        )

    def run(self, turns="last", file="traces.jsonl", metrics=METRICS):
        path = self.folder / file
        if not path.exists():
            pull_traces(PullRequest(ADDRESS), self.store, path, source=self.tool)
        plan = Plan(sets=(str(path),), metrics=metrics, turns=turns)
        return self.store.run(run_plan(plan, self.store, RunOptions()).run)

    def push(self, run, **request):
        return push_scores(self.store, run, PushRequest(**request), open_place=lambda place: self.tool)


@pytest.fixture
def pushing(tmp_path):
    opened = Pushing(tmp_path)
    yield opened
    opened.store.close()


def test_scores_go_to_the_traces_and_sessions_that_they_are_about(pushing):
    run = pushing.run("each")
    result = pushing.push(run)
    assert (result.written, result.updated, result.failed) == (4, 0, 0)
    places = {(one.name, one.origin.unit, one.origin.id, one.origin.span) for one in pushing.tool.scores.values()}
    assert places == {
        ("token_overlap", "trace", "t1", "span-t1"),
        ("token_overlap", "trace", "t2", "span-t2"),
        ("token_overlap", "trace", "alone", "span-alone"),
        ("thanks_at_end", "session", "t2", "span-t2"),
    }
    turn = next(one for one in pushing.tool.scores.values() if one.origin.id == "t1")
    assert (turn.low, turn.high, turn.higher_is_better, turn.run) == (0.0, 1.0, True, run.id)
    assert turn.origin.session == "s"
    assert turn.reason and len(turn.key) == 32


def test_a_metric_of_an_answer_on_a_conversation_goes_to_the_trace_of_its_last_turn(pushing):
    pushing.push(pushing.run("last"), metrics=("token_overlap",))
    assert {one.origin.id for one in pushing.tool.scores.values()} == {"t2", "alone"}


def test_a_second_push_writes_only_what_is_new_or_changed(pushing):
    run = pushing.run()
    first = pushing.push(run)
    second = pushing.push(run)
    assert (second.written, second.updated, second.unchanged) == (0, 0, first.written)
    assert pushing.tool.writes == first.written
    more = pushing.push(run, metrics=(*METRICS, "answer_length"))
    assert (more.written, more.unchanged) == (3, first.written)
    sql = "UPDATE pushed_scores SET content = content || '-0123456789abcdef'"  # as 0.2 noted those with a link
    pushing.store.database.execute(sql)
    assert pushing.push(run).unchanged == first.written
    pushing.store.database.execute("UPDATE pushed_scores SET content = 'other'")
    pushing.tool.scores.clear()  # a tool that does not say what it had
    changed = pushing.push(run)
    assert (changed.written, changed.updated) == (0, first.written)
    with pytest.raises(UsageError, match="did you mean `token_overlap`"):
        pushing.push(run, metrics=("token_overlp",))


def test_a_score_of_a_trace_that_is_alone_in_its_session_is_about_the_session(tmp_path):
    pushing = Pushing(tmp_path)
    told = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Free?"}]
    told.append({"role": "assistant", "content": "Yes. Thanks!"})
    fields = {"messages": told, "user_input": "Free?", "response": "Yes. Thanks!", "retrieved_contexts": ("Yes.",)}
    pushing.tool = MemoryTool(trace("one", 0, "s1", **fields), trace("two", 1, **fields))
    pushing.push(pushing.run("each"))
    places = {(one.name, one.origin.unit, one.origin.id) for one in pushing.tool.scores.values()}
    assert places == {
        ("token_overlap", "trace", "one"),
        ("token_overlap", "trace", "two"),
        ("thanks_at_end", "session", "one"),
        ("thanks_at_end", "trace", "two"),
    }
    pushing.store.close()


def test_skipped_scores_are_left_out_and_counted(pushing):
    run = pushing.run()
    assert pushing.push(run, is_dry=True).valueless == 1
    assert pushing.tool.writes == 0
    assert pushing.push(run).valueless == 1


def test_a_failed_write_is_resumed(pushing):
    run = pushing.run()
    pushing.tool.refused = {"alone"}
    first = pushing.push(run)
    assert first.failed == 1 and first.problems == {"the trace is gone": 1}
    assert pushing.tool.writes == first.written + 1
    pushing.tool.refused = set()
    write = pushing.tool.write

    def breaks(scores):
        yield next(write(scores))
        raise InputError("the server is gone")

    pushing.tool.write = breaks
    with pytest.raises(InputError):
        pushing.push(run)
    pushing.tool.write = write
    second = pushing.push(run)  # what was written before the error counts
    assert (second.written, second.failed, second.unchanged) == (0, 0, first.written + 1)


def test_a_kill_between_the_write_and_the_ledger_doubles_nothing(pushing, monkeypatch):
    run = pushing.run()

    class Killed(BaseException):
        pass

    def killed(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module_of(push_scores)._Push, "_note", killed)
        with pytest.raises(Killed):
            pushing.push(run)
    written = len(pushing.tool.scores)
    result = pushing.push(run)
    assert (result.written, result.updated) == (0, written) and len(pushing.tool.scores) == written


def test_two_pushes_of_one_run_exclude_each_other(pushing):
    run = pushing.run()
    other = Store(pushing.folder / "store")
    assert other.database.locks.take(f"push-{run.id}")
    with pytest.raises(UsageError, match="another process pushes"):
        pushing.push(run)
    other.close()


def test_samples_of_no_trace_are_counted(pushing, tmp_path):
    from assay.eval_sets import write_set

    write_set([Sample(id="own", user_input="Free?", response="Yes.")], tmp_path / "own.jsonl")
    result = pushing.push(pushing.run(file="own.jsonl", metrics=("answer_length",)))
    assert (result.samples_without_trace, result.written, dict(result.places)) == (1, 0, {})


def test_an_earlier_answer_in_the_messages_of_one_trace_is_not_its_own(pushing):
    said = [("user", "One?"), ("assistant", "One."), ("user", "Two?"), ("assistant", "Two.")]
    spoken = [{"role": role, "content": content} for role, content in said]
    tool_trace = trace("t9", 0, user_input="Two?", response="Two.", messages=spoken)
    pushing.tool.traces = [tool_trace]
    result = pushing.push(pushing.run("each"), metrics=("answer_length",))
    assert (result.written, result.samples_without_trace) == (1, 1)


def test_a_file_from_elsewhere_sends_no_key_to_a_server_that_it_names(pushing, tmp_path):
    pushing.run()
    file = tmp_path / "traces.jsonl"
    file.write_text(file.read_text().replace("tool://localhost/support", "tool://evil.example/support"))
    run = pushing.run()
    with pytest.raises(UsageError, match="nothing was pulled with this store"):
        pushing.push(run)
    assert pushing.tool.writes == 0
    assert pushing.push(run, to="tool://evil.example/support").written


@pytest.mark.parametrize(
    ("address", "is_sent"),
    [
        ("tool:///support", False),  # the tool's own server, such as its cloud
        ("tool:support", False),
        ("tool://localhost.evil.example/support", False),
        ("tool://127.0.0.7:6006/support", True),
        ("tool://[::1]:6006/support", True),
    ],
)
def test_an_address_is_this_machine_only_by_its_own_name_or_number(pushing, address, is_sent):
    pushing.run()
    file = pushing.folder / "traces.jsonl"
    file.write_text(file.read_text().replace("tool://localhost/support", address))
    run = pushing.run()
    if is_sent:
        assert pushing.push(run).written
        return
    with pytest.raises(UsageError, match="nothing was pulled with this store"):
        pushing.push(run)
    assert pushing.tool.writes == 0
    pull_traces(
        PullRequest(TraceAddress.parse(address)), pushing.store, pushing.folder / "own.jsonl", source=pushing.tool
    )
    assert pushing.push(run).written


def test_the_commands_say_what_they_did(assay, tmp_path, pushing):
    run = pushing.run()
    words = ("push", run.id, "--store", tmp_path / "store")
    dry = assay(*words, "--dry-run")
    assert dry.code == 0 and "to write" in dry.out
    refused = assay(*words, "--metrics", "faithfulness")
    assert refused.code == 2 and "has no metric" in refused.err
    unknown = assay(*words, "--to", "phenix://localhost:6006/p")
    assert unknown.code == 2 and "did you mean `phoenix`" in unknown.err
