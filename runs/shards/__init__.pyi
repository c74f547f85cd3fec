from .score_shard import ShardScorer as ShardScorer
from .score_shard import score_shard as score_shard
from .shard_plan import ShardPlan as ShardPlan
from .shard_plan import content_key as content_key
from .shard_run import ShardOptions as ShardOptions
from .shard_run import run_shards as run_shards
