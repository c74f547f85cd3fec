"""Where a tool's server is, from an address and the environment."""

import pytest

from assay.errors import InputError
from assay.traces.batch_sending import send_in_halves
from assay.traces.rest_calls import find_url


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost"),
        ("127.0.0.1", "http://127.0.0.1"),
        ("[::1]", "http://[::1]"),
        ("[::1]:3000", "http://[::1]:3000"),
        ("localhost.example.org", "https://localhost.example.org"),
        ("127.example.org", "https://127.example.org"),
        ("example.org:443", "https://example.org:443"),
        ("example.org:3000", "http://example.org:3000"),
        ("LANGFUSE.example.org", "https://LANGFUSE.example.org"),
    ],
)
def test_a_key_goes_by_http_only_where_the_host_says_so(host: str, url: str) -> None:
    assert find_url(host, (), "") == url


@pytest.mark.parametrize("host", ["example.org:port", "example.org:99999", "[::1"])
def test_what_is_no_host_is_an_error(host: str) -> None:
    with pytest.raises(InputError, match="is no host"):
        find_url(host, (), "")


def test_the_environment_names_a_server_without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_URL", "https://example.org:8443/base/")
    assert find_url("", ("OTHER", "THE_URL"), "https://cloud") == "https://example.org:8443/base"
    assert find_url("example.org:8443", ("THE_URL",), "") == "https://example.org:8443/base"
    assert find_url("another.org", ("THE_URL",), "") == "https://another.org"
    for wrong in ("https://key@example.org", "example.org", "ftp://example.org"):
        monkeypatch.setenv("THE_URL", wrong)
        with pytest.raises(InputError, match="THE_URL is no URL") as caught:
            find_url("", ("THE_URL",), "")
        assert "key@" not in str(caught.value)


def test_a_batch_is_halved_down_to_what_is_refused() -> None:
    posts: list[int] = []

    def post(some: object) -> str:
        assert isinstance(some, list)
        posts.append(len(some))
        return "no" if {7, 41} & {*some} else ""

    outcomes = list(send_in_halves(list(range(64)), post))
    assert [item for item, _ in outcomes] == list(range(64))
    assert [item for item, problem in outcomes if problem] == [7, 41]
    assert len(posts) < 30
    assert list(send_in_halves([], post)) == []
