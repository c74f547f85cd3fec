"""Prompts: strict templates, identities over all that is sent; your own are a value that each run was given."""

import asyncio
import re

import pytest
from openai_server import Answer
from pydantic import BaseModel

from assay import aevaluate
from assay.errors import InputError, UsageError
from assay.eval_sets import Sample
from assay.judges import LiteLLMJudge
from assay.metrics import Claims, Requests, ReverseQuestions, Topics, load_metric
from assay.prompts import BUNDLED, Prompt, Prompts, bundled_prompts, parse_prompt

TEXT = "## system\nBe strict.\n\n## example user\nQ\n\n## example assistant\nA\n\n## user\n<a>\n$answer\n</a>\n$count\n"
EVERY = [(prompt.name, prompt.language) for prompt in bundled_prompts()]
SCHEMAS: dict[str, type[BaseModel]] = {
    "topics": Topics,
    "requests": Requests,
    "claims": Claims,
    "questions": ReverseQuestions,
}


def parsed(text=TEXT):
    return parse_prompt(text, "p", "en", origin="prompts/p.en.md")


def test_parts_become_messages():
    prompt = parsed()
    assert prompt.messages("hello") == [
        {"role": "system", "content": "Be strict."},
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": "hello"},
    ]
    assert prompt.fields == {"answer", "count"}
    assert parsed().render({"answer": "$count ${count} \\1 {0}", "count": "$answer"}) == (
        "<a>\n$count ${count} \\1 {0}\n</a>\n$answer"
    )


@pytest.mark.parametrize("fields", [{}, {"answer": "x"}, {"answer": "x", "count": "1", "more": "y"}])
def test_fields_are_given_exactly(fields):
    with pytest.raises(UsageError, match=r"takes the fields \['answer', 'count'\]"):
        parsed().render(fields)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Be strict.",
        "note\n" + TEXT,
        TEXT.replace("## user", "## usr"),
        TEXT + "## user\nonce more",
        "## user\nhi\n" + TEXT,
    ],
)
def test_a_malformed_prompt_is_told_with_its_file(text):
    with pytest.raises(InputError, match=r"prompts/p\.en\.md: the parts are"):
        parsed(text)


def test_the_identity_covers_all_that_is_sent():
    texts = [TEXT, TEXT.replace("strict", "kind"), TEXT.replace("\nQ\n", "\nR\n"), TEXT.replace("$count", "$number")]
    texts.append(TEXT.replace("## system\nBe strict.\n\n", ""))
    assert len({parsed(text).identity for text in texts}) == len(texts)
    assert re.fullmatch(r"p\.en@[0-9a-f]{12}", parsed().identity)
    assert parsed(TEXT + "\n\n").identity == parsed().identity


def test_a_language_without_prompts_is_asked_in_english():
    assert BUNDLED.load("claims", "tlh").language == "en"
    assert BUNDLED.load("claims", None).language == "en"
    with pytest.raises(UsageError, match=r"the prompts are .*claims"):
        BUNDLED.load("claim", "en")


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_languages_ask_the_same(name, language):
    prompt, english = BUNDLED.load(name, language), BUNDLED.load(name, "en")
    assert prompt.fields == english.fields
    assert [message["role"] for message in prompt.opening] == [message["role"] for message in english.opening]
    tags = re.compile(r"</?\w+>")
    assert tags.findall(prompt.template) == tags.findall(english.template)


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_what_differs_by_sample_comes_last(name, language):
    """What is the same for every sample is a prefix that a judge can keep."""
    prompt = BUNDLED.load(name, language)
    assert not any("$" in message["content"] for message in prompt.opening)


@pytest.mark.parametrize(("name", "language"), [each for each in EVERY if each[0] in SCHEMAS])
def test_examples_keep_to_their_schema(name, language):
    opening = BUNDLED.load(name, language).opening
    replies = [message["content"] for message in opening if message["role"] == "assistant"]
    assert replies
    for reply in replies:
        SCHEMAS[name].model_validate_json(reply, strict=True)
    system = opening[0]["content"]
    assert set(SCHEMAS[name].model_json_schema()["properties"]) <= set(re.findall(r'"(\w+)":', system))


SAMPLE = Sample(
    id="s", language="en", user_input="How do I save?", response="Press Save.", retrieved_contexts=("Press Save.",)
)


@pytest.fixture
def make_judge(openai_server):
    """Makes judges at the server."""
    return lambda: LiteLLMJudge("openai/test", api_base=openai_server.api_base, structured="schema", wait=0)


def marked(name, mark):
    """The bundled English prompt with another beginning."""
    bundled = BUNDLED.load(name, "en")
    if bundled.task and not bundled.template:
        return Prompt(name, "en", (), "", task=f"{mark} {bundled.task}")
    if not bundled.opening:
        return Prompt(name, "en", (), f"{mark} {bundled.template}")
    first = {**bundled.opening[0], "content": f"{mark} {bundled.opening[0]['content']}"}
    return Prompt(name, "en", (first, *bundled.opening[1:]), bundled.template)


def test_a_prompt_replaces_only_the_one_of_its_name_and_language(tmp_path):
    own = BUNDLED.replacing(marked("claims", "Short."))
    assert own.load("claims", "en").opening[0]["content"].startswith("Short.")
    assert own.load("claims", None) == own.load("claims", "en")
    assert own.load("claims", "nl") == BUNDLED.load("claims", "nl")
    assert own.load("support", "en") == BUNDLED.load("support", "en")
    assert not BUNDLED.own
    with pytest.raises(InputError, match="this folder has no prompt"):
        Prompts.from_folder(tmp_path)
    (tmp_path / "fix.en.md").write_text("## user\nWrong: $error Again.\n", encoding="utf-8")
    assert Prompts.from_folder(tmp_path).load("fix", "en").template == "Wrong: $error Again."


def test_runs_at_once_ask_with_their_own_prompts(openai_server, make_judge):
    """Three runs share a judge; no run sees another's wording."""

    async def run_all():
        async with make_judge() as judge:
            await asyncio.gather(
                *(
                    aevaluate([SAMPLE], ["judge_truthfulness"], judge=judge, prompts=prompts)
                    for prompts in (BUNDLED, *(BUNDLED.replacing(marked("rating", mark)) for mark in ("One.", "Two.")))
                )
            )

    asyncio.run(run_all())
    beginnings = sorted(request.body["messages"][0]["content"][:4] for request in openai_server.requests)
    assert beginnings == sorted(["One.", "Two.", BUNDLED.load("rating", "en").task[:4]])


def test_a_second_asking_uses_your_own_words(openai_server, make_judge):
    def last(request):
        return str(request.body["messages"][-1]["content"])

    def script(request):
        return None if last(request).startswith("Mine.") else Answer(text="no JSON")

    openai_server.script = script
    prompts = BUNDLED.replacing(marked("fix", "Mine."))

    async def run():
        async with make_judge() as judge:
            metric = load_metric("judge_truthfulness", judge, prompts=prompts)
            assert (await metric.assess(SAMPLE)).status == "scored"

    asyncio.run(run())
    assert [last(request).startswith("Mine.") for request in openai_server.requests] == [False, True]


def test_evidence_names_your_own_frame_of_questions():
    """A run's scores say with which wording of yours questions of all kinds were put; the bundled one is not named."""
    frame = Prompt("single", "en", (), "$question", task="Be strict.")
    asked = Prompts().replacing(frame).evidence(["support"], "en")["prompts"]
    assert asked == [BUNDLED.load("support", "en").identity, frame.identity]
    assert BUNDLED.evidence(["support"], "en")["prompts"] == asked[:1]
