"""A provider's batch API: requests handed in as a file, answered within a day at a lower price."""

from .batch_queue import BatchQueue
from .batch_status import BatchProgress, ask_progress

__all__ = ["BatchProgress", "BatchQueue", "ask_progress"]
