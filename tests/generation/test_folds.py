"""Topics: the choice among the settings, both methods; folds: the search, separation, validation and test, strata."""

import asyncio
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st

from assay.errors import InputError, JudgeError, UsageError
from assay.generation import (
    SETTINGS,
    Fold,
    FoldError,
    Section,
    SectionTopic,
    TopicDiscovery,
    covering_quotas,
    extract_sections,
    find_topics,
    fold_distances,
    folds_per_document,
    leave_out_boilerplate,
    make_folds,
    mark_sampled,
    remove_shared,
    split_sections,
    split_topics,
)
from assay.judges import Embedder, load_embedder


def section(id_: str, document: str, page: int | None = None, last: int | None = None, emulated: int = 1) -> Section:
    return Section(
        id=id_, document=document, heading="", text="", page=page, last_page=last or page, position=0, language="nl",
        tokens=1, emulated_page=emulated,
    )  # fmt: skip


def test_fold_distances_are_single_and_average_linkage():
    points = np.array([[0.0], [1.0], [4.0], [6.0]])
    # between {0, 1} and {4, 6}: 4, 6, 3, 5 -> nearest 3, mean 4.5
    assert fold_distances(points, [1, 1, 2, 2]) == (3.0, 4.5)


def test_every_setting_finds_two_clear_groups():
    points = np.array([[1.0, 0.0], [1.1, 0.1], [0.0, 1.0], [0.1, 1.2]])
    splits = list(split_topics(points, 2, 2))
    assert [(split.distance, split.linkage) for split in splits] == list(SETTINGS)
    assert {split.folds for split in splits} == {(1, 1, 2, 2)}
    assert splits[0].score == pytest.approx((splits[0].single + splits[0].average) / 2)
    # of three clusters {1 2 | 3}, {1 3 | 2}, {2 3 | 1}: three ways for each of seven settings
    assert len(list(split_topics(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), 2, 3))) == 21


def test_sections_of_a_document_in_two_folds_are_removed():
    sections = [section("a1", "a"), section("a2", "a"), section("b1", "b"), section("b2", "b"), section("c1", "c")]
    folds = {"a1": 1, "a2": 1, "b1": 1, "b2": 2}
    assert remove_shared(sections, folds, "document") == {"a1": 1, "a2": 1}
    assert folds_per_document(sections, folds) == 1.5  # a in one, b in two, c in none


def test_a_document_keeps_the_sections_in_the_fold_of_its_majority():
    sections = [section(f"{document}{n}", document) for document in "ab" for n in range(4)]
    folds = {"a0": 2, "a1": 2, "a2": 1, "a3": 2, "b0": 1, "b1": 1, "b2": 2, "b3": 2}
    # three of four of a are in fold 2; b is half in each, so that it has no majority
    assert remove_shared(sections, folds, "document", keep_majority=True) == {"a0": 2, "a1": 2, "a3": 2}
    pages = [section("1", "p", 1), section("2", "p", 1), section("3", "p", 1, 2), section("4", "p", 2)]
    # page 1 has folds 1, 1 and 2: section 3 leaves, and with it nothing of fold 2 is on page 1
    assert remove_shared(pages, {"1": 1, "2": 1, "3": 2, "4": 2}, "page", keep_majority=True) == {
        "1": 1,
        "2": 1,
        "4": 2,
    }


def test_by_page_only_sections_on_a_shared_page_are_removed():
    sections = [section("1", "b", 1), section("2", "b", 1, 2), section("3", "b", 2), section("4", "b", 3)]
    # page 1 holds folds 1 and 1, page 2 holds folds 1 (section 2 goes on) and 2
    assert remove_shared(sections, {"1": 1, "2": 1, "3": 2, "4": 2}, "page") == {"1": 1, "4": 2}
    without_pages = [section("1", "m", emulated=1), section("2", "m", emulated=2)]
    assert remove_shared(without_pages, {"1": 1, "2": 2}, "page") == {"1": 1, "2": 2}


def test_validation_and_test_have_whole_documents_near_the_share():
    sections = [section(f"{d}{n}", d) for d in "abcdefghij" for n in range(3)]
    folds = {each.id: 1 if each.document < "f" else 2 for each in sections}
    splits = split_sections(sections, folds, "document", 0.2, seed=5)
    for document in "abcdefghij":
        assert len({splits[f"{document}{n}"] for n in range(3)}) == 1
    # 15 sections per fold, a fifth is 3: one document
    assert [sum(splits[s] == "test" and folds[s] == fold for s in splits) for fold in (1, 2)] == [3, 3]
    assert splits == split_sections(sections, folds, "document", 0.2, seed=5)
    assert set(split_sections(sections, folds, "document", 0.0, seed=5).values()) == {"validation"}


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 30), min_size=1), st.integers(0, 200))
def test_covering_quotas_never_exceed_what_is_there_or_wanted(sizes, wanted):
    quotas = covering_quotas(wanted, sizes)
    assert sum(quotas.values()) == min(wanted, sum(sizes.values()))
    assert all(0 <= quotas[topic] <= sizes[topic] for topic in sizes)
    assert wanted < len(sizes) or all(quotas.values())


def test_a_sample_is_divided_as_in_the_paper():
    """Two even folds, 500 sections, a fifth for the test: 200, 200, 50, 50 (5.3)."""
    folds = [
        Fold(section=f"{fold}{part}{n}", fold=fold, split=part, topic=n % 7)
        for fold in (1, 2)
        for part, count in (("validation", 800), ("test", 200))
        for n in range(count + 20 * fold)
    ]
    chosen = [each for each in mark_sampled(folds, 500, 0.2, seed=0) if each.sampled]
    counts = [
        sum((each.fold, each.split) == place for each in chosen)
        for place in ((1, "validation"), (2, "validation"), (1, "test"))
    ]
    assert counts == [200, 200, 50]
    assert {each.topic for each in chosen if each.fold == 2 and each.split == "test"} == set(range(7))
    assert all(each.sampled for each in mark_sampled(folds, None, 0.2, seed=0))


def collection(documents: int = 8) -> tuple[list[Section], list[SectionTopic]]:
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


def test_what_several_documents_repeat_and_a_few_words_are_left_out_before_the_division():
    """The contact text is in three documents, once with one word changed; the fourth and fifth are copies."""
    contact = (
        "You reach the customer desk by telephone on 0800 1234 from Monday to Friday between nine and five o'clock"
    )
    changed = contact.replace("customer", "help")  # 5 of its 15 runs of five words differ, the limit is a fifth
    own = {name: " ".join(f"{name}{place}" for place in range(30)) for name in "abcd"}
    texts = {
        "a": [own["a"], contact + " on working days"],
        "b": [own["b"], contact, "Home FAQ"],
        "c": [own["c"], contact, "Call 112"],
        "d": [own["d"], changed],
        "copy": [contact],
    }
    sections = [
        section(f"{name}{place}", name).model_copy(update={"text": text})
        for name, own_texts in texts.items()
        for place, text in enumerate(own_texts)
    ]
    result = leave_out_boilerplate(sections)
    assert [one.id for one in result.repeated] == ["a1", "b1", "c1"]  # a1: 14 of 17 runs, more than four fifths
    assert [one.id for one in result.short] == ["b2"]
    assert [one.id for one in result.sections] == ["a0", "b0", "c0", "c2", "d0", "d1", "copy0"]
    said = result.describe()
    assert "3 sections nearly word for word in 3 documents or more (a1 `You reach the customer desk`, b1" in said
    assert "1 section of fewer than 5 words (b2 `Home FAQ`); --folds 1 asks about them too" in said
    assert leave_out_boilerplate(result.sections[:3]).describe() == ""


def test_a_text_that_one_document_repeats_counts_once_for_it():
    """It stands four times in two documents, whose sections alternate, and the least is three documents."""
    contact = "You reach the customer desk by telephone from Monday to Friday"
    own = {name: " ".join(f"{name}{place}" for place in range(99)) for name in "abc"}

    def left_out(documents):
        texts = [(document, text) for document in documents for text in (contact, own[document])]
        numbered = [
            section(f"{document}{number}", document).model_copy(update={"text": text})
            for number, (document, text) in enumerate(texts)
        ]
        return [one.id for one in leave_out_boilerplate(numbered).repeated]

    assert left_out("abab") == []
    assert left_out("ababc") == ["a0", "b2", "a4", "b6", "c8"]


def test_folds_follow_topics_and_a_document_in_both_is_removed():
    sections, topics = collection()
    plan = make_folds(sections, topics)
    assert {fold.topic: fold.fold for fold in plan.folds} == {0: 1, 1: 1, 2: 2, 3: 2}
    assert len(plan.folds) == 28  # 32 less the last document's four
    assert plan.cut_by == (0, "", 1)  # of the last document three are in fold 2, and the one of topic 0 in fold 1
    assert plan.nearest_topics == pytest.approx(0.5, abs=0.05)
    assert plan.chosen.valid == pytest.approx(28 / 32)
    assert plan.chosen.folds_per_document == pytest.approx(9 / 8)
    assert plan == make_folds(sections, topics)
    outlier = topics[0].model_copy(update={"topic": -1})
    without = make_folds(sections, [outlier, *topics[1:]])
    assert without.outliers == 1
    assert "0-0" not in {fold.section for fold in without.folds}


def test_a_fold_that_is_too_small_is_not_chosen():
    """One far topic would make a fold of 2 in 26 sections: clusters are joined another way."""
    sections, topics = collection()
    far = [t.model_copy(update={"topic": 4, "vector": (900.0, 900.0)}) for t in topics if t.section in ("0-0", "2-0")]
    near = [t for t in topics if t.section not in ("0-0", "2-0")]
    plan = make_folds(sections, near + far)
    assert plan.chosen.split.clusters == 3
    assert plan.chosen.small_fold >= 0.2


def four_documents() -> tuple[list[Section], list[SectionTopic]]:
    """Two documents share topic 0, and so does one section of the third; the fourth has a topic of its own."""
    topics_of = {"library": [0, 0, 0, 0], "pool": [0, 0, 0, 0], "trams": [2, 2, 2, 0], "waste": [1, 1, 1, 1]}
    vectors = [(0.0, 0.0), (9.0, 1.0), (9.0, 0.0)]
    sections, topics = [], []
    for document, numbers in topics_of.items():
        for place, topic in enumerate(numbers):
            sections.append(section(f"{document}-{place}", document))
            topics.append(SectionTopic(section=f"{document}-{place}", topic=topic, vector=vectors[topic]))
    return sections, topics


def test_a_topic_that_cuts_a_document_apart_costs_its_section_and_not_the_document():
    """Without all of trams the second fold would have one document, and two are needed."""
    sections, topics = four_documents()
    plan = make_folds(sections, topics)
    folds = {fold.section: fold.fold for fold in plan.folds}
    documents = {name: {folds.get(f"{name}-{n}") for n in range(4)} for name in ("library", "pool", "trams", "waste")}
    assert documents == {"library": {1}, "pool": {1}, "trams": {2, None}, "waste": {2}}
    assert plan.left_out == {"trams": (1, 4)}
    assert {fold.topic for fold in plan.folds if fold.fold == 2} == {1, 2}  # and no topic is in both
    assert (plan.chosen.valid, plan.chosen.small_fold) == (15 / 16, 7 / 15)


def test_the_advice_names_the_subject_that_fills_a_fold():
    """Three documents share a topic: no division gives the fourth a second one in its fold. With another it has."""
    sections, topics = four_documents()
    crowded = [row.model_copy(update={"topic": 0, "vector": (0.0, 0.0)}) if row.topic == 2 else row for row in topics]
    with pytest.raises(FoldError, match=r"add documents about other subjects than library, pool, trams$"):
        make_folds(sections, crowded)
    more = [section(f"dogs-{n}", "dogs") for n in range(4)]
    about_dogs = [SectionTopic(section=each.id, topic=3, vector=(9.0, 3.0)) for each in more]
    assert make_folds([*sections, *more], crowded + about_dogs).left_out == {}


def test_errors_say_why_no_folds_can_be_made():
    sections, topics = collection()
    with pytest.raises(InputError, match="1 of them, such as `x`, are not among the sections"):
        make_folds(sections, [SectionTopic(section="x", topic=0, vector=(1.0,))])
    with pytest.raises(FoldError, match="1 topic is too few for 2 folds; add documents about other subjects"):
        make_folds(sections, [t.model_copy(update={"topic": 0}) for t in topics])
    with pytest.raises(FoldError, match=r"topics are too few for 6 folds; make . folds"):
        make_folds([section(f"{n}", f"{n}") for n in range(20)], _one_each(5, documents=20), folds=6)


def _one_each(topics: int, documents: int) -> list[SectionTopic]:
    return [SectionTopic(section=f"{n}", topic=n % topics, vector=(float(n % topics), 1.0)) for n in range(documents)]


@cache
def leaflet_sections() -> list[Section]:
    """The sections of the bundled leaflets."""
    return [section for each in extract_sections(["leaflets"]) for section in each.sections]


def topics_of_leaflets(count: int | None = None, **options: object) -> TopicDiscovery:
    """The topics of the first sections; of all if no count is said."""
    return asyncio.run(find_topics(leaflet_sections()[:count], load_embedder("use"), **options))


def test_a_collection_is_clustered_by_ward_without_any_randomness():
    topics = topics_of_leaflets(topics=8)
    assert [row.section for row in topics.rows] == [section.id for section in leaflet_sections()]
    assert 2 <= len({row.topic for row in topics.rows}) <= 8
    assert all(row.label for row in topics.rows if row.topic >= 0)
    assert topics.measures.robustness is not None
    assert topics == topics_of_leaflets(topics=8)


def test_too_few_sections_and_too_many_topics_are_errors():
    with pytest.raises(InputError, match="3 sections are too few"):
        topics_of_leaflets(3)
    with pytest.raises(UsageError, match="60 topics are too many for 80 sections; ask for 40 or fewer"):
        topics_of_leaflets(topics=60)


class Growing(Embedder):
    """Embeds each batch with one number more, as an address behind which the model changes."""

    name = "growing"
    dimensions = 1

    async def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.dimensions += 1
        return np.ones((len(texts), self.dimensions), np.float32)


def test_batches_of_other_dimensions_are_an_error():
    """256 texts are one batch, so that 260 sections are two: numpy's own error named neither model nor cure."""
    first = leaflet_sections()[0]
    sections = [first.model_copy(update={"id": str(number), "text": str(number)}) for number in range(260)]
    with pytest.raises(JudgeError, match=r"growing: .* vectors of \[2\] and \[3\] dimensions: "):
        asyncio.run(find_topics(sections, Growing()))
