"""What the question alone predicts of the rating: a metric that agrees no better may know nothing of the answer."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .arrays import Floats, Places
from .groups import FEWEST_TO_CHOOSE, grouped_folds
from .table import QUESTION_ONLY, ScoreTable

_FOLDS = 10


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
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import Ridge

    lengths = np.log1p([len(question.split()) for question in questions])[:, None]
    predicted = np.full(len(questions), np.nan)
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+")  # no rating takes part
    variables = hstack([words.fit_transform(questions), lengths]).tocsr()
    for held_out in grouped_folds(groups, _FOLDS, seed=seed):
        training = np.setdiff1d(np.arange(len(questions)), held_out)
        model = Ridge(alpha=1.0).fit(variables[training], ratings[training])
        # without its training mean: a fold with good ratings leaves worse ones to be fitted, and would be opposed
        offset = ratings.mean() - ratings[training].mean()
        predicted[held_out] = model.predict(variables[held_out]) + offset
    return predicted
