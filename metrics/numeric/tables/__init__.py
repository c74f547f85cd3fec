"""Tables as numbers: read from texts and files, their columns and rows, and what their times reach over."""

from .cells import header_unit, read_cell, read_numbers
from .column_types import OUTCOME, stated_power, table_of
from .grids import Grid, grids_in_text
from .groups import GROUP_VALUES, group_rows, is_panel, repeats
from .rows import all_values, in_order, rows_of, values_of
from .sample_tables import tables_of_file, tables_of_sample
from .table import DAY, LENGTHS, STEPS, NamedTime, NumericTable, Period, Times, step_before, time_text, unit_of_period
from .time_columns import read_times
from .views import View, views

__all__ = [
    "DAY",
    "GROUP_VALUES",
    "LENGTHS",
    "OUTCOME",
    "STEPS",
    "Grid",
    "NamedTime",
    "NumericTable",
    "Period",
    "Times",
    "View",
    "all_values",
    "grids_in_text",
    "group_rows",
    "header_unit",
    "in_order",
    "is_panel",
    "read_cell",
    "read_numbers",
    "read_times",
    "repeats",
    "rows_of",
    "stated_power",
    "step_before",
    "table_of",
    "tables_of_file",
    "tables_of_sample",
    "time_text",
    "unit_of_period",
    "values_of",
    "views",
]
