"""Topics: the measures by hand, the choice among settings, and plain clustering of the bundled leaflets."""

import asyncio
from importlib.util import find_spec

import numpy as np
import pytest

from assay.errors import InputError, UsageError
from assay.generation import Section
from assay.generation.documents import extract_sections
from assay.generation.topics import Topics, find_topics
from assay.generation.topics.grid_search import best_setting, default_grid
from assay.generation.topics.measures import Measures, agreement, document_match, measure, robustness
from assay.generation.topics.topic_words import topic_words
from assay.generation.topics.ward_clustering import cluster_by_ward, number_by_size, principal_components
from assay.judges.embedders import load_embedder

SECTIONS = [section for each in extract_sections(["leaflets"]) for section in each.sections]


def test_document_match_is_formulas_1_and_2() -> None:
    # a: 2 of 3 sections in topic 0 -> 66.67; b: its outlier aside 1 of 1 -> 100; c has outliers only and does not count
    match = document_match([0, 0, 1, 1, -1, -1], ["a", "a", "a", "b", "b", "c"])
    assert match == pytest.approx((200 / 3 + 100) / 2)
    assert document_match([-1], ["a"]) is None


def test_agreement_pairs_groups_whatever_their_numbers() -> None:
    one, other = np.array([0, 0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0, -1])
    # 0 with 1 (two sections), 1 with 0 (two), outlier with outlier: 5 of 6
    assert agreement(one, other) == pytest.approx(5 / 6)
    assert agreement(one, one) == 1


def test_clusters_far_apart_withstand_noise_and_a_lottery_does_not() -> None:
    points = np.repeat([[0.0, 0.0], [10.0, 10.0]], 20, axis=0)
    labels = np.repeat([0, 1], 20)
    assert robustness(points, labels, lambda noisy: cluster_by_ward(noisy, 2), seed=1) == 100
    lottery = np.random.default_rng(1)
    assert robustness(points, labels, lambda noisy: lottery.integers(0, 2, len(noisy)), seed=1) < 80


def test_measures_leave_outliers_out_and_say_none_for_one_topic() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0], [100.0]])
    found = measure(points, np.array([0, 0, 1, 1, -1]), list("aabbb"), None, seed=0)
    # silhouette of 0: a = 1, b = mean(10, 11) = 10.5 -> 9.5 / 10.5; of 1: b = 9.5 -> 8.5 / 9.5; the others mirror these
    assert found.silhouette == pytest.approx((9.5 / 10.5 + 8.5 / 9.5) / 2)
    assert (found.topics, found.outliers, found.document_match) == (2, pytest.approx(0.2), 100)
    assert measure(points, np.zeros(5, dtype=int), list("aabbb"), None, seed=0).silhouette is None


def measures(topics: int, outliers: float, quality: float) -> Measures:
    return Measures(topics, outliers, quality, quality, -quality, quality, quality)


def test_the_best_by_all_groups_is_taken_but_not_for_few_topics_or_many_outliers() -> None:
    grid = [measures(2, 0.1, 0.9), measures(20, 0.1, 0.3), measures(22, 0.1, 0.5), measures(21, 0.7, 0.8)]
    assert best_setting(grid) == 2


def test_documents_of_many_subjects_do_not_speak_in_the_choice() -> None:
    one = Measures(10, 0.1, 0.6, 10, 1, 50, 40)
    other = Measures(10, 0.1, 0.5, 9, 2, 50, 99)
    assert best_setting([one, other], one_subject=False) == 0


def test_the_grid_grows_to_that_of_the_paper() -> None:
    assert default_grid(13_216) == ([5, 10, 15], [10, 20, 30, 40, 50])
    assert default_grid(500) == ([5, 10, 15], [3, 4, 6, 8, 10])


def test_topics_are_numbered_by_size() -> None:
    assert number_by_size(np.array([7, 3, 3, 3, 7, -1, 9, 9])).tolist() == [1, 0, 0, 0, 1, -1, 2, 2]


def test_principal_components_keep_distances() -> None:
    vectors = np.random.default_rng(0).normal(size=(12, 5))
    found = principal_components(vectors)
    assert np.linalg.norm(found[0] - found[7]) == pytest.approx(np.linalg.norm(vectors[0] - vectors[7]))
    assert np.array_equal(found, principal_components(vectors.copy()))


def test_topic_words_are_those_that_the_other_topics_lack() -> None:
    words = topic_words({0: "gips gips zaag folder", 4: "koffie koffie melk folder"}, ["nl"], words=2)
    assert words == {0: ["gips", "zaag"], 4: ["koffie", "melk"]}
    assert topic_words({0: "1 2", 1: "..."}, ["nl"]) == {0: [], 1: []}


def found(sections: list[Section] = SECTIONS, **options: object) -> Topics:
    return asyncio.run(find_topics(sections, load_embedder("use"), **options))  # type: ignore[arg-type]


def test_a_small_collection_is_clustered_plainly_says_so_and_comes_out_the_same() -> None:
    topics = found(topics=8)
    assert topics.method == "plain"
    assert "80 sections are fewer than 300" in topics.why
    assert [row.section for row in topics.rows] == [section.id for section in SECTIONS]
    assert len(topics.sizes) <= 8
    assert topics == found(topics=8)


def test_leaflets_keep_to_their_topics() -> None:
    topics = found()
    assert topics.measures.document_match is not None
    assert topics.measures.document_match > 80
    assert sum(cell.chosen for cell in topics.cells) == 1


def test_too_few_sections_and_too_many_topics_are_told() -> None:
    with pytest.raises(InputError, match="3 sections are too few"):
        found(SECTIONS[:3])
    with pytest.raises(UsageError, match="60 topics are too many for 80 sections; ask for 40 or fewer"):
        found(topics=60)
    with pytest.raises(UsageError, match="40 sections are too few for BERTopic"):
        found(SECTIONS[:40], method="bertopic")


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first use of UMAP compiles it
@pytest.mark.skipif(find_spec("bertopic") is None, reason="BERTopic is not installed")
def test_bertopic_finds_the_same_topics_with_the_same_seed() -> None:
    options: dict[str, object] = {"method": "bertopic", "grid": ((5,), (3, 5)), "seed": 3}
    one = found(**options)
    assert one.method == "bertopic"
    assert len(one.sizes) >= 3
    assert all(one.labels[topic] for topic in one.sizes)
    assert [row.topic for row in one.rows] == [row.topic for row in found(**options).rows]
