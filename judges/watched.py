"""A cassette that remembers which of its recordings were asked for."""

from pathlib import Path

from .cassette import Cassette
from .recording import Recording


class WatchedCassette(Cassette):
    """A cassette in replay; `used` holds the keys that were found."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, "replay")
        self.used: set[str] = set()

    def get(self, key: str) -> Recording | None:
        """As `Cassette.get`, remembering what was found."""
        found = super().get(key)
        if found is not None:
            self.used.add(key)
        return found
