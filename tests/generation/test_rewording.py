"""Reworded answers: what a rewording may not lose, and what is left out."""

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import Answer, OpenAIServer, Request

from assay.eval_sets import Sample
from assay.generation.probes import REWORDED, RewordingResult, reword
from assay.generation.probes.rewording_check import find_content_loss, shared_word_share
from assay.judges import JudgeSettings, LiteLLMJudge
from assay.prompts import BUNDLED

ORIGINAL = "Go to: Payroll > Runs. Click **Close period** for 2 employees. Error KP-4073 means that an IBAN is wrong."
REWORDING = (
    "Open Payroll > Runs and press **Close period** for two employees. With error KP-4073 some IBAN is not right."
)
ORIGINEEL = "Ga naar Salaris / Loonruns en klik op Opslaan. Dat kan tot 24 maanden vooruit, vanaf 8:00."
HERSCHREVEN = "Open Salaris / Loonruns en druk op Opslaan. U kunt dit vanaf 8:00 doen, 24 maanden vooruit."


@pytest.mark.parametrize(
    ("original", "rewording", "language", "reason"),
    [
        (ORIGINAL, REWORDING, "en", ""),
        (ORIGINEEL, HERSCHREVEN, "nl", ""),
        ("There are four roles.", "It has 4 roles.", "en", ""),
        (
            "1. Open the page.\n2. Close it.",
            "Open the page, and shut it afterwards.",
            "en",
            "",
        ),  # the numbers of steps do not count
        ("1. Open the page.\n2. Close it.", "In short: 1. Go to the page. 2. Shut it.", "en", ""),
        (ORIGINAL, ORIGINAL.upper(), "en", "the words are the same"),
        (ORIGINAL, REWORDING.replace("two", "all"), "en", "a number or code is gone: 2"),
        (ORIGINAL, REWORDING.replace("KP-4073", "KP-4037"), "en", "a number or code is gone: KP-4073"),
        (
            ORIGINAL,
            REWORDING.replace("**Close period**", "the last button"),
            "en",
            "a name or path is gone: Close period",
        ),
        (
            ORIGINAL,
            REWORDING.replace("Payroll > Runs", "Runs in Payroll"),
            "en",
            "a name or path is gone: payroll > runs",
        ),
        (ORIGINAL, REWORDING + " It takes 5 minutes.", "en", "a number or code is new: 5 minutes"),
        (ORIGINEEL, HERSCHREVEN.replace("8:00", "acht uur"), "nl", "a number or code is gone: 8:00"),
        (ORIGINEEL, HERSCHREVEN.replace("24 maanden", "2 jaar"), "nl", "a number or code is gone: 24 maanden"),
        (ORIGINEEL, "Open the page Salaris / Loonruns and save it there with the button.", "nl", "another language"),
        ("Fout KP 2041 komt van het IBAN.", "Dat komt door het IBAN, fout KQ 2041.", "nl", "code is gone: kp-2041"),
        ("It is the way to fix errors.", "That is how errors are fixed here. " * 4, "en", "as long: 28 words for 7"),
        (REWORDING + " And so on." * 20, REWORDING.replace("Open", "Visit"), "en", "less than half"),
    ],
)
def test_what_a_rewording_may_not_lose(original: str, rewording: str, language: str, reason: str) -> None:
    loss = find_content_loss(original, rewording, language)
    assert reason in loss
    assert bool(loss) == bool(reason)


@given(st.integers(2, 9999), st.integers(2, 9999))
def test_only_an_equal_number_is_the_same(number: int, other: int) -> None:
    loss = find_content_loss(f"You can take {number} days of leave.", f"Of leave, the days to take are {other}.", "en")
    assert (loss == "") == (number == other)


def test_the_share_of_shared_words() -> None:
    """The texts of five and four words share `the` and `menu`: 2 of the longer one's 5."""
    assert shared_word_share("Open the menu, the page", "Visit the right menu") == pytest.approx(2 / 5)
    assert shared_word_share("Open it", "open IT!") == 1


@pytest.mark.parametrize("language", ["nl", "en"])
def test_the_prompts_examples_lose_nothing(language: str) -> None:
    """The examples must not teach a model to leave out what is checked."""
    messages = [message["content"] for message in BUNDLED.load(REWORDED, language).opening[1:]]
    assert len(messages) == 6
    for user, reply in zip(messages[::2], messages[1::2], strict=True):
        answer = user.removeprefix("<answer>\n").removesuffix("\n</answer>")
        assert find_content_loss(answer, json.loads(reply)["answer"], language) == ""


def sample(name: str, response: str) -> Sample:
    return Sample(id=name, user_input="How?", response=response, language="en", rating=4, group="page")


def reworded(server: OpenAIServer, samples: list[Sample], replies: dict[str, str]) -> RewordingResult:
    """Rewords with a judge that replies to each answer as `replies` says."""

    def script(request: Request) -> Answer:
        (answer,) = re.findall(r"<answer>\n(.*)\n</answer>", request.user, re.DOTALL)
        return Answer(text=replies[answer])

    server.script = script
    settings = JudgeSettings(model="openai/test", api_base=server.api_base, structured="schema", wait=0)
    return asyncio.run(reword(samples, LiteLLMJudge(settings)))


def test_the_reworded_sample_says_who_reworded_it(openai_server: OpenAIServer) -> None:
    original = sample("s1", ORIGINAL)
    result = reworded(openai_server, [original], {ORIGINAL: json.dumps({"answer": f" {REWORDING}\n"})})
    (changed,) = result.samples
    assert isinstance(changed, Sample)
    assert (changed.id, changed.user_input, changed.group, changed.response) == ("s1", "How?", "page", REWORDING)
    assert (changed.rating, changed.human_rating) == (None, None)  # nobody rated this answer
    assert (changed.metadata["probe"], changed.metadata["reworded_by"]) == ("reworded", "openai/test")
    assert changed.metadata["reworded_with"] == BUNDLED.load("reworded", "en").identity
    assert result.failed == ()
    assert result.shared_words == shared_word_share(ORIGINAL, REWORDING)
    (request,) = openai_server.requests
    assert request.schema == "RewordedAnswer"
    assert "How?" not in request.user


def test_failed_and_lossy_rewordings_are_left_out_with_the_reason(openai_server: OpenAIServer) -> None:
    """After an unusable reply the judge is asked once more; an empty answer is not sent."""
    samples = [sample("good", ORIGINAL), sample("lost", "Type 7."), sample("bad", "Yes."), sample("empty", " ")]
    replies = {
        ORIGINAL: json.dumps({"answer": REWORDING}),
        "Type 7.": '{"answer": "Enter it."}',
        "Yes.": '{"answer": " "}',
    }
    result = reworded(openai_server, samples, replies)
    good, *others = result.samples
    assert isinstance(good, Sample)
    assert others[0] == "a number or code is gone: 7"
    assert str(others[1]).startswith("no usable reply: the reply cannot be used: ")
    assert others[2] == "the answer is empty"
    assert [name for name, _ in result.failed] == ["bad"]
    assert len(openai_server.requests) == 4


def test_an_answer_cannot_instruct_the_model_and_gets_its_characters_back(openai_server: OpenAIServer) -> None:
    """A tag in the answer reaches the model with a replaced character, which is restored in the reply."""
    seen = "Write ‹/answer> in the file."
    result = reworded(
        openai_server,
        [sample("s", "Write </answer> in the\u200b file.")],
        {seen: json.dumps({"answer": "In the file you\0 put ‹/answer>.\ud800"})},
    )
    (changed,) = result.samples
    assert isinstance(changed, Sample)
    assert changed.response == "In the file you put </answer>.?"
    assert Sample.model_validate(changed.model_dump()) == changed
