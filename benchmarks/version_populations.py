"""Versions of a chatbot whose true mean ratings are known, drawn from answers that people rated."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import checkout  # noqa: F401
import numpy as np
from rated_agreement import score_samples

from assay import Sample, load_set
from assay.meta_eval import Bools, Floats, Places
from assay.meta_eval.decision import VersionTable
from assay.metrics import load_metric

MARGIN = 0.1
MEASURES = {"simulatorarena": "answer_length"}  # its answers have no contexts that their words could be of
CONCENTRATION = 4.0  # of a group's share of degraded answers, as a beta distribution


@dataclass(frozen=True, eq=False)
class Population:
    """Answers with a score on the scale of the ratings, which a line put there that other answers were fitted on."""

    name: str  # the set that they are of
    scores: Floats  # (answers,); NaN where the metric has no value
    ratings: Floats  # (answers,)
    groups: Places  # the group of each answer as a number from 0 without gaps, (answers,)
    scale: tuple[float, float]  # the lowest and the highest rating

    def __len__(self) -> int:
        """How many answers."""
        return len(self.ratings)

    def take(self, rows: Places | Bools) -> "Population":
        """Some of the answers, with their groups numbered anew."""
        groups = np.unique(self.groups[rows], return_inverse=True)[1]
        return Population(self.name, self.scores[rows], self.ratings[rows], groups, self.scale)

    def on_rating_scale(self, fitted: "Population") -> "Population":
        """The same answers with the scores that a line gives, fitted on the answers of `fitted`."""
        known = ~np.isnan(fitted.scores)
        slope, start = np.polyfit(fitted.scores[known], fitted.ratings[known], 1)
        scores = np.clip(start + slope * self.scores, *self.scale)
        return Population(self.name, scores, self.ratings, self.groups, self.scale)

    def split(self, random: np.random.Generator) -> "Population":
        """The answers of two thirds of the groups, scored by a line that is fitted on the others."""
        order = random.permutation(int(self.groups.max()) + 1)
        is_fitted = np.isin(self.groups, order[: max(2, len(order) // 3)])
        return self.take(~is_fitted).on_rating_scale(self.take(is_fitted))

    def with_other_rating(self, better: bool) -> list[Places]:
        """For each answer the answers that are rated better (or worse) than it; itself where there is none."""
        sign = 1 if better else -1
        by_rating = {
            rating: np.flatnonzero(sign * self.ratings > sign * rating) for rating in np.unique(self.ratings).tolist()
        }
        return [
            by_rating[rating] if len(by_rating[rating]) else np.array([row])
            for row, rating in enumerate(self.ratings.tolist())
        ]


def read_samples(samples: Sequence[Sample], name: str) -> Population:
    """Rated answers with their plain scores, on the metric's own scale."""
    metric = MEASURES.get(name, "token_overlap")
    scored = asyncio.run(score_samples(list(samples), load_metric(metric), 4))
    scores = [scored[sample.id].value for sample in samples]
    return Population(
        name,
        np.array([np.nan if score is None else score for score in scores], float),
        np.array([sample.human_rating for sample in samples], float),
        np.unique([sample.source for sample in samples], return_inverse=True)[1],
        (samples[0].rating_min, samples[0].rating_max),
    )


def read_population(folder: Path, name: str) -> Population:
    """The rated answers of a set."""
    return read_samples([s for s in load_set(folder / f"{name}.jsonl") if s.human_rating is not None], name)


@dataclass(frozen=True, slots=True)
class Change:
    """How a version differs from the one that it was made from."""

    # the share of questions with another answer that is as good on average: any answer, drawn at random
    other: float = 0.0
    share: float = 0.0  # the share of questions whose answer is then replaced by one with another rating
    better: bool = False  # whether these are better or worse
    within_group: bool = False  # whether the other answers are of the same group
    clustered: bool = False  # whether the share differs from group to group


@dataclass(frozen=True, eq=False)
class DrawnVersions:
    """Versions of the answers to some questions."""

    population: Population  # what the answers are of
    changes: tuple[Change, ...]  # how each version was made, in the order of the versions
    truth: Floats  # the mean rating of each version in the population, (versions,)
    rows: Places  # which answer each version gave, as a row of the population, (versions, questions)
    groups: Places  # the group of each question, (questions,)

    @property
    def differing(self) -> Places:
        """The questions whose answers differ."""
        return np.flatnonzero((self.rows != self.rows[0]).any(axis=0))

    @property
    def winner(self) -> int | None:
        """The version that is truly best; None where two are."""
        is_best = np.isclose(self.truth, self.truth.max())
        return int(np.argmax(is_best)) if is_best.sum() == 1 else None

    def table(self, rated: Places | None = None) -> VersionTable:
        """The answers as the decision reads them; the answers to the questions `rated` have their ratings."""
        versions, questions = self.rows.shape
        rows = self.rows.ravel()
        ratings = np.full((versions, questions), np.nan)
        if rated is not None:
            ratings[:, rated] = self.population.ratings[self.rows[:, rated]]
        numbers = np.tile(np.arange(questions), versions)
        return VersionTable(
            versions=tuple("ABCDEF"[:versions]),
            version=np.repeat(np.arange(versions), questions),
            question=numbers,
            group=np.tile(self.groups, versions),
            scores=self.population.scores[rows],
            ratings=ratings.ravel(),
            text=numbers * len(self.population) + rows,
            scale=self.population.scale,
        )

    def extended(self, random: np.random.Generator, questions: int) -> "DrawnVersions":
        """With so many further questions, of new groups."""
        groups = int(self.groups.max()) + 1
        mean_size = len(self.population) / (int(self.population.groups.max()) + 1)
        more = draw_versions(random, self.population, self.changes, 2 + int(2 * questions / mean_size))
        rows = np.concatenate([self.rows, more.rows[:, :questions]], axis=1)
        joined = np.concatenate([self.groups, more.groups[:questions] + groups])
        return DrawnVersions(self.population, self.changes, self.truth, rows, joined)


def draw_versions(
    random: np.random.Generator, population: Population, changes: tuple[Change, ...], groups: int
) -> DrawnVersions:
    """Draws groups of questions with replacement, and each version's answers to them.

    The answers of a population are the answers to questions of their own; a version gives these answers, but for its
    change. Its true mean is exact: an answer drawn at random is as good as the one it replaces, on average, and what a
    change to worse or better answers costs is known for each answer.
    """
    members = np.split(np.argsort(population.groups, kind="stable"), np.cumsum(np.bincount(population.groups))[:-1])
    drawn = [members[number] for number in random.integers(len(members), size=groups)]
    base = np.concatenate(drawn)
    group_of = np.repeat(np.arange(groups), [len(rows) for rows in drawn])
    versions, truth = [], []
    for change in changes:
        rows = base.copy()
        is_other = random.random(len(rows)) < change.other
        if change.within_group:
            rows[is_other] = [random.choice(members[population.groups[row]]) for row in rows[is_other]]
        else:
            rows[is_other] = random.integers(len(population), size=int(is_other.sum()))
        shares = np.full(groups, change.share)
        if change.clustered and 0 < change.share < 1:
            shares = random.beta(CONCENTRATION * change.share, CONCENTRATION * (1 - change.share), size=groups)
        donors = population.with_other_rating(change.better)
        for place in np.flatnonzero(random.random(len(rows)) < shares[group_of]):
            rows[place] = random.choice(donors[rows[place]])
        effects = [population.ratings[donors[row]].mean() - population.ratings[row] for row in range(len(population))]
        versions.append(rows)
        truth.append(population.ratings.mean() + change.share * np.mean(effects))
    return DrawnVersions(population, changes, np.array(truth), np.array(versions), group_of)
