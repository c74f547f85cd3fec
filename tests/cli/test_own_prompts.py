"""`assay judges prompts`: another wording, and what it changes."""

import json
import re
from importlib import resources
from pathlib import Path

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

METRIC = "faithfulness:claims=judge"
MARK = "Leave flowers out."


def edited(folder: Path, name: str, old: str = "## user", new: str = "## user") -> Path:
    """Our prompt with one sentence more at its beginning, and `old` made `new`."""
    text = resources.files("assay.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8")
    assert old in text
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.md"
    begun = re.sub(r"\A(## \w+\n)", rf"\1{MARK} ", text)
    path.write_text(begun.replace(old, new), encoding="utf-8")
    return path


@pytest.fixture
def no_flowers(openai_server: OpenAIServer) -> OpenAIServer:
    """A judge that does as the edited prompt says: no claim about flowers; buttons are not found."""

    def script(request: Request) -> Answer | None:
        if MARK not in request.body["messages"][0]["content"]:
            return None
        reply = json.loads(sensible_reply(request.body)[0])
        if request.schema == "Claims":
            reply["claims"] = [claim for claim in reply["claims"] if "flowers" not in claim]
        if request.schema == "ListedAnswers":
            reply = {
                question: "No" if f"{question}: Press" in request.user else word for question, word in reply.items()
            }
        return Answer(text=json.dumps(reply))

    openai_server.script = script
    return openai_server


def test_try_tells_claims_lost_and_asks_only_what_changed(assay, set_file, judge_file, no_flowers, tmp_path):
    """Six samples of two claims; s0 and s3 name flowers, which no context has: 1/2 before, 1/1 after.

    The verdicts on an answer whose claims stay the same are not asked again.
    """
    words = ["judges", "prompts", "try", "claims.en", set_file(), "--edit", edited(tmp_path / "own", "claims.en")]
    result = assay(*words, "--judge", judge_file(), "--json", code=0)
    effect = result.json
    assert effect["samples"] == 6
    assert effect["lost"] == [["s0", "Send flowers."], ["s3", "Send flowers."]]
    assert (effect["added"], effect["flips"]) == ([], [])
    (metric,) = effect["metrics"]
    assert (metric["mean_before"], metric["mean_after"]) == (pytest.approx(5 / 6), 1.0)
    assert effect["prompts_before"] != effect["prompts_after"]
    assert len(no_flowers.asked_for("Claims")) == 12
    assert len(no_flowers.asked_for("ListedAnswers")) == 6 + 2
    no_flowers.forget()
    plain = assay(*words, "--judge", judge_file())
    assert "2 claims lost" in plain.out and "  s3  Send flowers." in plain.out
    assert no_flowers.requests == [], "the second time all is replayed"


def test_try_takes_several_wordings_and_decides(assay, set_file, judge_file, no_flowers, tmp_path):
    """`short` leaves flowers out, as the marked prompt says; `same` begins with another word and changes no claim."""
    short = edited(tmp_path / "short", "claims.en")
    same = tmp_path / "same.md"
    ours = resources.files("assay.prompts").joinpath("claims.en.md").read_text(encoding="utf-8")
    same.write_text(re.sub(r"\A(## \w+\n)", r"\1Please. ", ours), encoding="utf-8")
    edits = ["--edit", short, "--edit", same]
    words = ["judges", "prompts", "try", "claims.en", set_file(), *edits, "--judge", judge_file()]
    effect = assay(*words, "--json").json
    assert (effect["variant"], effect["lost"]) == (str(short), [["s0", "Send flowers."], ["s3", "Send flowers."]])
    (other,) = effect["further"]
    assert (other["variant"], other["lost"], other["flips"]) == (str(same), [], [])
    assert effect["prompts_before"] == other["prompts_before"] and effect["prompts_after"] != other["prompts_after"]
    assert len(no_flowers.asked_for("Claims")) == 3 * 6
    plain = assay(*words).out
    assert f"--- {short} instead of claims.en@" in plain and f"--- {same} instead of claims.en@" in plain
    assert "Wordings by faithfulness:claims=judge; the first is in use" in plain
    assert plain.splitlines()[-1].startswith("Not settled: ")


def test_a_wording_that_is_not_recorded_loses_no_claims(assay, set_file, judge_file, tmp_path):
    """In replay the new wording has no replies: six failures, which are no claims lost."""
    judge, path = judge_file(), set_file()
    assert assay("run", path, "--judge", judge, "--metrics", METRIC, "--cassette", "kept.jsonl").code == 0
    words = ["judges", "prompts", "try", "support.en", path, "--edit", edited(tmp_path / "own", "support.en")]
    done = assay(*words, "--judge", judge, "--cassette", "kept.jsonl", "--mode", "replay", code=4)
    assert "6 samples failed, and their claims are not compared; the first, s0: no recording in kept.jsonl" in done.out
    assert "0 claims lost" in done.out


def test_what_cannot_be_tried(assay, set_file, judge_file, tmp_path):
    ours = resources.files("assay.prompts").joinpath("claims.en.md").read_text(encoding="utf-8")
    same = tmp_path / "same.md"
    same.write_text(ours, encoding="utf-8")
    path, judge = set_file(), judge_file()
    for words, code, message in [
        (("claims.nl", path, "--edit", edited(tmp_path / "own", "claims.nl")), 2, "no sample of"),
        (("claims.fr", path, "--edit", same), 2, "claims exists in "),
        (("claim", path, "--edit", same), 2, "no prompt is called 'claim'"),
        (("claims", path, "--edit", tmp_path / "none.md"), 1, "the prompt cannot be read"),
    ]:
        done = assay("judges", "prompts", "try", *words, "--judge", judge)
        assert (done.code, message in done.err) == (code, True), done.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("$answer", "the answer", "leaves out $answer"),
        ("$answer", "$answer $rating", "$rating is an unknown field"),
        ("$answer", "$answer ${answer}", "${answer} would be sent unfilled"),
        ("$answer", "$answer {{question}}", "{{question}} would be sent unfilled"),
        ("## example user\n", "## example user\n$answer\n", "$answer would be sent unfilled"),
    ],
)
def test_a_run_names_what_is_wrong_in_a_prompt(assay, tmp_path, old, new, message):
    own = edited(tmp_path / "own", "claims.en", old, new).parent
    assert message in assay("run", "helpdesk_en", "--prompts", own, code=1).err


def test_a_file_whose_name_is_no_prompt_is_refused(assay, tmp_path):
    own = edited(tmp_path / "own", "claims.nl").parent
    (own / "clams.en.md").write_text("## user\nhello", encoding="utf-8")
    refused = assay("run", "helpdesk_en", "--prompts", own, code=1)
    assert "clams.en.md: this is not the name of a prompt; call the file NAME.LANGUAGE.md" in refused.err


def test_a_wording_that_changes_no_verdict_is_said_so_and_nothing_is_decided(assay, set_file, judge_file, tmp_path):
    """The judge replies to six samples as before: there is no difference of which a number could say more."""
    words = ["judges", "prompts", "try", "claims.en", set_file(), "--edit", edited(tmp_path / "own", "claims.en")]
    words += ["--judge", judge_file()]
    out = " ".join(assay(*words, code=0).out.split())
    assert out.endswith("claims.en.md: the same verdicts on all 6 answers."), out
    assert out.count("the same") == 2, out  # also in the table
    assert "more ratings" not in out and "+0.00" not in out
    assert assay(*words, "--json", code=0).json["decision"] is None


def test_a_prompt_for_typed_questions_is_shown_with_its_task(assay):
    shown = assay("judges", "prompts", "show", "context_precision.en").out
    assert "--- task\nYou check which passages of documentation helped to give an answer." in shown
    assert "--- user" not in shown
