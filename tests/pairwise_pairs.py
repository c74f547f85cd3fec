"""Pairs of answers of which one is plainly better, for a judge that was recorded."""

from assay.eval_sets import Sample

_PAIRS = {
    "free": (
        "Is the swimming course free?",
        "The swimming course is free for members. Others pay 90 euros.",
        "Yes, for members it is free; others pay 90 euros.",
        "I do not know.",
    ),
    "hours": (
        "When does the desk open?",
        "The desk opens at nine and closes at five.",
        "The desk opens at noon.",
        "The desk opens at nine.",
    ),
    "even": (
        "Where do I park?",
        "You park behind the building.",
        "You park behind the building.",
        "Park behind the building.",
    ),
}
PAIRS = tuple(
    Sample(
        id=name, user_input=question, retrieved_contexts=(context,), response=one, other_response=other, language="en"
    )
    for name, (question, context, one, other) in _PAIRS.items()
)
