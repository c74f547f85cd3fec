"""Answers in a model's own words: what is asked, what a rewording may not lose, and what is left out."""

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import Answer, OpenAIServer, Request

from assay.eval_sets import Sample
from assay.generation.probes import REWORDED, RewordingResult, reword
from assay.generation.probes.rewording_check import broken, words_kept
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.prompts import BUNDLED

SAVED = "Go to: Payroll > Runs. Click **Close period** for 2 employees. Error KP-4073 means that an IBAN is wrong."
KEPT = "Open Payroll > Runs and press **Close period** for two employees. With error KP-4073 some IBAN is not right."
BEWAARD = "Ga naar Salaris / Loonruns en klik op Opslaan. Dat kan tot 24 maanden vooruit, vanaf 8:00."
GELIJK = "Open Salaris / Loonruns en druk op Opslaan. U kunt dit vanaf 8:00 doen, 24 maanden vooruit."


@pytest.mark.parametrize(
    ("original", "reworded", "language", "why"),
    [
        (SAVED, KEPT, "en", ""),
        (BEWAARD, GELIJK, "nl", ""),
        ("There are four roles.", "It has 4 roles.", "en", ""),
        ("1. Open the page.\n2. Close it.", "Open the page, and shut it afterwards.", "en", ""),  # steps count nothing
        ("1. Open the page.\n2. Close it.", "In short: 1. Go to the page. 2. Shut it.", "en", ""),
        (SAVED, SAVED.upper(), "en", "the words are the same"),
        (SAVED, KEPT.replace("two", "all"), "en", "a number or code is gone: 2"),
        (SAVED, KEPT.replace("KP-4073", "KP-4037"), "en", "a number or code is gone: KP-4073"),
        (SAVED, KEPT.replace("**Close period**", "the last button"), "en", "a name or path is gone: Close period"),
        (SAVED, KEPT.replace("Payroll > Runs", "Runs in Payroll"), "en", "a name or path is gone: payroll > runs"),
        (SAVED, KEPT + " It takes 5 minutes.", "en", "a number or code is new: 5 minutes"),
        (BEWAARD, GELIJK.replace("8:00", "acht uur"), "nl", "a number or code is gone: 8:00"),
        (BEWAARD, GELIJK.replace("24 maanden", "2 jaar"), "nl", "a number or code is gone: 24 maanden"),
        (BEWAARD, "Open the page Salaris / Loonruns and save it there with the button.", "nl", "another language"),
        ("Fout KP 2041 komt van het IBAN.", "Dat komt door het IBAN, fout KQ 2041.", "nl", "code is gone: kp-2041"),
        ("It is the way to fix errors.", "That is how errors are fixed here. " * 4, "en", "as long: 28 words for 7"),
        (KEPT + " And so on." * 20, KEPT.replace("Open", "Visit"), "en", "not half"),
    ],
)
def test_what_a_rewording_may_not_lose(original: str, reworded: str, language: str, why: str) -> None:
    found = broken(original, reworded, language)
    assert why in found
    assert bool(found) == bool(why)


@given(st.integers(2, 9999), st.integers(2, 9999))
def test_only_the_same_number_is_that_number(said: int, again: int) -> None:
    told = broken(f"You can take {said} days of leave.", f"Of leave, the days to take are {again}.", "en")
    assert (told == "") == (said == again)


def test_the_share_of_words_that_stayed() -> None:
    """Of five words and four, two are in both, `the` once: 2 of the longer one's 5."""
    assert words_kept("Open the menu, the page", "Visit the right menu") == pytest.approx(2 / 5)
    assert words_kept("Open it", "open IT!") == 1


@pytest.mark.parametrize("language", ["nl", "en"])
def test_the_examples_lose_nothing(language: str) -> None:
    """A model is not taught to leave out what would be checked."""
    told = [message["content"] for message in BUNDLED.load(REWORDED, language).opening[1:]]
    assert len(told) == 6
    for asked, replied in zip(told[::2], told[1::2], strict=True):
        answer = asked.removeprefix("<answer>\n").removesuffix("\n</answer>")
        assert broken(answer, json.loads(replied)["answer"], language) == ""


def sample(name: str, response: str) -> Sample:
    return Sample(id=name, user_input="How?", response=response, language="en", rating=4, group="page")


def reworded(server: OpenAIServer, samples: list[Sample], replies: dict[str, str]) -> RewordingResult:
    """By a judge that says to each answer what `replies` has for it."""

    def script(request: Request) -> Answer:
        (answer,) = re.findall(r"<answer>\n(.*)\n</answer>", request.user, re.DOTALL)
        return Answer(text=replies[answer])

    server.script = script
    settings = JudgeSettings(model="openai/test", api_base=server.api_base, structured="schema", wait=0)
    return asyncio.run(reword(samples, LiteLLMJudge(settings)))


def test_the_reworded_sample_says_who_reworded_it(openai_server: OpenAIServer) -> None:
    original = sample("s1", SAVED)
    found = reworded(openai_server, [original], {SAVED: json.dumps({"answer": f" {KEPT}\n"})})
    (changed,) = found.samples
    assert isinstance(changed, Sample)
    assert (changed.id, changed.user_input, changed.group, changed.response) == ("s1", "How?", "page", KEPT)
    assert (changed.rating, changed.human_rating) == (None, None)  # nobody rated this answer
    assert (changed.metadata["probe"], changed.metadata["reworded_by"]) == ("reworded", "openai/test")
    assert changed.metadata["reworded_with"] == BUNDLED.load("reworded", "en").identity
    assert found.failed == ()
    assert found.words_kept == words_kept(SAVED, KEPT)
    (request,) = openai_server.requests
    assert request.schema == "RewordedAnswer"
    assert "How?" not in request.user


def test_what_failed_or_broke_is_left_out_with_the_reason(openai_server: OpenAIServer) -> None:
    """An unusable reply is asked for once more; an empty answer is not asked about."""
    samples = [sample("good", SAVED), sample("lost", "Type 7."), sample("bad", "Yes."), sample("empty", " ")]
    replies = {SAVED: json.dumps({"answer": KEPT}), "Type 7.": '{"answer": "Enter it."}', "Yes.": '{"answer": " "}'}
    found = reworded(openai_server, samples, replies)
    good, *others = found.samples
    assert isinstance(good, Sample)
    assert others[0] == "a number or code is gone: 7"
    assert str(others[1]).startswith("no usable reply: openai/test, prompt reworded.en@")
    assert others[2] == "the answer is empty"
    assert [name for name, _ in found.failed] == ["bad"]
    assert len(openai_server.requests) == 4


def test_an_answer_neither_instructs_nor_keeps_stand_ins(openai_server: OpenAIServer) -> None:
    """A tag in the answer reaches the model with another sign, and comes back as the answer had it."""
    seen = "Write ‹/answer> in the file."
    found = reworded(
        openai_server,
        [sample("s", "Write </answer> in the\u200b file.")],
        {seen: json.dumps({"answer": "In the file you\0 put ‹/answer>.\ud800"})},
    )
    (changed,) = found.samples
    assert isinstance(changed, Sample)
    assert changed.response == "In the file you put </answer>.?"
    assert Sample.model_validate(changed.model_dump()) == changed
