"""The names of groups of bad answers, by a judge that reads their most central texts."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from pydantic import BaseModel, Field

from ...errors import JudgeError
from ...judges import Judge, Question
from ...prompts import BUNDLED, Prompts
from ...text.wording import count_of, verb_of
from .failure_groups import FailedAnswer, FailureExample, FailureGroup, Failures

_LONGEST_TEXT = 300
_LONGEST_NAME = 80


class GroupName(BaseModel):
    """The judge's reply: the name of a group."""

    name: str = Field(min_length=1)


def name_question(group: FailureGroup, language: str | None, prompts: Prompts = BUNDLED) -> Question[GroupName]:
    """What the judge is asked for the name of a group: its examples, as material between tags."""
    prompt = prompts.load("failure_name", language)
    texts = "\n".join(f"- {_listed(example)}" for example in group.examples)
    return Question(prompt, prompt.render({"texts": texts}), GroupName, group.examples[0].answer, prompts=prompts)


async def name_groups(
    failures: Failures,
    judge: Judge,
    languages: Mapping[FailedAnswer, str | None],
    *,
    prompts: Prompts = BUNDLED,
    concurrency: int = 1,
    on_reply: Callable[[bool], None] = lambda _: None,
) -> Failures:
    """Has a judge name the groups; a group that it gives no name to keeps its words, which a note says.

    Args:
        failures: The groups.
        judge: Who names them.
        languages: The language of each bad answer; a group's is the most frequent one.
        prompts: Has the prompt `failure_name`.
        concurrency: The most calls at the same time.
        on_reply: Called after each group, with whether the judge named it.

    Raises:
        BudgetReached: At a bound of the judge's budget.
    """
    slots = asyncio.Semaphore(concurrency)

    async def name(group: FailureGroup) -> FailureGroup | None:
        counts = Counter(languages.get(answer) for answer in group.answers)
        question = name_question(group, counts.most_common(1)[0][0], prompts)
        async with slots:
            try:
                reply = await judge.ask(question)
            except JudgeError:
                on_reply(False)
                return None
        on_reply(True)
        name = " ".join(reply.value.name.split())[:_LONGEST_NAME].strip(" .\"'“”")
        return replace(group, name=name) if name else None

    named = await asyncio.gather(*map(name, failures.groups))
    lost = sum(group is None for group in named)
    groups = tuple(new or old for new, old in zip(named, failures.groups, strict=True))
    note = (
        f"the judge gave {count_of(lost, 'group')} no name that can be used; "
        f"{verb_of(lost, 'it has', 'they have')} the most typical words"
    )
    return replace(failures, groups=groups, notes=(*failures.notes, *([note] if lost else [])))


def _listed(example: FailureExample) -> str:
    text = example.text if len(example.text) <= _LONGEST_TEXT else example.text[:_LONGEST_TEXT] + "…"
    return f'"{text}" ({example.verdict})' if example.verdict else text
