"""Links, sessions and proxies: no header opens a door, a changed secret closes all.

The oracle: which links were printed, which were made up, and which secret the store has now.
"""

import re
import sqlite3
import sys
from collections.abc import Callable
from urllib.parse import quote, urlsplit

import pytest
from web_process import WebProcess, hidden_fields, write_run

from assay.eval_sets import Sample, write_set

pytest.importorskip("uvicorn")

RATE = ("rate", "set.jsonl", "--raters", "ada,bob")
PUBLIC = "https://rate.example.org"
LONG_ID = "".join(f"ü{number}" for number in range(700))
Serve = Callable[..., WebProcess]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems answer at 127.0.0.1 alone")


@pytest.fixture
def folder(tmp_path):
    """A folder with a set and a run of it."""
    answers = [Sample(id=name, user_input="How?", response="Press OK.", language="en") for name in ("s0", LONG_ID)]
    write_set(answers, tmp_path / "set.jsonl")
    write_run(tmp_path / ".assay", answers)
    return tmp_path


@pytest.fixture
def serve(warm_python, folder):
    """Starts a command that serves pages."""
    servers = list[WebProcess]()

    def start(*words, **options):
        servers.append(WebProcess(warm_python, folder, *words, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()
    assert not [server.errors for server in servers if "Traceback" in server.errors]


def path_of(link):
    return urlsplit(link).path


def forge(link, number):
    """A link like a real one with another signature."""
    content, _, signature = path_of(link).rpartition(".")
    return f"{content}.{number:04d}{signature[4:]}"


def header(reply, name):
    match = re.search(rf"^{name}: (.*?)\r$", reply.text.partition("\r\n\r\n")[0] + "\r\n", re.MULTILINE | re.IGNORECASE)
    return match[1] if match else ""


@pytest.mark.parametrize("variable", ["", "*"])
def test_no_header_makes_a_visitor_another_one(serve, monkeypatch, variable):
    """Without --behind-proxy neither the headers of proxies nor uvicorn's variable say who asks, or where."""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", variable)
    server = serve(*RATE)
    link = server.links["ada"]
    assert server.get(forge(link, 1), x_forwarded_for="127.0.0.1").status == 403
    entered = server.get(
        path_of(link), x_forwarded_proto="https", x_forwarded_host="evil.example", forwarded="host=evil"
    )
    assert entered.status == 303 and header(entered, "location") == "/rate"
    assert "secure" not in header(entered, "set-cookie").lower()


@on_linux
def test_behind_a_proxy_the_public_address_counts(serve: Serve) -> None:
    """Links, cookies and the Origin follow what was typed."""
    server = serve(*RATE, "--behind-proxy", f"{PUBLIC}/")
    assert all(link.startswith(f"{PUBLIC}/enter/") for link in server.links.values())
    link = server.links["ada"]
    own = f"127.0.0.1:{server.port}"
    for host in ("rate.example.org", "RATE.example.org:443", own):  # as proxies pass it on, or write their own
        entered = server.get(path_of(link), host=host)
        assert entered.status == 303 and "secure" in header(entered, "set-cookie").lower()
        cookie = entered.cookie
        fields = hidden_fields(server.get("/rate", cookie, host=host).text) | {"value": "3"}
        assert server.post("/rate", cookie, fields, host=host, origin=f"http://{own}").status == 403
        assert server.post("/rate", cookie, fields, host=host, origin="http://rate.example.org").status == 403
        assert server.post("/rate", cookie, fields, host=host, origin=PUBLIC).status == 303
        assert server.post("/undo", cookie, fields, host=host, origin=PUBLIC).status == 303

        assert header(server.get("/rate/", cookie, host=host, x_forwarded_proto="http"), "location") == f"{PUBLIC}/rate"
    assert server.get("/rate", host="evil.example").status == 400


def test_the_link_for_a_colleague_leads_to_the_public_address(serve):
    """Also where the answer's id is long, and whatever the port in the Host header."""
    server = serve("view", "--behind-proxy", PUBLIC)
    (link,) = server.links.values()
    page = server.get(
        f"/run/last/answer?id={quote(LONG_ID)}", server.get(path_of(link)).cookie, x_forwarded_host="evil.example"
    )
    (shared,) = re.findall(r'class="copied" readonly value="([^"]+)"', page.text)
    assert shared.startswith(f"{PUBLIC}/enter/")
    entered = server.get(path_of(shared))
    assert entered.status == 303
    assert server.get(header(entered, "location"), entered.cookie).status == 200


@on_linux
def test_a_server_on_all_addresses_answers_to_those_it_is_reached_at(serve: Serve) -> None:
    """Its links have the machine's name; a foreign name that leads to this machine is refused."""
    import socket

    server = serve(*RATE, "--host", "0.0.0.0")
    name, port = socket.gethostname(), server.port
    assert server.links["ada"].startswith(f"http://{name}:{port}/enter/")
    for host, status in [
        (f"127.0.0.1:{port}", 303), (f"localhost:{port}", 303), (f"{name}:{port}", 303), (f"{name.upper()}", 303),
        (f"10.1.2.3:{port}", 400), ("evil.example", 400), (f"evil@127.0.0.1:{port}", 400),
        ("127.0.0.1.evil.example", 400), (f"0x7f.1:{port}", 400), ("2130706433", 400),
    ]:  # fmt: skip
        assert server.get(path_of(server.links["ada"]), host=host).status == status, host


def change_secret(folder, statement):
    """Changes a store as another program would, while its servers run."""
    connection = sqlite3.connect(folder / ".assay" / "runs.sqlite")
    with connection:
        connection.execute(statement)
    connection.close()


def test_a_changed_secret_ends_links_and_sessions_at_once_in_every_process(serve, folder):
    servers = [serve(*RATE), serve(*RATE)]
    entered = [(server, server.enter("ada"), path_of(server.links["ada"])) for server in servers]
    forms = [hidden_fields(server.get("/rate", cookie).text) | {"value": "3"} for server, cookie, _ in entered]
    assert len({link for *_, link in entered}) == 1  # one queue, one secret
    change_secret(folder, "UPDATE rating_queues SET secret = 'another'")
    for (server, cookie, link), form in zip(entered, forms, strict=True):
        statuses = [
            server.get("/rate", cookie).status, server.get(link).status, server.post("/rate", cookie, form).status,
            server.post("/undo", cookie, form).status,
        ]  # fmt: skip
        assert statuses == [403, 403, 403, 403]
    third = serve(*RATE)  # prints links with the new secret: those work in all processes, without a restart
    for server, *_ in entered:
        reply = server.get(path_of(third.links["ada"]))
        assert reply.status == 303 and server.get("/rate", reply.cookie).status == 200


def test_new_links_end_the_earlier_ones(serve):
    """`--new-links` typed in another terminal: the first server's links and sessions end, and the ratings stay."""
    for words, name, home in ((RATE, "ada", "/rate"), (("view",), "", "/runs")):
        first = serve(*words)
        cookie = first.enter(name)
        assert first.get(home, cookie).status == 200
        second = serve(*words, "--new-links")
        for server in (first, second):
            assert server.get(home, cookie).status == 403
            assert server.get(path_of(first.links[name])).status == 403
            assert server.get(path_of(second.links[name])).status == 303
        assert serve(*words).links.keys() == second.links.keys()
        assert path_of(serve(*words).links[name]) == path_of(second.links[name])  # only when asked for


@pytest.mark.parametrize(("words", "name"), [(RATE, "ada"), (("view",), "")])
def test_new_links_that_cannot_be_printed_end_none(serve, assay, words, name):
    """The server runs, and the same is typed again with `--new-links`: the port is in use, all stays as it was."""
    server = serve(*words)
    cookie = server.enter(name)
    done = assay(*words, "--port", str(server.port), "--new-links")
    assert done.code == 2 and "cannot be listened on" in done.err
    assert server.get("/rate" if name else "/runs", cookie).status == 200
    assert server.get(path_of(server.links[name])).status == 303


@pytest.mark.parametrize(
    ("words", "name", "statement"),
    [
        (RATE, "ada", "DELETE FROM rating_queues"),
        (RATE, "ada", "UPDATE rating_queues SET secret = ''"),
        (("view",), "", "DELETE FROM view_access"),
        (("view",), "", "UPDATE view_access SET secret = ''"),
    ],
)
def test_without_a_secret_nobody_is_let_in(serve, folder, words, name, statement):
    """Also not who signs with an empty one."""
    from itsdangerous import URLSafeSerializer

    from assay.web import Access, Visitor

    server, home = serve(*words), "/rate" if name else "/runs"

    cookie = server.enter(name)
    change_secret(folder, statement)
    assert server.get(home, cookie).status == server.get(path_of(server.links[name])).status == 403
    role = "rater" if name else "editor"
    for secret in ("", "None"):
        token = URLSafeSerializer(secret, salt="assay link").dumps([role, name or role, ""])
        assert server.get(f"/enter/{token}").status == 403
    access = Access(None)
    forged = f"{access.cookie}={access.session_cookie(Visitor(role, name or role, 'x'))}"
    assert server.get(home, forged).status == 403


def test_the_cookies_of_a_hundred_queues_keep_nobody_out(serve):
    """A browser sends all cookies of a host, whatever the port: those of earlier queues on this machine too."""
    server = serve(*RATE)
    others = "; ".join(f"assay_{number:08x}={'x' * 130}" for number in range(180))
    assert server.get("/rate", f"{others}; {server.enter('ada')}").status == 200
