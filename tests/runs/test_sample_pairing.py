"""Two exports of one bot: samples without ids of their own are paired by question, then by content."""

from assay.eval_sets import Sample
from assay.runs import pair_samples


def samples(stem: str, *rows: tuple[str, str]) -> list[Sample]:
    return [
        Sample(id=f"{stem}-{number}", user_input=question, response=answer)
        for number, (question, answer) in enumerate(rows, 1)
    ]


def test_a_question_that_occurs_twice_is_paired_by_its_answer() -> None:
    a = samples("may", ("How?", "one"), ("How?", "two"), ("Why?", "x"))
    b = samples("june", ("How?", "two"), ("Why?", "y"), ("How?", "one"), ("Who?", "z"))
    pairing = pair_samples(a, b, ["may.csv"], ["june.csv"])
    assert pairing.ids == {"june-2": "may-3", "june-1": "may-2", "june-3": "may-1"}
    assert (pairing.by_question, pairing.by_content, pairing.other_question) == (1, 2, ())


def test_rows_of_one_file_in_another_order_are_paired_by_question_too() -> None:
    a, b = samples("set", ("How?", "1"), ("Why?", "2")), samples("set", ("Why?", "3"), ("How?", "4"))
    pairing = pair_samples(a, b, ["may/set.csv"], ["june/set.csv"])
    assert (pairing.ids, pairing.by_question) == ({"set-1": "set-2", "set-2": "set-1"}, 2)


def test_ids_of_their_own_stay_apart() -> None:
    """Two samples that somebody gave different ids are different, whatever they ask."""
    a, b = samples("x", ("How?", "1")), samples("y", ("How?", "1"))
    assert pair_samples(a, b, ["may.csv"], ["june.csv"]).ids == {}
    same_id = pair_samples(a, [a[0].model_copy(update={"user_input": "Why?"})], ["may.csv"], ["june.csv"])
    assert (same_id.ids, same_id.other_question) == ({}, ("x-1",))
