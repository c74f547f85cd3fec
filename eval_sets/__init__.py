"""What is judged: samples, reading and writing sets of them, and the bundled sets."""

from .bundled import bundled_sets
from .ragas_dataset import from_ragas, to_ragas
from .sample import Sample, Table
from .set_reader import load_set, read_samples, read_set
from .set_writer import write_set

__all__ = [
    "Sample",
    "Table",
    "bundled_sets",
    "from_ragas",
    "load_set",
    "read_samples",
    "read_set",
    "to_ragas",
    "write_set",
]
