"""Topics: the choice among the settings of BERTopic, and both methods on the bundled leaflets."""

import asyncio
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from assay.errors import InputError, JudgeError, UsageError
from assay.generation import Section, TopicDiscovery, best_setting, default_grid, extract_sections, find_topics
from assay.judges import Embedder, load_embedder
from assay.meta_eval import Measures


@cache
def leaflet_sections() -> list[Section]:
    """The sections of the bundled leaflets."""
    return [section for each in extract_sections(["leaflets"]) for section in each.sections]


def topics_of_leaflets(count: int | None = None, **options: object) -> TopicDiscovery:
    """The topics of the first sections; of all if no count is said."""
    return asyncio.run(find_topics(leaflet_sections()[:count], load_embedder("use"), **options))


def measures(topics: int, outliers: float, quality: float) -> Measures:
    return Measures(topics, outliers, quality, quality, -quality, quality, quality)


def test_the_best_mean_rank_wins_unless_topics_are_few_or_outliers_many():
    grid = [measures(2, 0.1, 0.9), measures(20, 0.1, 0.3), measures(22, 0.1, 0.5), measures(21, 0.7, 0.8)]
    assert best_setting(grid) == 2


def test_the_grid_grows_with_the_collection_to_that_of_the_paper():
    assert default_grid(13_216) == ([5, 10, 15], [10, 20, 30, 40, 50])
    assert default_grid(500) == ([5, 10, 15], [3, 4, 6, 8, 10])


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
    with pytest.raises(InputError, match="40 sections are too few for topics by bertopic"):
        topics_of_leaflets(40, method="bertopic")


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


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first use of UMAP compiles it
@pytest.mark.extras("bertopic")
def test_bertopic_finds_the_same_topics_with_the_same_seed():
    options: dict[str, object] = {"method": "bertopic", "grid": ((5,), (3, 5)), "seed": 3}
    topics = topics_of_leaflets(**options)
    assert [(cell.dimensions, cell.smallest) for cell in topics.cells] == [(5, 3), (5, 5)]
    assert sum(cell.chosen for cell in topics.cells) == 1
    assert topics.measures.robustness is not None
    labelled = {row.topic: row.label for row in topics.rows if row.topic >= 0}
    assert len(labelled) >= 3
    assert all(labelled.values())
    assert topics.rows == topics_of_leaflets(**options).rows
