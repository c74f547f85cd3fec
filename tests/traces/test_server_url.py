"""Where the server of an address is."""

import pytest

from assay.errors import InputError, UsageError
from assay.traces import find_server_url


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("localhost", "http://localhost:3000"),
        ("localhost:80", "http://localhost:80"),
        ("127.0.0.1", "http://127.0.0.1:3000"),
        ("[::1]", "http://[::1]:3000"),
        ("[::1]:7007", "http://[::1]:7007"),
        ("localhost.example.org", "https://localhost.example.org"),
        ("127.example.org", "https://127.example.org"),
        ("example.org:443", "https://example.org:443"),
        ("example.org:8080", "http://example.org:8080"),
        ("TRACES.example.org", "https://TRACES.example.org"),
    ],
)
def test_a_key_goes_by_http_only_where_the_host_says_so(host, url):
    assert find_server_url(host, (), port=3000) == url


@pytest.mark.parametrize("host", ["example.org:port", "example.org:99999", "[::1", "[::::]]", "a b", "a/b", "a@b", ":"])
def test_what_is_no_host_is_an_error(host):
    with pytest.raises(UsageError, match="is no host"):
        find_server_url(host, (), port=3000)


def test_the_environment_names_a_server_without_keys(monkeypatch):
    def find(host, **options):
        names = ("OTHER_URL", "THE_URL")
        return find_server_url(host, names, port=3000, default="https://cloud", **options)

    assert find("") == "https://cloud"
    monkeypatch.setenv("THE_URL", " https://Example.org:8443/base/ ")
    assert find("") == find("example.org:8443") == "https://Example.org:8443/base"
    assert find("another.org") == "https://another.org"
    for wrong in ("https://key@example.org", "example.org", "ftp://example.org", "https://[x", "sqlite:///a.db"):
        monkeypatch.setenv("THE_URL", wrong)
        with pytest.raises(InputError, match="THE_URL is no URL") as caught:
            find("")
        assert "key@" not in str(caught.value)
        assert find("example.org") == "https://example.org"
    monkeypatch.setenv("THE_URL", "https://ann:key@example.org/base")
    assert find("", takes_user=True) == find("example.org", takes_user=True) == "https://ann:key@example.org/base"
    monkeypatch.setenv("OTHER_URL", "https://first.org")
    assert find("") == "https://first.org"


def test_no_server_at_all_is_said():
    with pytest.raises(UsageError, match="name the server: write HOST:5000 before the project, or set THE_URL"):
        find_server_url("", ("THE_URL",), port=5000)
