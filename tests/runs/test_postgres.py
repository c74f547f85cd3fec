"""The store on a real PostgreSQL server, started here for the tests: the same as on SQLite (see `test_store` too)."""

import json
import re
import shutil
import socket
from pathlib import Path

import pytest

import assay.runs
from assay.errors import InputError
from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import AnswerIndex, AnswerQuery, Ledger, Plan, RunWriter, Store, join_ratings, migrate, queue_ids
from assay.runs.ratings import RatingQueue

psycopg = pytest.importorskip("psycopg")
PLAN = Plan(sets=("set.jsonl",), metrics=("faithfulness",))
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def url(postgres_url):
    return postgres_url


def test_nights_and_accepted_runs_are_kept(url):
    ledger = Ledger(Store(url))
    first, second = ledger.begin("nights"), ledger.begin("nights")
    assert first.id != second.id
    ledger.add_run(first.id, "j", "r1")
    ledger.end(first.id, "passed", {"gates": ["é"]})
    assert [(row.status, row.report) for row in ledger.nightly_runs("nights")][::-1] == [
        ("passed", {"gates": ["é"]}),
        ("running", None),
    ]
    assert (ledger.find_suite("r1"), ledger.runs(first.id)) == ("nights", {"j": "r1"})
    for run in ("r1", "r2", "r1"):
        ledger.accept("nights", "j", run)
        assert ledger.baseline("nights", "j").runs == (run,)
    assert ledger.baseline("nights", "other") is None


def test_the_commands_take_a_url(assay, set_file, tmp_path, url):
    suite = {"sets": [str(set_file(7))], "metrics": ["token_overlap"], "store": url}
    suite["gates"] = [{"gate": "regression", "metric": "token_overlap"}]
    (tmp_path / "nightly.yaml").write_text(json.dumps(suite), encoding="utf-8")
    runs = []
    for state in ("no baseline", "passed"):
        done = assay("suite", "nightly.yaml", "--json")
        assert (done.code, done.json["gates"][0]["state"]) == (0, state)
        runs.append(done.json["runs"][0]["run"])
        assert assay("suite", "accept", "last", "--store", url).code == 0
    assert assay("show", "changes", *runs, "--store", url, "--json").json["samples"] == 7
    assert "Samples" in assay("show", "last", "--store", url).out
    assert not (tmp_path / ".assay").exists()
    resumed = assay("run", "--resume", "last", "--store", url, "--json")
    assert (resumed.code, resumed.json["run"]) == (0, runs[1])


def test_a_server_that_is_not_there_is_told_without_the_password(assay):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = assay("show", "--store", f"postgresql://assay:secret@127.0.0.1:{port}/x", code=2)
    assert "see that the server is there and the URL is right" in result.err
    assert "secret" not in result.err


def test_a_connection_that_breaks_in_the_middle_of_a_night(
    *, assay, set_file, judge_file, openai_server, tmp_path, url
):
    judge_file()
    metric = "faithfulness:claims=judge"
    suite = {"sets": [str(set_file(6))], "metrics": [metric], "judges": ["local.yaml"], "store": url}
    suite |= {"concurrency": 1, "outputs": {"json": "report.json", "site": "site"}}
    (tmp_path / "nightly.yaml").write_text(json.dumps(suite), encoding="utf-8")

    def cut(request):
        if request.number == 5:
            with psycopg.connect(url, autocommit=True) as other:
                mine = "pid <> pg_backend_pid() AND application_name = 'assay'"
                other.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {mine}")

    openai_server.script = cut
    broken = assay("suite", "nightly.yaml")
    assert (broken.code, "Traceback" in broken.err) == (1, False)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report["status"], "the run cannot be kept" in report["message"]) == ("error", True)
    openai_server.script = None
    done = assay("suite", "nightly.yaml", "--resume", "--json")
    assert (done.code, done.json["nightly_run"], done.json["verdict"]) == (0, report["nightly_run"], "passed")
    assert done.json["runs"][0]["metrics"][0]["scored"] == 6
    assert len(openai_server.requests) <= 13  # the reply that could not be kept is asked for once more


def test_answers_are_found_as_on_sqlite(url, tmp_path):
    """The same questions to both: words, the beginning of a word, accents, signs, a metric's status and order."""
    questions = [
        AnswerQuery(text="menu"),
        AnswerQuery(text="menu wach"),
        AnswerQuery(text="wach menu"),
        AnswerQuery(text="een ÜBER"),
        AnswerQuery(text="a-2 3.5"),
        AnswerQuery(text="' | & ! :*"),
        AnswerQuery(text="other", sort="token_overlap", descending=True),
        AnswerQuery(metric="token_overlap", status="scored", rated="yes", sort="rating"),
        AnswerQuery(language="nl"),
        AnswerQuery(text="o", sort="rating", descending=True),
        AnswerQuery(text="menu", metric="token_overlap", status="failed"),
        AnswerQuery(language="nl", sort="token_overlap", descending=True),
    ]
    texts = ["menu wachtwoord", "één über menu", "a-2 costs 3.5", "other menu", "other"]
    found = []
    for where in (url, tmp_path):
        store = Store(where)
        run = store.begin(PLAN)
        for answer_run in (run, store.begin(PLAN)):  # a run's answers are not another's
            writer = RunWriter(store, answer_run)
            samples = [
                Sample(
                    id=f"s{n}",
                    user_input="Q?",
                    response=text,
                    rating=1 + n,
                    language="nl",
                    message_type="binary",
                    group="g1",
                )
                for n, text in enumerate(texts)
            ]
            for n, sample in enumerate(writer.number_samples(samples)):
                writer.add(sample, {"token_overlap": Score(n / 4, "scored", "")})
            writer.flush()
        index = AnswerIndex(store.database)
        found.append([[row.sample.id for row in index.search(run, question).rows] for question in questions])
        store.close()
    assert found[0] == found[1]
    assert found[0][:3] == [["s0", "s1", "s3"], ["s0"], []]
    in_order = ["s0", "s1", "s2", "s3", "s4"]
    assert found[0][3:9] == [["s1"], ["s2"], [], ["s4", "s3"], in_order, in_order]
    assert found[0][9:] == [["s4", "s3"], [], in_order[::-1]]


def test_what_another_process_may_refer_to_is_not_removed(url):
    """Contents are removed in no transaction beside one that writes contents, whose references nobody sees yet."""
    store, other = Store(url), Store(url, wait=0.05)
    run = store.begin(PLAN)
    writer = RunWriter(other, run)
    writer.add(Sample(id="s", user_input="Q?", response="A"), {"faithfulness": Score(None, "skipped", "")})
    writer.flush()
    with store.database.transaction():
        store.database.hold_contents()
        with pytest.raises(InputError, match="wait until the process that holds it has ended"):
            writer.remove_samples_except(())
    assert len(list(store.samples(run))) == 1
    writer.remove_samples_except(())
    assert store.database.execute("SELECT count(*) FROM contents").fetchone() == (0,)
    for opened in (store, other):
        opened.close()


def test_a_store_of_an_earlier_version_is_brought_up_to_date(url, tmp_path):
    """As version 13 wrote it, with the rows of the store that 6da67d2f wrote on SQLite (see `test_earlier_stores`)."""
    database = Store(url).database
    database.execute("DROP SCHEMA public CASCADE")
    database.execute("CREATE SCHEMA public")
    schema = Path(assay.runs.__file__).parent / "store" / "schema" / "0013_tables.sql"
    shutil.copy(schema, tmp_path)
    migrate(database, tmp_path)
    dump = Path(__file__).with_name("store_of_6da67d2f.sql").read_text(encoding="utf-8")
    with psycopg.connect(url) as connection:
        for statement in re.findall(r"^INSERT INTO .*?;$", dump, flags=re.MULTILINE):
            connection.execute(statement)
    sample = Sample(id="s", user_input="Q?", response="one word")
    row = ("run", "s", 0, None, None, "s", sample.model_dump_json())
    database.execute("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    migrate(database)
    same = Sample(id="same", user_input="Free 0?", response="Yes, 0.")
    assert join_ratings(database, {"same": same}).samples["same"].ratings == {"ada": 4.0, "bob": 2.0}
    turns, pairs = (RatingQueue(database, queue_ids(database, has_pairs=pairs)[0]) for pairs in (False, True))
    assert [len(turns.sample(name).messages) for name in ("chat#1", "chat#3")] == [2, 4]
    assert [answer.response for answer in pairs.pair("pair-1").answers] == ["old 1.", "new 1."]
    found = AnswerIndex(database).search("run", AnswerQuery(text="wor"))
    assert [row.sample for row in found.rows] == [sample]
    database.close()
