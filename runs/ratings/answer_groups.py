"""Which answers are not independent of each other: the one rule of groups, for the answers of one version."""

from collections.abc import Iterable

from ...eval_sets import Sample
from ...eval_sets.conversation import asked_text
from ...meta_eval.groups import merge_groups, name_questions


def group_answers(samples: Iterable[Sample]) -> list[str]:
    """Returns the group of each answer: the one that it names, else that of all answers to its question.

    The same rule as `assay meta` has for answers of files (`name_questions`).

    Example:
        >>> asked = {"a": "Is it free?", "b": "Is it  free?", "c": "How?"}
        >>> samples = [Sample(id=name, user_input=text, response="Yes.") for name, text in asked.items()]
        >>> group_answers([*samples, samples[0].model_copy(update={"id": "d", "group": "page 1"})])
        ['a', 'a', 'c', 'page 1']
    """
    answers = list(samples)
    labels = [str(answer.group or answer.metadata.get("group") or "") for answer in answers]
    # that of an answer with a group has no part in it, and in turns of long conversations it is long
    asked = [
        asked_text(answer) if answer.user_input and not label else ""
        for answer, label in zip(answers, labels, strict=True)
    ]
    return list(merge_groups([answer.source for answer in answers], name_questions(asked, labels)))
