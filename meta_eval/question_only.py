"""What the question alone predicts of the rating: a metric that agrees no better may know nothing of the answer."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .arrays import Floats, Places
from .groups import FEWEST_TO_CHOOSE, cross_predict
from .table import QUESTION_ONLY, ScoreTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_FOLDS = 10
_PRECISION = 1e-12


def add_question_only(table: ScoreTable, questions: Sequence[str], *, seed: int = 0) -> ScoreTable:
    """Adds the baseline `question_only`: the rating predicted from the question, by fits without the answer's group.

    Returns the table with one more column, empty for unrated items; as it is where fewer than 20 rated items have a
    question, the questions are all the same, or the groups do not make two folds.
    """
    ratings = table.mean_rating
    places = np.flatnonzero(~np.isnan(ratings) & np.array([bool(question.strip()) for question in questions], bool))
    texts = [questions[int(place)] for place in places]
    if QUESTION_ONLY in table.metrics or len(places) < FEWEST_TO_CHOOSE or len(set(texts)) < 2:
        return table
    column = np.full(len(table.items), np.nan)
    column[places] = predict_from_questions(texts, ratings[places], table.group_numbers[places], seed=seed)
    if np.isnan(column[places]).any():
        return table
    scores = np.column_stack([table.scores, column])
    return replace(table, metrics=(*table.metrics, QUESTION_ONLY), scores=scores)


def predict_from_questions(questions: Sequence[str], ratings: Floats, groups: Places, *, seed: int = 0) -> Floats:
    """Predicts ratings from the words, pairs of words and length of questions, out of fold.

    Ridge regression (penalty 1) on tf-idf vectors of unit length and the logarithm of the number of words, fitted
    without the groups of the items that it predicts. All fits are brought to the mean of all ratings. Returns the
    predictions, (items,); NaN where the groups do not make two folds.

    Examples:
        "when" is always rated 1 and "where" 5:

        >>> questions = ["when is it", "where is it"] * 10
        >>> predicted = predict_from_questions(questions, np.tile([1.0, 5.0], 10), np.arange(20))
        >>> bool(predicted[::2].max() < 3 < predicted[1::2].min())
        True
    """
    from scipy.sparse.linalg import aslinearoperator, lsqr

    variables = _variables_of_texts(questions)  # no rating takes part

    def predict(training: Places, others: Places) -> Floats:
        means = variables[training].mean(axis=0)
        # the variables less their means, without a matrix in which no cell is 0
        ones, row_of_means = aslinearoperator(np.ones((len(training), 1))), aslinearoperator(means[None])
        centred = aslinearoperator(variables[training]) - ones @ row_of_means
        outcomes = ratings[training] - ratings[training].mean()
        weights = lsqr(centred, outcomes, damp=1.0, atol=_PRECISION, btol=_PRECISION)[0]
        # to the mean of all ratings and not of the training ones: a fold with good ratings leaves worse ones to be
        # fitted, and would be opposed
        return np.asarray(ratings.mean() + variables[others] @ weights - means @ weights)

    return cross_predict(predict, groups, _FOLDS, seed=seed)


def _variables_of_texts(texts: Sequence[str]) -> "csr_array":
    """The tf-idf of words and pairs of words, of unit length, and the logarithm of the number of words.

    As scikit-learn's `TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)`, whose import takes longer than all else
    that `assay meta` does with a small table.
    """
    from scipy.sparse import csr_array, hstack

    counts = []
    for text in texts:
        words = re.findall(r"\w+", text.lower())
        counts.append(Counter([*words, *map(" ".join, pairwise(words))]))
    texts_with = Counter(term for count in counts for term in count)
    column_of = {term: column for column, term in enumerate(texts_with)}
    rows = np.repeat(np.arange(len(texts)), [len(count) for count in counts])
    columns = np.array([column_of[term] for count in counts for term in count], np.intp)
    rarity = np.log((1 + len(texts)) / (1 + np.array(list(texts_with.values())))) + 1
    values = (1 + np.log([number for count in counts for number in count.values()])) * rarity[columns]
    values /= np.sqrt(np.bincount(rows, weights=values**2, minlength=len(texts)))[rows]
    words_of = csr_array((values, (rows, columns)), shape=(len(texts), len(column_of)))
    lengths = np.log1p([len(text.split()) for text in texts])[:, None]
    return hstack([words_of, csr_array(lengths)], format="csr")
