"""What the sections are about: BERTopic with Assay's embedder, or Ward's clustering for small collections."""

from ...meta_eval.clustering import OUTLIER
from .discovery import Method, TopicDiscovery, find_topics
from .section_topic import SectionTopic, read_topics, write_topics

__all__ = ["OUTLIER", "Method", "SectionTopic", "TopicDiscovery", "find_topics", "read_topics", "write_topics"]
