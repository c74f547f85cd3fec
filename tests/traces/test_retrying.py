"""Where the server of an address is, calls that are made again, and what servers say."""

import pytest

from assay.errors import InputError, UsageError
from assay.traces import FailedAttempt, call_again, error_detail, find_server_url, send_in_halves, server_words


def failing(*failures):
    """Calls what fails so, one after the other, and then returns 7."""
    left = list(failures)

    def call():
        if left:
            raise left.pop(0)
        return 7

    return call_again(call)


def test_waits_are_as_long_as_the_server_asks_with_one_bound(waits):
    assert failing(*(FailedAttempt("busy", wait) for wait in (None, 7, None, 9999, 0))) == 7
    assert waits == [0.5, 7, 2, 120, 0]


def test_a_call_is_given_up_after_its_attempts_or_ten_minutes(waits):
    with pytest.raises(FailedAttempt, match="last") as error:
        failing(*(FailedAttempt("busy") for _ in range(5)), FailedAttempt("last"), FailedAttempt("never"))
    assert error.value.made == 6
    with pytest.raises(FailedAttempt, match="broken") as error:
        failing(*(FailedAttempt("broken", attempts=3) for _ in range(5)))
    assert (error.value.made, len(waits)) == (3, 5 + 2)


def test_what_will_not_pass_is_raised_at_once(waits):
    def call():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        call_again(call)
    assert waits == []


def test_what_a_server_says_is_short_without_keys_and_obeyed_by_nobody(monkeypatch):
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk-lf-of-the-environment")
    text = "a\x1b[2J\u202eb\ud83d key1 sk-lf-of-the-environment https://ann:pw@host " + "x" * 1_000_000
    words = server_words(text, ["key1"])
    assert words.isprintable()
    assert len(words) == 200
    assert words.startswith("a[2Jb? *** *** https://***@host xx")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"detail": "gone"}', "gone"),
        (b'{"error_code": "INTERNAL_ERROR", "message": ""}', "INTERNAL_ERROR"),
        (b"bad gateway", "bad gateway"),
        (b"<html>", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[" * 100_000, "[" * 199 + "\u2026"),
        (b'{"other": 1}', '{"other": 1}'),
    ],
)
def test_what_is_wrong_is_taken_out_of_any_body(content, words):
    assert error_detail(content) == words


def test_a_batch_is_halved_down_to_what_is_refused():
    posts = []

    def post(some):
        assert isinstance(some, list)
        posts.append(len(some))
        return "no" if {7, 41} & {*some} else ""

    outcomes = list(send_in_halves(list(range(64)), post))
    assert [item for item, _ in outcomes] == list(range(64))
    assert [item for item, problem in outcomes if problem] == [7, 41]
    assert len(posts) < 30
    assert list(send_in_halves([], post)) == []


def test_a_large_batch_is_sent_in_parts_and_given_up_where_all_are_refused_for_one_reason():
    posts = []

    def refuse(some):
        posts.append(len(some))
        return "full"

    assert {problem for _, problem in send_in_halves(range(100), refuse, most=40)} == {"full"}
    assert posts[0] == 40
    assert len(posts) < 30
    posts.clear()
    assert len(list(send_in_halves(range(100), refuse, most=40, is_about_one=lambda problem: True))) == 100
    assert posts.count(1) == 100


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
