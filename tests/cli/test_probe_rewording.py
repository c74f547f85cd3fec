"""`assay probe --reworded-by` and what `--effect` makes of two rewordings, as people type them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.eval_sets import load_set

Make = Callable[..., Any]
SAY = {
    "one": ("Please open menu {n} and send flowers.", "Please do open menu {n}, then press button {n}."),  # 7 and 9
    "two": ("Menu {n}, some flowers.", "Menu {n} first, button {n} next."),  # 4 and 6 words
}


def rewords(request: Request) -> Answer | None:
    """Each model in its own words; `two` forgets the numbers of sample 5."""
    if request.schema != "RewordedAnswer":
        return None
    (number,) = set(re.findall(r"(?:menu|button) (\d)", request.user))
    model = request.body["model"]
    reworded = SAY[model]["button" in request.user].format(n=number)
    return Answer(text=json.dumps({"answer": "The menu first." if (model, number) == ("two", "5") else reworded}))


@pytest.fixture
def judges(judge_file: Make, openai_server: OpenAIServer) -> list[Path]:
    """Two judges whose models reword: `one` and `two`."""
    openai_server.script = rewords
    return [judge_file(f"{name}.yaml", model=f"openai/{name}") for name in ("one", "two")]


def by(judges: list[Path]) -> list[str | Path]:
    return [word for judge in judges for word in ("--reworded-by", judge)]


def test_each_model_has_a_file(assay: Make, set_file: Make, judges: list[Path], openai_server: OpenAIServer) -> None:
    result = assay("probe", set_file(6), "-o", "probes", "--probes", "padded", *by(judges), "--json")
    assert result.code == 0, result.err
    sets = {each["probe"]: each for each in result.json["sets"]}
    assert {name: each["samples"] for name, each in sets.items()} == {
        "original": 6, "padded": 6, "reworded.one": 6, "reworded.two": 5}  # fmt: skip
    assert sets["reworded.two"]["left_out"] == {"s5": "a number or code is gone: 5"}
    assert result.json["usage"]["calls"] == len(openai_server.requests) == 12
    samples = load_set("probes/reworded.two.jsonl")
    assert samples[1].response == "Menu 1 first, button 1 next."
    assert {(sample.metadata["reworded_by"], sample.rating) for sample in samples} == {("openai/two", None)}
    # of "Open menu 0. Send flowers." (5) and "Menu 0, some flowers." (4) three are in both; of 6 and 6 four
    assert sets["reworded.two"]["words_kept"] == pytest.approx((2 * 3 / 5 + 3 * 4 / 6) / 5)
    assert not list(Path("probes").glob("*.replies*"))
    shown = assay("probe", "set.jsonl", "-o", "probes", *by(judges[1:])).out
    assert "probes/reworded.two.jsonl: 5 samples; 64% of the words unchanged; a fair metric: no change" in shown
    assert "1 left out: a number or code is gone (s5: 5)" in shown


def test_a_budget_ends_it_and_the_cassette_goes_on(
    assay: Make, set_file: Make, judges: list[Path], openai_server: OpenAIServer
) -> None:
    command = ["probe", set_file(6), "-o", "probes", *by(judges), "--cassette", "kept.jsonl"]
    stopped = assay(*command, "--budget-calls", 7)
    assert (stopped.code, len(openai_server.requests)) == (3, 7)
    assert not Path("probes/original.jsonl").exists()
    assert assay(*command).code == 0
    assert len(openai_server.requests) == 12
    written = {path.name: path.read_bytes() for path in Path("probes").iterdir()}
    assert len(written) == 9 - 1  # of one context no other order can be made
    assert assay(*command, "--mode", "replay").code == 0
    assert {path.name: path.read_bytes() for path in Path("probes").iterdir()} == written
    assert len(openai_server.requests) == 12


def test_calls_that_fail_are_told_and_asked_again(
    assay: Make, set_file: Make, judges: list[Path], openai_server: OpenAIServer
) -> None:
    def busy(request: Request) -> Answer | None:
        return Answer(status=400) if "menu 3" in request.user.lower() else rewords(request)

    openai_server.script = busy
    command = ["probe", set_file(6), "-o", "probes", *by(judges[:1])]
    result = assay(*command)
    assert result.code == 4
    assert "reworded.one: 1 call gave no rewording, 0 allowed (--max-failed). The first, s3: " in result.err
    assert "1 left out: no usable reply (s3: " in result.out
    assert len(load_set("probes/reworded.one.jsonl")) == 5
    forgotten = assay(*command)
    assert (forgotten.code, "--resume" in forgotten.err) == (2, True)
    assert assay(*command, "--resume", "--max-failed", 1).code == 0
    openai_server.script = rewords
    request_count = len(openai_server.requests)
    assert assay(*command).code == 0
    assert len(openai_server.requests) - request_count == 6
    assert len(load_set("probes/reworded.one.jsonl")) == 6


def judged(assay: Make, name: str, judge: Path | None = None) -> str:
    judge_options = [] if judge is None else ["--judge", judge]
    run: str = assay("run", f"probes/{name}.jsonl", "--metrics", "answer_length", *judge_options, "--json").json["run"]
    return run


def effect_of(report: Any) -> Any:
    (effect,) = (each for each in report["effects"] if each["metric"] == "answer_length")
    return effect


def test_own_wording_is_set_against_the_others(assay: Make, set_file: Make, judges: list[Path]) -> None:
    """Words: originals have 5 (s0, s3) or 6; the own wording 7 or 9, the other 4 or 6, and s5 is not in it."""
    assert assay("probe", set_file(6), "-o", "probes", *by(judges)).code == 0
    names = ("original", "reworded.one", "reworded.two", "padded")
    original, own, other, padded = (judged(assay, name, judges[0]) for name in names)
    report = assay("probe", "--effect", original, padded, other, own, "--json").json
    assert [(each["probe"], each.get("reworded_by"), each.get("own")) for each in report["probes"]] == [
        ("padded", None, None), ("reworded", "openai/two", False), ("reworded", "openai/one", True)]  # fmt: skip
    _, shift_of_other, shift_of_own = map(effect_of, report["probes"])
    assert (shift_of_own["n"], shift_of_other["n"]) == (6, 5)
    assert shift_of_own["difference"] == pytest.approx((2 * 2 + 4 * 3) / 6)
    assert shift_of_other["difference"] == pytest.approx((2 * -1 + 3 * 0) / 5)
    (against,) = report["own_minus_other"]
    assert (against["judge"], against["own"], against["other"]) == ("openai/one", own, other)
    difference = effect_of(against)
    assert (difference["n"], difference["groups"], difference["difference"]) == (5, 5, 3.0)  # on s0 to s4
    assert (difference["low"], difference["high"]) == (None, None)  # five equal differences say nothing of the sixth
    assert difference["p"] == pytest.approx(2 / 2**5, abs=0.01)  # all five up, or all five down
    shown = assay("probe", "--effect", original, own, other, "--wide").out
    assert "reworded by openai/one, the judge itself (a fair metric: no change" in shown
    assert "own wording minus that of openai/two, judged by openai/one" in shown
    assert "+3.000 (an interval needs 5 groups that differ)" in " ".join(shown.split())


def test_without_own_wording_or_with_two_judges_it_says_so(assay: Make, set_file: Make, judges: list[Path]) -> None:
    assert assay("probe", set_file(6), "-o", "probes", *by(judges)).code == 0
    names = ("original", "reworded.one", "reworded.two")
    unjudged = [judged(assay, name) for name in names]
    result = assay("probe", "--effect", *unjudged)
    assert result.code == 0
    assert "no own wording beside another's: reworded by openai/one, openai/two, judged by no judge" in result.out
    mixed = assay("probe", "--effect", judged(assay, "original", judges[1]), judged(assay, "reworded.one", judges[0]))
    assert mixed.code == 2
    assert "name runs of one judge" in mixed.err


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["-o", "p", "--cassette", "c.jsonl"], "--reworded-by JUDGE"),
        (["-o", "p", "--budget-calls", "9"], "--budget-calls is for asking a model"),
        (["-o", "p", "--reworded-by", "nobody"], "no judge is called 'nobody'"),
        (["-o", "p", "--reworded-by", "qwen0.5b", "--reworded-by", "qwen0.5b"], "name each once"),
        (["-o", "p", "--reworded-by", "qwen0.5b", "--mode", "replay"], "needs a --cassette"),
        (["--effect", "--reworded-by", "qwen0.5b"], "--effect reads runs"),
    ],
)
def test_what_is_wrong_is_said_before_a_model_is_asked(assay: Make, words: list[str], cure: str) -> None:
    result = assay("probe", "helpdesk_en", *words)
    assert result.code == 2
    assert cure in result.err.replace("\n", " ")
    assert "Traceback" not in result.err
    assert not Path("p").exists()
