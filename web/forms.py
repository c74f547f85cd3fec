"""What a form of our pages sends, as texts that a store can keep."""

import json
import re
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException

from ..errors import UsageError

_LEVEL = re.compile(r"-?[0-9]{1,9}")


class Form:
    """The fields of a form that a page of ours sent (`application/x-www-form-urlencoded`).

    Raises:
        HTTPException: A field has a zero character, which no browser sends and no database keeps (status 400).
    """

    def __init__(self, body: bytes) -> None:
        self._fields = parse_qs(body.decode("latin-1"), keep_blank_values=True, errors="replace")
        if any("\0" in value for values in self._fields.values() for value in values):
            raise HTTPException(400, "A field has a zero character. Send the form from its page.")

    def text(self, name: str) -> str:
        """A field as text; empty where it is missing."""
        return self._fields.get(name, [""])[0]

    def texts(self, name: str) -> list[str]:
        """All values of a field, such as the boxes that are ticked."""
        return self._fields.get(name, [])

    def json_text(self, name: str) -> str:
        """A text that the page wrote as JSON, because a browser changes line ends in a form; empty where it is none."""
        try:
            value = json.loads(self.text(name))
            is_text = isinstance(value, str) and bool(value.encode()) and "\0" not in value
        except (ValueError, RecursionError):  # half of a surrogate pair ("\ud800") is no text of ours either
            return ""
        return value if is_text else ""

    def level(self, name: str) -> float:
        """A level of a rating scale."""
        if not _LEVEL.fullmatch(self.text(name)):
            raise UsageError("choose a rating")
        return float(self.text(name))
