"""Folds: the search by hand, separation, validation and test, strata, and what folds share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError, UsageError
from assay.generation import Fold, Section
from assay.generation.folds import leaks, make_folds
from assay.generation.folds.leaks import shared_runs
from assay.generation.folds.sampling import allotted, sampled
from assay.generation.folds.separation import folds_per_document, separated, split
from assay.generation.folds.topic_splits import SETTINGS, apart, splits
from assay.generation.topics import SectionTopic


def section(id_: str, document: str, page: int | None = None, last: int | None = None, emulated: int = 1) -> Section:
    return Section(
        id=id_, document=document, heading="", text="", page=page, last_page=last or page, position=0, language="nl",
        tokens=1, emulated_page=emulated,
    )  # fmt: skip


def test_folds_are_apart_by_single_and_average_linkage() -> None:
    points = np.array([[0.0], [1.0], [4.0], [6.0]])
    # between {0, 1} and {4, 6}: 4, 6, 3, 5 -> nearest 3, mean 4.5
    assert apart(points, [1, 1, 2, 2]) == (3.0, 4.5)


def test_every_setting_finds_two_clear_groups() -> None:
    points = np.array([[1.0, 0.0], [1.1, 0.1], [0.0, 1.0], [0.1, 1.2]])
    found = list(splits(points, 2, 2))
    assert [(each.distance, each.linkage) for each in found] == list(SETTINGS)
    assert {each.folds for each in found} == {(1, 1, 2, 2)}
    assert found[0].score == pytest.approx((found[0].single + found[0].average) / 2)


def test_more_clusters_than_folds_are_joined_in_every_way() -> None:
    points = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    # {1 2 | 3}, {1 3 | 2}, {2 3 | 1}: three ways for each of seven settings
    assert len(list(splits(points, 2, 3))) == 21


def test_sections_of_a_document_in_two_folds_are_left_out() -> None:
    sections = [section("a1", "a"), section("a2", "a"), section("b1", "b"), section("b2", "b"), section("c1", "c")]
    folds = {"a1": 1, "a2": 1, "b1": 1, "b2": 2}
    assert separated(sections, folds, "document") == {"a1": 1, "a2": 1}
    assert folds_per_document(sections, folds) == 1.5  # a in one, b in two, c in none


def test_by_page_only_what_touches_a_common_page_is_left_out() -> None:
    sections = [section("1", "b", 1), section("2", "b", 1, 2), section("3", "b", 2), section("4", "b", 3)]
    # page 1 holds folds 1 and 1, page 2 holds folds 1 (section 2 goes on) and 2
    assert separated(sections, {"1": 1, "2": 1, "3": 2, "4": 2}, "page") == {"1": 1, "4": 2}
    without_pages = [section("1", "m", emulated=1), section("2", "m", emulated=2)]
    assert separated(without_pages, {"1": 1, "2": 2}, "page") == {"1": 1, "2": 2}


def test_validation_and_test_hold_whole_documents_and_come_near_to_the_share() -> None:
    sections = [section(f"{d}{n}", d) for d in "abcdefghij" for n in range(3)]
    folds = {each.id: 1 if each.document < "f" else 2 for each in sections}
    parts = split(sections, folds, "document", 0.2, seed=5)
    for document in "abcdefghij":
        assert len({parts[f"{document}{n}"] for n in range(3)}) == 1
    # 15 sections a fold, a fifth is 3: one document
    assert [sum(parts[s] == "test" and folds[s] == fold for s in parts) for fold in (1, 2)] == [3, 3]
    assert parts == split(sections, folds, "document", 0.2, seed=5)
    assert set(split(sections, folds, "document", 0.0, seed=5).values()) == {"validation"}


def test_strata_get_one_each_and_then_their_share() -> None:
    assert allotted({1: 6, 2: 3, 3: 1}, 5) == {1: 3, 2: 1, 3: 1}
    assert allotted({1: 6, 2: 3, 3: 1}, 2) == {1: 1, 2: 1, 3: 0}
    assert allotted({1: 2, 2: 1}, 9) == {1: 2, 2: 1}


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 30), min_size=1), st.integers(0, 200))
def test_strata_never_give_more_than_they_have_nor_than_wanted(sizes: dict[int, int], wanted: int) -> None:
    quotas = allotted(sizes, wanted)
    assert sum(quotas.values()) == min(wanted, sum(sizes.values()))
    assert all(0 <= quotas[topic] <= sizes[topic] for topic in sizes)
    assert wanted < len(sizes) or all(quotas.values())


def test_a_sample_is_parted_as_in_the_paper() -> None:
    """Two even folds, 500 sections, a fifth for the test: 200, 200, 50, 50 (5.3)."""
    folds = [
        Fold(section=f"{fold}{part}{n}", fold=fold, split=part, topic=n % 7)
        for fold in (1, 2)
        for part, count in (("validation", 800), ("test", 200))
        for n in range(count + 20 * fold)
    ]
    chosen = [each for each in sampled(folds, 500, 0.2, seed=0) if each.sampled]
    counts = [
        sum((e.fold, e.split) == at for e in chosen) for at in ((1, "validation"), (2, "validation"), (1, "test"))
    ]
    assert counts == [200, 200, 50]
    assert {each.topic for each in chosen if each.fold == 2 and each.split == "test"} == set(range(7))
    assert all(each.sampled for each in sampled(folds, None, 0.2, seed=0))


EIGHT = "een twee drie vier vijf zes zeven acht"


def test_runs_of_eight_words_are_counted_across_folds_only() -> None:
    texts = [f"Kop. {EIGHT}!", f"{EIGHT.upper()} negen", f"{EIGHT} tien", "een twee drie vier vijf zes zeven"]
    assert shared_runs(texts, [1, 2, 2, 2]) == ({0, 1, 2}, 1)
    assert shared_runs(texts, [1, 1, 1, 2]) == (set(), 0)


def test_the_nearest_neighbour_is_that_of_the_other_fold() -> None:
    vectors = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
    found = leaks(["a", "b", "c", "d"], vectors, [1, 1, 2, 2])
    # 0 and 1: 0.6 to the third; the third: 0.6; the fourth: 0
    assert found.mean == pytest.approx(0.45)
    assert (found.highest, found.alike, found.runs) == (pytest.approx(0.6), 0, 0)


def world(documents: int = 8) -> tuple[list[Section], list[SectionTopic]]:
    """Documents of four sections; the even ones about topics 0 and 1, the odd ones about 2 and 3, the last of both."""
    sections, topics = [], []
    for number in range(documents):
        for place in range(4):
            last = number == documents - 1 and place == 3
            topic = 0 if last else 2 * (number % 2) + place % 2
            sections.append(section(f"{number}-{place}", str(number)))
            jitter = 0.01 * number
            vector = ((0.0, jitter), (0.5, jitter), (9.0, 5 + jitter), (9.5, 5 + jitter))[topic]
            topics.append(SectionTopic(section=f"{number}-{place}", topic=topic, vector=vector))
    return sections, topics


def test_folds_follow_topics_and_a_document_of_both_is_left_out() -> None:
    sections, topics = world()
    found = make_folds(sections, topics)
    assert {fold.topic: fold.fold for fold in found.folds} == {0: 1, 1: 1, 2: 2, 3: 2}
    assert len(found.folds) == 28  # 32 less the last document's four
    assert found.nearest_topics == pytest.approx(0.5, abs=0.05)
    assert found.chosen.valid == pytest.approx(28 / 32)
    assert found.chosen.folds_per_document == pytest.approx(9 / 8)
    assert found == make_folds(sections, topics)


def test_outliers_are_in_no_fold() -> None:
    sections, topics = world()
    lost = topics[0].model_copy(update={"topic": -1})
    found = make_folds(sections, [lost, *topics[1:]])
    assert found.outliers == 1
    assert "0-0" not in {fold.section for fold in found.folds}


def test_too_small_a_fold_is_not_taken() -> None:
    """One far topic would make a fold of 2 in 26 sections: clusters are joined another way."""
    sections, topics = world()
    far = [t.model_copy(update={"topic": 4, "vector": (900.0, 900.0)}) for t in topics if t.section in ("0-0", "2-0")]
    kept = [t for t in topics if t.section not in ("0-0", "2-0")] + far
    found = make_folds(sections, kept)
    assert found.chosen.split.clusters == 3
    assert found.chosen.small_fold >= 0.2


def test_what_cannot_be_folded_is_told() -> None:
    sections, topics = world()
    with pytest.raises(InputError, match=r"`x` is not among the sections \(1 such\)"):
        make_folds(sections, [SectionTopic(section="x", topic=0, vector=(1.0,))])
    with pytest.raises(UsageError, match="1 topics make no 2 folds"):
        make_folds(sections, [t.model_copy(update={"topic": 0}) for t in topics])
    with pytest.raises(UsageError, match="two documents each"):
        make_folds(sections[:8], topics[:8])
