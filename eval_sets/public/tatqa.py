"""TAT-QA: computed answers about tables of financial reports; of half of them Assay changes the value."""

import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from hashlib import sha256
from typing import Any, NamedTuple

from ..rows import Row
from .original_form import OriginalFile, parse_document
from .set_facts import PublicSet

_UNITS = {"": "", "percent": " %", "thousand": " thousand", "million": " million", "billion": " billion"}
_SUBTRACTION = re.compile(r"[\d)]\s*[-–]\s*[\d($]")
_GOLD = "gold"
_FLIPPED = "sign flipped"
_SHIFTED = "shifted by 6-24 %"
_NEXT = "last digit one further from 0"


class StatedValue(NamedTuple):
    """The value that an answer states."""

    value: Decimal
    change: str  # how it was made of the annotators' value; `gold` for that value itself


def read_tatqa(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per question whose answer is computed (`arithmetic`).

    The set has right answers only. So that there is something to tell apart, the value of about every second answer is
    changed (`choose_value`): its rating is 0 by construction, that of the annotators' own value is 1.
    """
    number = 0
    for report in parse_document(files[0], list):
        contexts, table, group = _read_report(report)
        for question in report["questions"]:
            if question["answer_type"] != "arithmetic":
                continue
            number += 1
            fields = _fields(question) | {"retrieved_contexts": contexts}
            about_set = facts.describe_rating(files[0].path) | {"group": group, "table": {"rows": table}}
            fields["metadata"] = about_set | fields["metadata"]
            yield Row(number, f"question {number}", fields)


def _read_report(report: dict[str, Any]) -> tuple[list[str], list[list[str]], str]:
    table = report["table"]["table"]
    texts = [paragraph["text"] for paragraph in sorted(report["paragraphs"], key=lambda one: float(one["order"]))]
    group = f"tatqa:{report['table']['uid']}"
    return ["\n".join(" | ".join(map(str.strip, row)) for row in table), *texts], table, group


def _fields(question: dict[str, Any]) -> dict[str, Any]:
    uid, derivation, scale = question["uid"], question["derivation"], question["scale"]
    gold = float(question["answer"])
    stated = choose_value(uid, Decimal(repr(gold)), is_difference=bool(_SUBTRACTION.search(derivation)))
    return {
        "id": f"tatqa-{uid}",
        "user_input": question["question"],
        "response": f"{format_value(stated.value)}{_UNITS[scale]}",
        "rating": int(stated.change == _GOLD),
        "rating_min": 0,
        "rating_max": 1,
        "metadata": {
            "gold_answer": gold,
            "scale": scale,
            "derivation": derivation,
            "perturbation": stated.change,
        },
    }


def choose_value(uid: str, gold: Decimal, *, is_difference: bool) -> StatedValue:
    """Chooses what the answer to a question states: the annotators' value, or another one.

    The SHA-256 of the question's uid decides, so that the choice is the same everywhere: the first byte whether the
    value is changed, the second how (a difference may change its sign), the third and fourth by how much.

    Raises:
        InvalidOperation: The changed value has more digits than `decimal` reckons with (28).

    Examples:
        >>> choose_value("a", Decimal("12.5"), is_difference=False)
        StatedValue(value=Decimal('12.5'), change='gold')
        >>> choose_value("d", Decimal("12.5"), is_difference=False)
        StatedValue(value=Decimal('13.9'), change='shifted by 6-24 %')
    """
    is_changed, how, share, direction = sha256(uid.encode()).digest()[:4]
    if is_changed >= 128 or gold == 0:
        return StatedValue(gold, _GOLD)
    if is_difference and how < 64:
        return StatedValue(-gold, _FLIPPED)
    part = Decimal(6 + share % 19) / 100
    exact = gold * (1 + part if direction < 128 else 1 - part)
    shifted = exact.quantize(_last_place(gold), ROUND_HALF_EVEN)
    if shifted == gold:  # a value of few digits: the shift is less than half of the last one
        return StatedValue(gold + _last_place(gold).copy_sign(gold), _NEXT)
    return StatedValue(shifted, _SHIFTED)


def _last_place(value: Decimal) -> Decimal:
    exponent = value.normalize().as_tuple().exponent
    return Decimal(1).scaleb(min(int(exponent), 0))


def format_value(value: Decimal) -> str:
    """Writes a value in digits, without zeros at its end.

    Examples:
        >>> format_value(Decimal("14212.0")), format_value(Decimal("-78.06"))
        ('14212', '-78.06')
    """
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
