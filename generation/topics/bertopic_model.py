"""BERTopic on a space that is already reduced: HDBSCAN, topics merged to a bound, words by class-based TF-IDF."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError
from ...installation import pip_command
from ...judges.litellm_lookup import load_litellm
from ...meta_eval.clustering import OUTLIER
from ...text.lemmas import stop_words
from .grid_search import density_model

if TYPE_CHECKING:
    from ...meta_eval.clustering import Labels, Vectors

_WORDS = 4


class BertopicModel(NamedTuple):
    """The topics that BERTopic found."""

    labels: "Labels"  # the topic of each section, shape (sections,), -1 for outliers
    words: dict[int, list[str]]  # the words of each topic, the highest weight first


def fit_bertopic(
    texts: Sequence[str], vectors: "Vectors", smallest: int, most_topics: int | None, languages: Sequence[str]
) -> BertopicModel:
    """Finds topics with BERTopic. Reaches no network."""
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    load_litellm()  # BERTopic imports litellm where it is installed; loaded by us first, it stays off the network
    try:
        from bertopic import BERTopic
        from bertopic.dimensionality import BaseDimensionalityReduction
    except ImportError as error:
        raise UsageError(
            "topics of a collection of this size need BERTopic: install it without the torch that it would bring "
            f"({pip_command('--no-deps', 'bertopic')}), or use --method plain"
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
        int(topic): [word for word, _ in weighted_words[:_WORDS] if word]
        for topic, weighted_words in model.get_topics().items()
        if topic != OUTLIER
    }
    return BertopicModel(np.array(labels, dtype=np.int64), words)
