"""Questions and answers from sections (003, 4.5, 4.6 and Appendix B): long-form by role, factoid by entity."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import yaml
from pydantic import BaseModel, Field, create_model

from ..errors import JudgeError
from ..judges import Judge, Question
from ..metrics.entities import entities
from ..metrics.tokens import tokens
from ..prompts import BUNDLED, Prompts
from .judge_calls import ask_all
from .pair import Fact, Pair, PairKind
from .section import Fold, Section

FEWEST_WORDS = 20  # of a section that a question which needs explaining can be made from
SECTIONS_A_PAIR = 2  # sections are asked about for each pair that is wanted: filters reject about half


class GeneratedPair(BaseModel):
    """The judge's reply to the factoid prompt, and one pair of the long-form one's."""

    question: str
    answer: str


class GeneratedPairs(BaseModel):
    """The judge's reply to the long-form prompt."""

    pairs: list[GeneratedPair]


@cache
def reply_schema(count: int) -> type[GeneratedPairs]:
    """The long-form reply whose schema stops after `count` pairs: small judges else go on. More is no error."""
    pairs = Field(json_schema_extra={"maxItems": count})
    return create_model(GeneratedPairs.__name__, __base__=GeneratedPairs, pairs=(list[GeneratedPair], pairs))


@dataclass(frozen=True)
class PlannedQuestion:
    """One call to be made: a section, and the role that asks or the fact that is asked for."""

    section: Section
    kind: PairKind
    role: str = ""
    fact: Fact | None = None
    fold: Fold | None = None


@dataclass(frozen=True)
class GeneratedQuestions:
    """The pairs, in the orders' order, and the orders that got no usable reply, with the reason."""

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
    """What to ask for, so that about `n` pairs stay after the filters, `factoid_share` of them factoid.

    Long-form: the sections that were sampled for it (of all folds, or of all sections where there are no folds, a
    seeded choice), each with a role drawn from `roles` or the language's own. Factoid: a fact of each section that has
    one, then the second of each, until there are enough.
    """
    draw = random.Random(seed)
    placed = {fold.section: fold for fold in folds}
    usable = [section for section in sections if not folds or section.id in placed]
    sampled = [section for section in usable if section.id in placed and placed[section.id].sampled]
    long_form, factoid = count_sections_needed(n, factoid_share), math.ceil(round(n * factoid_share) * SECTIONS_A_PAIR)
    talkative = [section for section in sampled or usable if len(tokens(section.text)) >= FEWEST_WORDS]
    chosen = talkative if sampled else draw.sample(talkative, min(long_form, len(talkative)))
    orders = [
        PlannedQuestion(
            section,
            "long-form",
            role=draw.choice(list(roles) or wording(section.language)["roles"]),
            fold=placed.get(section.id),
        )
        for section in chosen[:long_form]
    ]
    first = {section.id for section in sampled}
    for section, fact in _facts(sorted(usable, key=lambda section: section.id not in first), draw)[:factoid]:
        orders.append(PlannedQuestion(section, "factoid", fact=fact, fold=placed.get(section.id)))
    return orders


def count_sections_needed(n: int, factoid_share: float) -> int:
    """How many sections to ask for long-form pairs, so that their share of `n` pairs is left."""
    return math.ceil((n - round(n * factoid_share)) * SECTIONS_A_PAIR)


def _facts(sections: Sequence[Section], draw: random.Random) -> list[tuple[Section, Fact]]:
    """The sections' facts: one of each section first, in a seeded order within it, then the second of each, ..."""
    ranked = []
    for place, section in enumerate(sections):
        different = {
            (entity.kind, *sorted(entity.parts.items())): Fact(kind=entity.kind, text=entity.text)
            for entity in entities(section.text, section.language)
        }
        facts = list(different.values())
        draw.shuffle(facts)
        ranked += [(turn, place, section, fact) for turn, fact in enumerate(facts)]
    return [(section, fact) for _, _, section, fact in sorted(ranked, key=lambda each: each[:2])]


def build_question(order: PlannedQuestion, prompts: Prompts, *, domain: str = "", count: int = 3) -> Question[Any]:
    """What the judge is asked for an order. `domain` says what the documents are about, `count` how many pairs."""
    words = wording(order.section.language)
    shown = {"section": order.section.full_text, "domain": domain or words["domain"]}
    if order.fact is None:
        prompt = prompts.load("longform", order.section.language)
        user = prompt.render(shown | {"role": order.role, "count": str(count)})
        return Question(prompt, user, reply_schema(count), order.section.id, prompts=prompts)
    prompt = prompts.load("factquestion", order.section.language)
    user = prompt.render(shown | {"fact": order.fact.text, "kind": words["fact_kinds"][order.fact.kind]})
    return Question(prompt, user, GeneratedPair, order.section.id, prompts=prompts)


async def generate_pairs(
    orders: Sequence[PlannedQuestion],
    judge: Judge,
    *,
    domain: str = "",
    count: int = 3,
    prompts: Prompts = BUNDLED,
    concurrency: int = 4,
    asked: Callable[[bool], None] = lambda _: None,
) -> GeneratedQuestions:
    """Asks the judge for every order (003, B.1 and B.2). Raises `BudgetReached` at a bound; the replies are kept."""

    async def ask(order: PlannedQuestion) -> tuple[list[GeneratedPair], str]:
        question = build_question(order, prompts, domain=domain, count=count)
        reply = (await judge.ask(question)).value
        return (reply.pairs[:count] if isinstance(reply, GeneratedPairs) else [reply]), question.prompt.identity

    replies = await ask_all(orders, ask, concurrency=concurrency, asked=asked)
    made, failed, numbers = list[Pair](), list[tuple[PlannedQuestion, str]](), dict[str, int]()
    for order, reply in zip(orders, replies, strict=True):
        if isinstance(reply, JudgeError):
            failed.append((order, str(reply)))
            continue
        pairs, prompt = reply
        for pair in pairs:
            stem = f"{order.section.id}:{'F' if order.fact else 'L'}"
            numbers[stem] = numbers.get(stem, 0) + 1
            made.append(_pair(order, pair, f"{stem}{numbers[stem]}", judge.name, prompt))
    return GeneratedQuestions(made, failed)


def _pair(order: PlannedQuestion, said: GeneratedPair, name: str, generator: str, prompt: str) -> Pair:
    return Pair(
        id=name,
        section=order.section.id,
        document=order.section.document,
        language=order.section.language,
        kind=order.kind,
        question=" ".join(said.question.split()),
        answer=said.answer.strip(),
        fact=order.fact,
        role=order.role,
        fold=order.fold.fold if order.fold else None,
        split=order.fold.split if order.fold else None,
        topic=order.fold.topic if order.fold else None,
        generator=generator,
        prompt=prompt,
    )


@cache
def wording(language: str) -> Mapping[str, Any]:
    """Roles, domain and the names of facts in a language; in English where there are none."""
    folder = resources.files(__package__).joinpath("wording")
    file = folder.joinpath(f"{language}.yaml")
    found: Mapping[str, Any] = yaml.safe_load(
        (file if file.is_file() else folder.joinpath("en.yaml")).read_text(encoding="utf-8")
    )
    return found
