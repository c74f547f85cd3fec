"""The bundled helpdesk sets keep the plan that their README describes."""

from functools import cache

import pytest

from assay.eval_sets import load_set

# eval_sets/README.md, "The rubric"
RUBRIC = {
    "correct_not_in_context": 4,
    "missing_step": 3,
    "too_general": 3,
    "changed_step": 2,
    "off_context": 2,
    "refusal": 2,
    "unspecified_component": 1,
    "error_mixup": 1,
    "contradiction": 1,
    "false_statement": 1,
}
MESSAGE_TYPES = {"instruction", "binary", "reasoning", "general", "error", "unspecified", "action"}

both = pytest.mark.parametrize("language", ["nl", "en"])


@cache
def samples(language):
    return load_set(f"helpdesk_{language}")


def rating_of(defects):
    """One defect gives its rating; of two the lower counts, minus 1 if both are above 1."""
    if not defects:
        return 5
    ratings = [RUBRIC[defect] for defect in defects]
    return min(ratings) - (len(ratings) == 2 and min(ratings) > 1)


@both
def test_every_rating_follows_from_the_planted_defects(language):
    for sample in samples(language):
        defects = sample.metadata["defects"]
        assert len(defects) <= 2, sample.id
        assert sample.rating == rating_of(defects), sample.id
        assert sample.metadata["note"].strip(), sample.id


@both
def test_sixty_pairs_of_all_message_types_and_enough_pages(language):
    assert [sample.id for sample in samples(language)] == [f"{language}-{number:03}" for number in range(1, 61)]
    assert {sample.language for sample in samples(language)} == {language}
    assert {sample.message_type for sample in samples(language)} == MESSAGE_TYPES
    assert len({sample.group for sample in samples(language)}) >= 12
    assert 20 <= sum(sample.rating == 5 for sample in samples(language)) <= 28
    for kind in MESSAGE_TYPES - {"unspecified", "action"}:  # small talk and actions are flawless or defective alone
        flawless = {sample.rating == 5 for sample in samples(language) if sample.message_type == kind}
        assert flawless == {True, False}, kind
