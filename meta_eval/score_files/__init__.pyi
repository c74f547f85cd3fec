from .flat_rows import flat_rows as flat_rows, flatten as flatten
from .read_options import ReadOptions as ReadOptions
from .score_join import (
    JoinedScores as JoinedScores,
    join_sources as join_sources,
    read_score_files as read_score_files,
    read_score_table as read_score_table,
)
from .score_sources import (
    Item as Item,
    ScoreSource as ScoreSource,
    read_ratings as read_ratings,
    read_scores as read_scores,
)
