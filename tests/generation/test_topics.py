"""TopicDiscovery: the measures, the choice among settings, and Ward's clustering of the bundled leaflets."""

import asyncio
from functools import cache

import numpy as np
import pytest

from assay.errors import InputError, UsageError
from assay.generation import Section
from assay.generation.documents import extract_sections
from assay.generation.topics import TopicDiscovery, find_topics
from assay.generation.topics.grid_search import best_setting, default_grid
from assay.generation.topics.measures import (
    Measures,
    measure_clustering,
    measure_document_match,
    measure_robustness,
    share_in_same_group,
)
from assay.generation.topics.topic_words import find_topic_words
from assay.generation.topics.ward_clustering import cluster_by_ward, number_by_size, principal_components
from assay.judges.embedders import load_embedder


@cache
def leaflet_sections() -> list[Section]:
    """The sections of the bundled leaflets."""
    return [section for each in extract_sections(["leaflets"]) for section in each.sections]


def test_document_match_is_formulas_1_and_2() -> None:
    # a: 2 of 3 sections in topic 0 -> 66.67; b: 1 of 1 without its outlier -> 100; c has only an outlier: left out
    match = measure_document_match([0, 0, 1, 1, -1, -1], ["a", "a", "a", "b", "b", "c"])
    assert match == pytest.approx((200 / 3 + 100) / 2)
    assert measure_document_match([-1], ["a"]) is None


def test_groups_are_matched_whatever_their_numbers() -> None:
    one, other = np.array([0, 0, 0, 1, 1, -1]), np.array([1, 1, 0, 0, 0, -1])
    # 0 with 1 (two sections), 1 with 0 (two), outlier with outlier: 5 of 6
    assert share_in_same_group(one, other) == pytest.approx(5 / 6)
    assert share_in_same_group(one, one) == 1


def test_distant_clusters_are_robust_and_random_ones_are_not() -> None:
    points = np.repeat([[0.0, 0.0], [10.0, 10.0]], 20, axis=0)
    labels = np.repeat([0, 1], 20)
    assert measure_robustness(points, labels, lambda noisy: cluster_by_ward(noisy, 2), seed=1) == 100
    chance = np.random.default_rng(1)
    assert measure_robustness(points, labels, lambda noisy: chance.integers(0, 2, len(noisy)), seed=1) < 80


def test_measures_leave_outliers_out_and_are_none_for_one_topic() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0], [100.0]])
    result = measure_clustering(points, np.array([0, 0, 1, 1, -1]), list("aabbb"), None, seed=0)
    # silhouette of 0: a = 1, b = mean(10, 11) = 10.5 -> 9.5 / 10.5; of 1: b = 9.5 -> 8.5 / 9.5; the others mirror these
    assert result.silhouette == pytest.approx((9.5 / 10.5 + 8.5 / 9.5) / 2)
    assert (result.topics, result.outliers, result.document_match) == (2, pytest.approx(0.2), 100)
    assert measure_clustering(points, np.zeros(5, dtype=int), list("aabbb"), None, seed=0).silhouette is None


def measures(topics: int, outliers: float, quality: float) -> Measures:
    return Measures(topics, outliers, quality, quality, -quality, quality, quality)


def test_the_best_mean_rank_wins_unless_topics_are_few_or_outliers_many() -> None:
    grid = [measures(2, 0.1, 0.9), measures(20, 0.1, 0.3), measures(22, 0.1, 0.5), measures(21, 0.7, 0.8)]
    assert best_setting(grid) == 2


def test_document_match_does_not_count_for_documents_of_many_subjects() -> None:
    one = Measures(10, 0.1, 0.6, 10, 1, 50, 40)
    other = Measures(10, 0.1, 0.5, 9, 2, 50, 99)
    assert best_setting([one, other], one_subject=False) == 0


def test_the_grid_grows_with_the_collection_to_that_of_the_paper() -> None:
    assert default_grid(13_216) == ([5, 10, 15], [10, 20, 30, 40, 50])
    assert default_grid(500) == ([5, 10, 15], [3, 4, 6, 8, 10])


def test_topics_are_numbered_by_size() -> None:
    assert number_by_size(np.array([7, 3, 3, 3, 7, -1, 9, 9])).tolist() == [1, 0, 0, 0, 1, -1, 2, 2]


def test_principal_components_keep_distances() -> None:
    vectors = np.random.default_rng(0).normal(size=(12, 5))
    components = principal_components(vectors)
    assert np.linalg.norm(components[0] - components[7]) == pytest.approx(np.linalg.norm(vectors[0] - vectors[7]))
    assert np.array_equal(components, principal_components(vectors.copy()))


def test_topic_words_are_those_that_other_topics_do_not_have() -> None:
    words = find_topic_words({0: "gips gips zaag folder", 4: "koffie koffie melk folder"}, ["nl"], count=2)
    assert words == {0: ["gips", "zaag"], 4: ["koffie", "melk"]}
    assert find_topic_words({0: "1 2", 1: "..."}, ["nl"]) == {0: [], 1: []}


def topics_of_leaflets(count: int | None = None, **options: object) -> TopicDiscovery:
    """The topics of the first sections; of all if no count is said."""
    return asyncio.run(find_topics(leaflet_sections()[:count], load_embedder("use"), **options))  # type: ignore[arg-type]


def test_a_small_collection_is_clustered_by_ward_and_says_so() -> None:
    topics = topics_of_leaflets(topics=8)
    assert topics.method == "plain"
    assert "80 sections are fewer than 300" in topics.why
    assert [row.section for row in topics.rows] == [section.id for section in leaflet_sections()]
    assert len(topics.sizes) <= 8
    assert topics == topics_of_leaflets(topics=8)


def test_the_sections_of_a_leaflet_share_a_topic() -> None:
    topics = topics_of_leaflets()
    assert topics.measures.document_match is not None
    assert topics.measures.document_match > 80
    assert sum(cell.chosen for cell in topics.cells) == 1


def test_too_few_sections_and_too_many_topics_are_errors() -> None:
    with pytest.raises(InputError, match="3 sections are too few"):
        topics_of_leaflets(3)
    with pytest.raises(UsageError, match="60 topics are too many for 80 sections; ask for 40 or fewer"):
        topics_of_leaflets(topics=60)
    with pytest.raises(UsageError, match="40 sections are too few for BERTopic"):
        topics_of_leaflets(40, method="bertopic")


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first use of UMAP compiles it
@pytest.mark.extras("bertopic")
def test_bertopic_finds_the_same_topics_with_the_same_seed() -> None:
    options: dict[str, object] = {"method": "bertopic", "grid": ((5,), (3, 5)), "seed": 3}
    one = topics_of_leaflets(**options)
    assert one.method == "bertopic"
    assert len(one.sizes) >= 3
    assert all(one.labels[topic] for topic in one.sizes)
    assert [row.topic for row in one.rows] == [row.topic for row in topics_of_leaflets(**options).rows]
