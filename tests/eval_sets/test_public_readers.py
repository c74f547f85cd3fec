"""The readers of the public sets: what comes out of each original form, and how a wrong one is named."""

import json
from hashlib import sha1
from typing import Any

import pytest
from public_originals import BEGIN_HEAD, BEGIN_ROWS, original_of, tau_trajectories

from assay.errors import InputError
from assay.eval_sets import OriginalFile, is_in_part, load_facts, part_of, read_rows


def rows_of(name: str, *texts: str, part: Any = None) -> list[dict[str, Any]]:
    facts = load_facts(name)
    files = [OriginalFile(file.path, text) for file, text in zip(facts.files, texts, strict=False)]
    return [row.values for row in read_rows(facts, files) if is_in_part(row, part)]


def document_rows(name: str, document: Any) -> list[dict[str, Any]]:
    return rows_of(name, json.dumps(document))


def test_mtrag():
    first, second, third = document_rows("mtrag", original_of("mtrag"))
    task = sha1(b"talk1<::>1").hexdigest()[:12]
    assert (first["id"], second["id"]) == (f"mtrag-{task}-gpt", f"mtrag-{task}-llama")
    assert (first["user_input"], first["response"]) == ("Where do I request leave?", "gpt says: under My page.")
    assert first["retrieved_contexts"] == ["Request leave under My page > Leave."]
    # (4 + 4 + 3) / 3 = 3.6667, (1 + 2) / 2 = 1.5; the rater of "" did not rate
    assert [row["rating"] for row in (first, second, third)] == [3.6667, 1.5, 3.0]
    assert (third["ratings"], third["rating_min"], third["rating_max"]) == ({"rater1": 3.0}, 1, 4)
    metadata = third["metadata"]
    assert metadata["group"] == "conv:talk1"
    assert [turn["speaker"] for turn in metadata["history"]] == ["user", "agent"]
    assert metadata["dims"] == {
        "faithfulness": {"mean": 3.0, "raters": [3.0]},
        "naturalness": {"mean": 3.5, "raters": [4.0, 3.0]},
    }
    assert metadata["published_metrics"] == {"RougeL": 0.5, "rl_f": 1.0}


def test_what_is_no_rating_is_left_out():
    document = original_of("mtrag")
    faithfulness = document["evaluations"][0]["annotations"]["faithfulness"]
    for rater, value in (("rater0", "9"), ("rater1", "NaN"), ("rater2", "2")):
        faithfulness[rater]["value"] = value
    row = document_rows("mtrag", document)[0]
    assert (row["rating"], row["ratings"]) == (2.0, {"rater2": 2.0})
    faithfulness["rater2"]["value"] = None
    assert "rating" not in document_rows("mtrag", document)[0]


@pytest.mark.parametrize(
    ("first", "second", "groups"),
    [
        ("51873-0-862", "51873-900-950", {"conv:talk0"}),  # two passages of one document
        ("51873-0-862", "51874-0-862", {"conv:talk0", "conv:talk1"}),
        ("8649_91-93-0-1", "8649_147-149-0-2", {"conv:talk0"}),
        ("ibmcld_00020-7-10", "ibmcld_00020-30-40", {"cloud:ibmcld_00020"}),
        ("ibmcld_00020-7-10", "ibmcld_00003-7-10", {"cloud:ibmcld_00020", "cloud:ibmcld_00003"}),
    ],
)
def test_conversations_about_one_document_are_one_group(first, second, groups):
    document = original_of("mtrag")
    document["documents"] = [{"document_id": name, "text": "Leave."} for name in (first, second)]
    for task, name in zip(document["tasks"], (first, second), strict=True):
        task["contexts"] = [{"document_id": name}]
    document["tasks"][1]["task_id"] = document["evaluations"][2]["task_id"] = "talk0<::>1"
    assert {row["metadata"]["group"] for row in document_rows("mtrag", document)} == groups


def test_clapnq():
    """Questions about one article are one group, which the first id in the alphabet names."""
    answered, empty = document_rows("clapnq", original_of("clapnq"))
    assert (answered["id"], empty["id"]) == ("clapnqhum--7-gpt", "clapnqhum-8-gpt")
    assert (answered["rating"], answered["reference"]) == (3.0, "Kim wrote the handbook.")
    assert ("reference" in empty, empty["response"]) == (False, "")
    assert {row["metadata"]["group"] for row in (answered, empty)} == {"clap:-7"}
    document = original_of("clapnq")
    document["tasks"][1]["contexts"][0]["title"] = "Another"
    assert [row["metadata"]["group"] for row in document_rows("clapnq", document)] == ["clap:-7", "clap:8"]


def test_begin_numbers_the_rows_of_each_file_from_0():
    rows = rows_of("begin", BEGIN_HEAD + BEGIN_ROWS, BEGIN_HEAD + BEGIN_ROWS)
    assert [row["id"] for row in rows][::3] == ["begin-dev-0", "begin-test-0"]
    assert [row["rating"] for row in rows[:3]] == [1, 0, 0]
    # quotes are part of a text, and the group is its letters and digits
    assert rows[0]["retrieved_contexts"] == ['Tea is "a drink".']
    assert {row["metadata"]["group"] for row in rows} == {"begin:teaisadrink", "begin:coffeeisbrewed"}
    assert rows[5]["metadata"]["source"] == "google/BEGIN-dataset wow/begin_test_wow.tsv"


def test_tau_keeps_messages_as_they_are():
    first, second = document_rows("tau", tau_trajectories())
    assert [row["id"] for row in (first, second)] == ["tau-airline-0-gpt-4o-0", "tau-airline-0-gpt-4o-1"]
    assert first["messages"][2] == {"role": "assistant", "content": "It is cancelled."}
    assert (first["rating"], second["rating"], second["metadata"]["group"]) == (1.0, 0.0, "airline-0")
    uncounted = [{name: held for name, held in entry.items() if name != "trial"} for entry in tau_trajectories()]
    rows = document_rows("tau", uncounted)  # attempts are counted where the file does not
    assert [row["metadata"]["trial"] for row in rows] == [0, 1]


def test_halves_hold_whole_groups():
    """A group is in one half, by the first byte of its SHA-256, and the halves together are all of the set."""
    document = json.dumps(tau_trajectories(1, tasks=40))
    dev, test = (rows_of("tau", document, part=part) for part in ("dev", "test"))
    assert len(dev) + len(test) == 40
    assert 8 < len(dev) < 32  # 20 expected, standard deviation 3.2
    assert {part_of(row["metadata"]["group"]) for row in dev} == {"dev"}
    assert not {row["metadata"]["group"] for row in dev} & {row["metadata"]["group"] for row in test}


BREAKS: list[tuple[str, Any, str]] = [
    ("mtrag", lambda d: d["evaluations"][1].pop("model_id"), "KeyError: 'model_id'"),
    ("mtrag", lambda d: d["evaluations"][0].update(task_id="no"), "KeyError: 'no'"),
    ("mtrag", lambda d: d["tasks"][0]["contexts"][0].update(document_id="gone"), "KeyError: 'gone'"),
    ("mtrag", lambda d: d["tasks"][0].update(input=[]), "IndexError"),
    ("mtrag", lambda d: d.update(tasks={"a": 1}), "TypeError"),
    ("clapnq", lambda d: d["results"][0].update(output=[]), "IndexError"),
    ("tau", lambda d: d[0].update(reward=0.5), "0.5 is none of 0, 1"),
]


@pytest.mark.parametrize(("name", "change", "words"), BREAKS)
def test_what_is_not_in_the_form_is_named_with_its_file(name, change, words):
    document = tau_trajectories() if name == "tau" else original_of(name)
    change(document)
    with pytest.raises(InputError) as raised:
        document_rows(name, document)
    message = str(raised.value)
    assert message.startswith(f"public:{name}: {load_facts(name).files[0].path}: ")
    assert words in message
    assert "get it again" in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\tb\n", "line 1 does not name the columns model_name"),
        (BEGIN_HEAD + "t5\twow\tx\n", "not enough values to unpack"),
        (BEGIN_HEAD + "t5\twow\tk\tm\tr\tMaybe\n", "KeyError: 'Maybe'"),
    ],
)
def test_a_wrong_line_of_begin_is_named(text, words):
    with pytest.raises(InputError) as raised:
        rows_of("begin", text)
    assert words in str(raised.value)


@pytest.mark.parametrize("text", ["", "<html>", "[" * 100_000, '{"a": 1, "a": 2}', '{"tasks": [NaN]}', "[]", "7"])
@pytest.mark.parametrize("name", ["clapnq", "mtrag"])
def test_other_json_is_refused(name, text):
    with pytest.raises(InputError, match="get it again"):
        rows_of(name, text)
