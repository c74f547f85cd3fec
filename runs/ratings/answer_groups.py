"""Which answers are not independent of each other: the one rule of groups, for the answers of one version."""

from collections.abc import Iterable

from ...eval_sets import Sample
from ...eval_sets.conversation import asked_text
from ...meta_eval.groups import merge_groups


def group_answers(samples: Iterable[Sample]) -> list[str]:
    """Returns the group of each answer: the one that it names, else that of all answers to its question.

    The rule that `assay meta` has for answers of files too.

    Example:
        >>> asked = {"a": "Is it free?", "b": "Is it  free?", "c": "How?"}
        >>> samples = [Sample(id=name, user_input=text, response="Yes.") for name, text in asked.items()]
        >>> group_answers([*samples, samples[0].model_copy(update={"id": "d", "group": "page 1"})])
        ['a', 'a', 'c', 'page 1']
    """
    answers = list(samples)
    return list(merge_groups([answer.source for answer in answers], [question_text(answer) for answer in answers]))


def named_group(sample: Sample) -> str:
    """The group that an answer names; empty where it names none."""
    return str(sample.group or sample.metadata.get("group") or "")


def question_text(sample: Sample) -> str:
    """What answers that name no group have in common with others to their question; empty of one that names one.

    In turns of long conversations it is long.
    """
    return " ".join(asked_text(sample).split()) if sample.user_input and not named_group(sample) else ""
