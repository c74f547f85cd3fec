"""Topics: Ward's clustering of the bundled leaflets."""

import asyncio
from functools import cache

import pytest

from assay.errors import InputError, UsageError
from assay.generation import Section, SectionTopic, extract_sections, find_topics
from assay.judges import load_embedder


@cache
def leaflet_sections() -> list[Section]:
    """The sections of the bundled leaflets."""
    return [section for each in extract_sections(["leaflets"]) for section in each.sections]


def topics_of_leaflets(count: int | None = None, *, topics: int | None = None) -> list[SectionTopic]:
    """The topics of the first sections; of all if no count is said."""
    return asyncio.run(find_topics(leaflet_sections()[:count], load_embedder("use"), topics=topics))


def test_a_collection_is_clustered_by_ward_without_any_randomness():
    rows = topics_of_leaflets(topics=8)
    assert [row.section for row in rows] == [section.id for section in leaflet_sections()]
    assert 2 <= len({row.topic for row in rows}) <= 8
    assert all(row.label for row in rows if row.topic >= 0)
    assert rows == topics_of_leaflets(topics=8)


def test_too_few_sections_and_too_many_topics_are_errors():
    with pytest.raises(InputError, match="3 sections are too few"):
        topics_of_leaflets(3)
    with pytest.raises(UsageError, match="60 topics are too many for 80 sections; ask for 40 or fewer"):
        topics_of_leaflets(topics=60)
