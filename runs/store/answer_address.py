"""The address of an answer's page in `assay view`, for its own pages and for whoever links to them."""

from urllib.parse import urlencode


def answer_url(run: str, sample: str) -> str:
    """Returns the address of the page of one answer, from the root of the site.

    Example:
        >>> answer_url("20260101-100000-ab12", "chat 7#3")
        '/run/20260101-100000-ab12/answer?id=chat+7%233'
    """
    return f"/run/{run}/answer?{urlencode({'id': sample})}"
