"""BERTopic on a space that is already reduced: HDBSCAN, topics merged to a bound, words by class-based TF-IDF."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError
from ...judges.completion import load_litellm
from .grid_search import density_model
from .section_topic import OUTLIER
from .topic_words import stop_words

if TYPE_CHECKING:
    from .measures import Labels, Vectors

_WORDS = 4


class BertopicModel(NamedTuple):
    """A topic a section (-1: outlier), and each topic's words, the best first."""

    labels: "Labels"
    words: dict[int, list[str]]


def fit_bertopic(
    texts: Sequence[str], vectors: "Vectors", smallest: int, most_topics: int | None, languages: Sequence[str]
) -> BertopicModel:
    """Topics of texts by BERTopic; `vectors` (texts, dimensions) are the reduced ones. Reaches no network.

    Raises `UsageError` where BERTopic is not installed.
    """
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    # BERTopic imports litellm where it is installed; loaded by us, it stays off the network
    load_litellm()
    try:
        from bertopic import BERTopic
        from bertopic.dimensionality import BaseDimensionalityReduction
    except ImportError as error:
        raise UsageError(
            "topics of a collection of this size are made by BERTopic: pip install --no-deps bertopic "
            "(what it needs comes with assay[generation]); or choose --method plain"
        ) from error
    model = BERTopic(
        embedding_model=None,
        umap_model=BaseDimensionalityReduction(),
        hdbscan_model=density_model(smallest),
        vectorizer_model=CountVectorizer(
            token_pattern=r"(?u)\b[^\W\d_]{3,}\b", stop_words=stop_words(languages) or None
        ),
        nr_topics=most_topics,
        calculate_probabilities=False,
        verbose=False,
    )
    labels, _ = model.fit_transform(list(texts), embeddings=vectors)
    words = {
        int(topic): [word for word, _ in found[:_WORDS] if word]
        for topic, found in model.get_topics().items()
        if topic != OUTLIER
    }
    return BertopicModel(np.array(labels, dtype=np.int64), words)
