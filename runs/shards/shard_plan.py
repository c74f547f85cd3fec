"""What is done with each shard: enough to do it in any process of any machine, as JSON."""

import hashlib
from collections.abc import Mapping
from functools import cached_property

from pydantic import BaseModel, ConfigDict

from ...arguments import check_type
from ...eval_sets import Sample
from ...eval_sets.rating_column import RatingColumn
from ...judges import JudgeSettings, Mode
from ...metrics.specification import BASELINES
from ...prompts import Prompts
from ...prompts.prompt import parse_prompt
from ..plan import judge_identity


class ShardPlan(BaseModel):
    """What `score_shard` does with the rows of a shard.

    Attributes:
        metrics: Names of the catalogue. The baselines are always added.
        judge: Who answers the questions of the metrics; None without a judge.
        embedder: `use`, `st:MODEL` or `litellm:MODEL`.
        own_prompts: Your own prompts over the bundled ones: the text of each file by its name (`claims.nl.md`).
        mapping: Renames columns, theirs to ours.
        language: The language of rows that name none; None to detect it.
        rating_columns: The columns that are read as `rating` or as the ratings of raters where a row has none.
        cassette: The file of recorded replies, which every process must be able to read, or `bundled:NAME`. It is only
            read: new replies are in the column `replies` of the result.
        mode: How the cassette is used: `replay` (no model is asked), `auto` (the model is asked what is missing),
            `record` or `off` (the cassette is not read).
        concurrency: Calls at once; None for as many as the judge's settings say.

    Example:
        >>> plan = ShardPlan(metrics=("token_overlap",))
        >>> ShardPlan.model_validate_json(plan.model_dump_json()) == plan
        True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    metrics: tuple[str, ...]
    judge: JudgeSettings | None = None
    embedder: str = "use"
    own_prompts: Mapping[str, str] = {}
    mapping: Mapping[str, str] = {}
    language: str | None = None
    rating_columns: tuple[RatingColumn, ...] = ()
    cassette: str | None = None
    mode: Mode = "auto"
    concurrency: int | None = None

    @property
    def all_metrics(self) -> tuple[str, ...]:
        """The metrics asked for, then the baselines, which stand in every table."""
        return tuple(dict.fromkeys((*self.metrics, *BASELINES)))

    @property
    def prompts(self) -> Prompts:
        """The prompts of the metrics."""
        own = {}
        for file, text in self.own_prompts.items():
            name, language, _ = file.split(".")
            own[name, language] = parse_prompt(text, name, language, file)
        return Prompts(own)

    @cached_property
    def identity(self) -> str:
        """12 hexadecimal digits over what determines the scores of a sample, and not where or how fast they are made.

        How columns are read is not in it: the sample's own content says what was read.
        """
        content = self.model_dump_json(include={"metrics", "embedder", "own_prompts"}) + judge_identity(self.judge)
        return hashlib.sha256(content.encode()).hexdigest()[:12]


def content_key(sample: Sample, plan: ShardPlan) -> str:
    """Returns 32 hexadecimal digits over a sample's whole content and what determines its scores.

    Two samples with one key get the same scores, so that one of them need not be scored.
    """
    check_type("sample", sample, Sample, "a Sample")
    check_type("plan", plan, ShardPlan, "a ShardPlan")
    return hashlib.sha256(f"{plan.identity}\x1e{sample.model_dump_json()}".encode()).hexdigest()[:32]
