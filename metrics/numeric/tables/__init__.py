"""Tables as numbers: read from texts and files, their columns and rows, and what their times reach over."""

from .cells import header_unit, read_cell, read_numbers
from .column_types import stated_power, table_of
from .derived_columns import OUTCOME
from .grid import Grid
from .rows import all_values, in_order, rows_of, values_of
from .sample_tables import tables_of_file, tables_of_sample
from .table import Period, Table, time_text
from .table_times import DAY, LENGTHS, STEPS, NamedTime, Times, step_before
from .text_tables import grids_in_text
from .time_columns import read_times
from .views import View, views

__all__ = [
    "DAY",
    "LENGTHS",
    "OUTCOME",
    "STEPS",
    "Grid",
    "NamedTime",
    "Period",
    "Table",
    "Times",
    "View",
    "all_values",
    "grids_in_text",
    "header_unit",
    "in_order",
    "read_cell",
    "read_numbers",
    "read_times",
    "rows_of",
    "stated_power",
    "step_before",
    "table_of",
    "tables_of_file",
    "tables_of_sample",
    "time_text",
    "values_of",
    "views",
]
