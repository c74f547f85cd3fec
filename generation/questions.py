"""Questions and answers from sections (Twente paper, 4.5, 4.6 and Appendix B): long-form by role, factoid by fact."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from ..errors import JudgeError
from ..judges import Judge, Question
from ..languages import language_or_fallback
from ..prompts import BUNDLED, Prompts
from ..text.entities import find_entities
from ..text.text_matching import tokens
from .judge_calls import ask_all
from .pair import Fact, Pair, PairKind
from .section import Fold, Section

FEWEST_WORDS = 20
"""A section with fewer words has nothing that needs explaining: no long-form question is made from it."""

SECTIONS_PER_PAIR = 2
"""The number of sections to ask about for each pair wanted: filters reject about half."""


# The docstrings of these two are part of the schema that the judge is sent, and so of recorded replies' keys.
class GeneratedPair(BaseModel):
    """The judge's reply to the factoid prompt, and one pair of the long-form one's."""

    question: str
    answer: str


class GeneratedPairs(BaseModel):
    """The judge's reply to the long-form prompt."""

    pairs: list[GeneratedPair]


@cache
def long_form_schema(count: int) -> type[GeneratedPairs]:
    """Returns the schema of a long-form reply of at most `count` pairs; without a bound small judges do not stop.

    The bound is in the schema only: a reply with more pairs is valid.
    """
    pairs = Field(json_schema_extra={"maxItems": count})
    return create_model(GeneratedPairs.__name__, __base__=GeneratedPairs, pairs=(list[GeneratedPair], pairs))


@dataclass(frozen=True)
class PlannedQuestion:
    """One call of the judge.

    Attributes:
        kind: What to ask for.
        role: Who asks, for long-form questions.
        fact: The fact to ask for, for factoid questions.
        fold: The section's fold, where there are folds.
    """

    section: Section
    kind: PairKind
    role: str = ""
    fact: Fact | None = None
    fold: Fold | None = None


@dataclass(frozen=True)
class GeneratedQuestions:
    """The outcome of all calls.

    Attributes:
        pairs: The pairs, in the order of the plan.
        failed: The calls without a usable reply, each with the reason.
    """

    pairs: list[Pair]
    failed: list[tuple[PlannedQuestion, str]] = field(default_factory=list)


def plan_questions(
    sections: Sequence[Section],
    folds: Sequence[Fold],
    *,
    n: int,
    factoid_share: float = 0.2,
    roles: Sequence[str] = (),
    seed: int = 0,
) -> list[PlannedQuestion]:
    """Plans the calls of the judge so that about `n` pairs pass the filters.

    Long-form questions are made from the sections that the folds sampled; without sampled folds, from sections drawn
    at random. Factoid questions are made from the facts in the sections: one fact of each section first, then a second
    one of each, until there are enough.
    """
    draw = random.Random(seed)
    fold_of = {fold.section: fold for fold in folds}
    usable = [section for section in sections if not folds or section.id in fold_of]
    sampled = [section for section in usable if section.id in fold_of and fold_of[section.id].sampled]
    long_form_count = count_sections_needed(n, factoid_share)
    factoid_count = math.ceil(round(n * factoid_share) * SECTIONS_PER_PAIR)
    long_enough = [section for section in sampled or usable if len(tokens(section.text)) >= FEWEST_WORDS]
    chosen = long_enough if sampled else draw.sample(long_enough, min(long_form_count, len(long_enough)))
    planned = [
        PlannedQuestion(
            section,
            "long-form",
            role=draw.choice(list(roles) or language_or_fallback(section.language, "questions").questions.roles),
            fold=fold_of.get(section.id),
        )
        for section in chosen[:long_form_count]
    ]
    sampled_ids = {section.id for section in sampled}
    sampled_first = sorted(usable, key=lambda section: section.id not in sampled_ids)
    for section, fact in _facts_in_turns(sampled_first, draw)[:factoid_count]:
        planned.append(PlannedQuestion(section, "factoid", fact=fact, fold=fold_of.get(section.id)))
    return planned


def count_sections_needed(n: int, factoid_share: float) -> int:
    """Computes the number of sections to ask long-form questions about.

    Example:
        >>> count_sections_needed(100, 0.2)
        160
    """
    return math.ceil((n - round(n * factoid_share)) * SECTIONS_PER_PAIR)


def _facts_in_turns(sections: Sequence[Section], draw: random.Random) -> list[tuple[Section, Fact]]:
    """Returns one fact of each section, then a second one of each, and so on; which comes first is drawn at random."""
    ranked = []
    for place, section in enumerate(sections):
        distinct = {
            (entity.kind, *sorted(entity.parts.items())): Fact(kind=entity.kind, text=entity.text)
            for entity in find_entities(section.text, language_or_fallback(section.language, "entities"))
        }
        facts = list(distinct.values())
        draw.shuffle(facts)
        ranked += [(turn, place, section, fact) for turn, fact in enumerate(facts)]
    return [(section, fact) for _, _, section, fact in sorted(ranked, key=lambda row: row[:2])]


def build_question(planned: PlannedQuestion, prompts: Prompts, *, domain: str = "", count: int = 3) -> Question[Any]:
    """Builds what the judge is asked for one planned question.

    Returns:
        A question whose reply is a `GeneratedPair` for a fact, else `GeneratedPairs`.
    """
    section = planned.section
    words = language_or_fallback(section.language, "questions").questions
    fields = {"section": section.full_text, "domain": domain or words.domain}
    if planned.fact is None:
        prompt = prompts.load("longform", section.language)
        user = prompt.render(fields | {"role": planned.role, "count": str(count)})
        return Question(prompt, user, long_form_schema(count), section.id, prompts=prompts)
    prompt = prompts.load("factquestion", section.language)
    user = prompt.render(fields | {"fact": planned.fact.text, "kind": words.fact_kinds[planned.fact.kind]})
    return Question(prompt, user, GeneratedPair, section.id, prompts=prompts)


async def generate_pairs(
    plan: Sequence[PlannedQuestion],
    judge: Judge,
    *,
    domain: str = "",
    count: int = 3,
    prompts: Prompts = BUNDLED,
    concurrency: int = 4,
    on_reply: Callable[[bool], None] = lambda _: None,
) -> GeneratedQuestions:
    """Asks the judge for every planned question (Twente paper, B.1 and B.2)."""

    async def ask(planned: PlannedQuestion) -> tuple[list[GeneratedPair], str]:
        question = build_question(planned, prompts, domain=domain, count=count)
        reply = (await judge.ask(question)).value
        return (reply.pairs[:count] if isinstance(reply, GeneratedPairs) else [reply]), question.prompt.identity

    replies = await ask_all(plan, ask, concurrency=concurrency, on_reply=on_reply)
    pairs, failed, numbers = list[Pair](), list[tuple[PlannedQuestion, str]](), dict[str, int]()
    for planned, reply in zip(plan, replies, strict=True):
        if isinstance(reply, JudgeError):
            failed.append((planned, str(reply)))
            continue
        generated_pairs, prompt = reply
        for generated in generated_pairs:
            stem = f"{planned.section.id}:{'F' if planned.fact else 'L'}"
            numbers[stem] = numbers.get(stem, 0) + 1
            pairs.append(_pair(planned, generated, f"{stem}{numbers[stem]}", judge.name, prompt))
    return GeneratedQuestions(pairs, failed)


def _pair(planned: PlannedQuestion, generated: GeneratedPair, name: str, generator: str, prompt: str) -> Pair:
    return Pair(
        id=name,
        section=planned.section.id,
        document=planned.section.document,
        language=planned.section.language,
        kind=planned.kind,
        question=" ".join(generated.question.split()),
        answer=generated.answer.strip(),
        fact=planned.fact,
        role=planned.role,
        fold=planned.fold.fold if planned.fold else None,
        split=planned.fold.split if planned.fold else None,
        topic=planned.fold.topic if planned.fold else None,
        generator=generator,
        prompt=prompt,
    )
