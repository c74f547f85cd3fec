"""Prompts: strict templates, identities over all that is sent, and examples that keep to their own schema."""

import re
from typing import Any

import pytest
from pydantic import BaseModel

from assay.errors import InputError, UsageError
from assay.generation.probes.rewording import RewordedAnswer
from assay.metrics.answer_relevance import ReverseQuestions
from assay.metrics.claim_extraction import Claims
from assay.metrics.resolved import Requests
from assay.metrics.topic_adherence import Topics
from assay.prompts import BUNDLED, bundled_prompts, prompt_names
from assay.prompts.prompt import parse_prompt

TEXT = "## system\nBe strict.\n\n## example user\nQ\n\n## example assistant\nA\n\n## user\n<a>\n$answer\n</a>\n$count\n"
EVERY = [(prompt.name, prompt.language) for prompt in bundled_prompts()]
SCHEMAS: dict[str, type[BaseModel]] = {
    "topics": Topics,
    "requests": Requests,
    "claims": Claims,
    "questions": ReverseQuestions,
    "reworded": RewordedAnswer,
}


def parsed(text: str = TEXT) -> Any:
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


@pytest.mark.parametrize("name", prompt_names())
def test_english_and_dutch_have_every_prompt(name):
    assert {"en", "nl"} <= set(prompt_names()[name])


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
