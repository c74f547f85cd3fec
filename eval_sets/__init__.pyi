from .column_roles import propose_raters as propose_raters
from .columns import explain_missing as explain_missing
from .conversation import (
    is_single_answer as is_single_answer,
    is_turn as is_turn,
    measured_levels as measured_levels,
    turn_samples as turn_samples,
    with_turns as with_turns,
)
from .items import Item as Item, ScoreSource as ScoreSource
from .logs.human_ratings import (
    UNUSED as UNUSED,
    HumanRating as HumanRating,
    ObservedScales as ObservedScales,
    join_ratings as join_ratings,
)
from .logs.langfuse import read_scores as read_scores
from .message import FunctionCall as FunctionCall, Message as Message, ToolCall as ToolCall
from .message_times import is_before as is_before, read_time as read_time, readings as readings
from .preference import Preference as Preference, write_preferences as write_preferences
from .preference_reading import is_preference_file as is_preference_file, read_preferences as read_preferences
from .public.set_facts import (
    PublicSet as PublicSet,
    load_facts as load_facts,
    part_of as part_of,
    public_sets as public_sets,
)
from .public.set_files import OriginalFile as OriginalFile, cached_path as cached_path
from .public.set_rows import (
    download_public_set as download_public_set,
    is_in_part as is_in_part,
    read_rows as read_rows,
)
from .sample import Sample as Sample, Table as Table
from .score_columns import ReadOptions as ReadOptions
from .score_files import read_ratings as read_ratings, read_score_files as read_score_files
from .set_reader import (
    load_set as load_set,
    read_samples as read_samples,
    read_set as read_set,
)
from .set_writer import write_set as write_set
from .sources import bundled_sets as bundled_sets, flat_rows as flat_rows, flatten as flatten
from .table_files import read_table_file as read_table_file
from .text_files import escape_formula as escape_formula, unescape_formula as unescape_formula
from .thread import read_thread as read_thread
