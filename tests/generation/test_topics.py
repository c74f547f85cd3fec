"""TopicDiscovery: the measures, the choice among settings, and Ward's clustering of the bundled leaflets."""

import asyncio
from functools import cache

import pytest

from assay.errors import InputError, UsageError
from assay.generation import Section, TopicDiscovery, best_setting, default_grid, extract_sections, find_topics
from assay.judges import load_embedder
from assay.meta_eval import Measures


@cache
def leaflet_sections() -> list[Section]:
    """The sections of the bundled leaflets."""
    return [section for each in extract_sections(["leaflets"]) for section in each.sections]


def measures(topics: int, outliers: float, quality: float) -> Measures:
    return Measures(topics, outliers, quality, quality, -quality, quality, quality)


def test_the_best_mean_rank_wins_unless_topics_are_few_or_outliers_many():
    grid = [measures(2, 0.1, 0.9), measures(20, 0.1, 0.3), measures(22, 0.1, 0.5), measures(21, 0.7, 0.8)]
    assert best_setting(grid) == 2


def test_document_match_does_not_count_for_documents_of_many_subjects():
    one = Measures(10, 0.1, 0.6, 10, 1, 50, 40)
    other = Measures(10, 0.1, 0.5, 9, 2, 50, 99)
    assert best_setting([one, other], one_subject=False) == 0


def test_the_grid_grows_with_the_collection_to_that_of_the_paper():
    assert default_grid(13_216) == ([5, 10, 15], [10, 20, 30, 40, 50])
    assert default_grid(500) == ([5, 10, 15], [3, 4, 6, 8, 10])


def topics_of_leaflets(count: int | None = None, **options: object) -> TopicDiscovery:
    """The topics of the first sections; of all if no count is said."""
    return asyncio.run(find_topics(leaflet_sections()[:count], load_embedder("use"), **options))


def test_a_small_collection_is_clustered_by_ward_and_says_so():
    topics = topics_of_leaflets(topics=8)
    assert topics.method == "plain"
    assert "80 sections are fewer than 300" in topics.why
    assert [row.section for row in topics.rows] == [section.id for section in leaflet_sections()]
    assert len(topics.sizes) <= 8
    assert topics == topics_of_leaflets(topics=8)


def test_too_few_sections_and_too_many_topics_are_errors():
    with pytest.raises(InputError, match="3 sections are too few"):
        topics_of_leaflets(3)
    with pytest.raises(UsageError, match="60 topics are too many for 80 sections; ask for 40 or fewer"):
        topics_of_leaflets(topics=60)
    with pytest.raises(UsageError, match="40 sections are too few for BERTopic"):
        topics_of_leaflets(40, method="bertopic")


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first use of UMAP compiles it
@pytest.mark.extras("bertopic")
def test_bertopic_finds_the_same_topics_with_the_same_seed():
    options: dict[str, object] = {"method": "bertopic", "grid": ((5,), (3, 5)), "seed": 3}
    one = topics_of_leaflets(**options)
    assert one.method == "bertopic"
    assert len(one.sizes) >= 3
    assert all(one.labels[topic] for topic in one.sizes)
    assert [row.topic for row in one.rows] == [row.topic for row in topics_of_leaflets(**options).rows]
