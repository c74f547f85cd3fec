"""A judge at the local server, and what its replies look like on the wire."""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request

from assay.eval_sets import Sample
from assay.judges import JudgeSettings, LiteLLMJudge


@pytest.fixture
def judge(openai_server: OpenAIServer) -> Callable[..., LiteLLMJudge]:
    """Makes judges at the server; settings by keyword (`logprobs=True`)."""
    settings = JudgeSettings(model="openai/test", api_base=openai_server.api_base, structured="schema", wait=0)
    return lambda **changes: LiteLLMJudge(settings, **changes)


@pytest.fixture
def sample() -> Callable[..., Sample]:
    """Makes samples about bonuses; fields by keyword."""
    defaults = {
        "id": "s1",
        "user_input": "How do I add a bonus?",
        "response": "Go to Payroll > Payments. Click New. Bonuses are paid in May.",
        "retrieved_contexts": ("Go to Payroll > Payments and click New. A manager approves it.",),
        "language": "en",
    }
    return lambda **fields: Sample.model_validate(defaults | fields)


def scripted(**replies: Any) -> Any:
    """Answers by schema: a value is sent as JSON, a list of values in turn, a function is called with the request.

    `options` takes the alternatives to the one word, the said one first, by their probability.
    """
    turns = {schema: list(reply) for schema, reply in replies.items() if isinstance(reply, list)}

    def script(request: Request) -> Answer | None:
        if request.schema not in replies:
            return None
        reply = turns[request.schema].pop(0) if request.schema in turns else replies[request.schema]
        if callable(reply):
            reply = reply(request)
        return reply if isinstance(reply, Answer) else Answer(text=json.dumps(reply))

    return script


@pytest.fixture
def script(openai_server: OpenAIServer) -> Callable[..., None]:
    """Sets what the judge says, by schema: `script(Claims=[...], ListedAnswers={"1": "Yes"})`."""

    def set_script(**replies: Any) -> None:
        openai_server.script = scripted(**replies)

    return set_script


@pytest.fixture
def decide(openai_server: OpenAIServer) -> Callable[[Callable[[str], float]], None]:
    """Sets how probable the judge finds yes, by a question's own words: `decide(lambda statement: 0.9)`.

    For a question with options the function gives the probability of each of them.
    """

    def set_script(probability: Callable[[str], Any]) -> None:
        def script(request: Request) -> Answer | None:
            if request.schema != "options":
                return None
            asked = request.body["messages"][-1]["content"]
            statement = asked.partition("<statement>\n")[2].rpartition("\n</statement>")[0]
            shares = probability(statement or asked)
            if not isinstance(shares, dict):
                german, dutch = "Nein" in str(request.body), "Nee" in str(request.body)
                words = ("Ja", "Nein") if german else ("Ja", "Nee") if dutch else ("Yes", "No")
                shares = dict(zip(words, (shares, 1 - shares), strict=True))
            told = {word: math.log(share) for word, share in shares.items() if share > 0}
            said = max(told, key=lambda word: told[word])
            return Answer(text=said, logprobs=[{said: told.pop(said)} | told])

        openai_server.script = script

    return set_script
