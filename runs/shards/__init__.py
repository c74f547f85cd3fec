"""Scoring by shards: Parquet in, Parquet out, so that any engine that maps shards can drive it."""

from .score_shard import ShardScorer, score_shard
from .shard_plan import ShardPlan, content_key
from .shard_run import ShardOptions, run_shards

__all__ = ["ShardOptions", "ShardPlan", "ShardScorer", "content_key", "run_shards", "score_shard"]
