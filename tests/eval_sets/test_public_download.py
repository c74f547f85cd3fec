"""Downloading public sets from a local server: checked, whole or not at all, refused where something is wrong."""

from hashlib import sha256

import pytest
from api_server import Reply
from public_originals import BEGIN_HEAD, BEGIN_ROWS, FileServer, as_bytes, break_off, tau_trajectories

from assay.errors import InputError
from assay.eval_sets import cached_path, download_public_set, load_facts, load_set

LABELS = "gpt-4o-airline.json"
CONTENT = as_bytes(tau_trajectories(4, tasks=50))


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with FileServer({LABELS: CONTENT}) as started:
        monkeypatch.setenv("ASSAY_PUBLIC_SETS", started.url)
        yield started


def cached():
    facts = load_facts("tau")
    return cached_path(facts, facts.files[0].path)


def test_a_set_is_downloaded_once_and_then_read_by_name(server):
    facts = load_facts("tau")
    assert download_public_set("tau") == (200, (facts.files[0].path,))
    assert server.paths() == [f"/{facts.repository}/{facts.commit}/{facts.files[0].path}"]
    assert (download_public_set("public:tau").new, len(server.calls)) == ((), 1)
    samples = load_set("public:tau", notes=[])
    assert [sample.id for sample in samples] == [
        f"tau-airline-{task}-gpt-4o-{trial}" for task in range(50) for trial in range(4)
    ]
    assert samples[0].response == "It is cancelled."
    assert len(server.calls) == 1
    assert [path.name for path in cached().parent.iterdir()] == [LABELS]


def test_nothing_is_downloaded_unless_it_is_asked_for(server):
    with pytest.raises(InputError) as raised:
        load_set("public:tau")
    message = str(raised.value)
    assert message.startswith("public:tau: is not downloaded; get it once with: assay sets get tau --yes")
    for words in (server.url, "MIT", "public_sets", "1 file"):
        assert words in message
    assert server.calls == []


def test_a_file_of_another_checksum_is_refused_and_leaves_nothing(server):
    server.files |= dict.fromkeys(("begin_dev_wow.tsv", "begin_test_wow.tsv"), (BEGIN_HEAD + BEGIN_ROWS).encode())
    with pytest.raises(InputError) as raised:
        download_public_set("begin")
    message = str(raised.value)
    assert "wow/begin_dev_wow.tsv: cannot be downloaded" in message
    for checksum in (load_facts("begin").files[0].sha256, sha256((BEGIN_HEAD + BEGIN_ROWS).encode()).hexdigest()):
        assert checksum in message
    assert not cached().exists()


def test_a_connection_that_breaks_off_leaves_nothing(server):
    server.script = lambda call: break_off(CONTENT, len(CONTENT) // 3)
    with pytest.raises(InputError, match=r"cannot be downloaded .*; give the command again"):
        download_public_set("tau")
    assert not cached().exists()
    server.script = lambda call: None
    download_public_set("tau")
    assert cached().read_bytes() == CONTENT


def test_no_network_is_told_with_its_cure(server, monkeypatch):
    with FileServer({}) as stopped:
        address = stopped.url
    monkeypatch.setenv("ASSAY_PUBLIC_SETS", address.replace("//", "//me:secret@"))
    with pytest.raises(InputError) as raised:
        download_public_set("tau")
    assert "check the network, HTTPS_PROXY and the disk, or name a mirror" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_disk_that_takes_nothing_is_told_and_keeps_nothing(server, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.move", refuse)
    with pytest.raises(InputError, match=r"cannot be downloaded .*No space left on device.*the disk"):
        download_public_set("tau")
    assert list(cached().parent.iterdir()) == []


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(200, b""), "is not JSON"),
        (Reply(200, "<html>Log in</html>"), "is not JSON"),
        (Reply(200, {"message": "too many requests"}), "is an object, not a list"),
        (Reply(200, []), "has 0 answers"),
        (Reply(200, CONTENT[: len(CONTENT) // 2]), "gpt-4o-airline.json: "),
        (Reply(200, b'[\n"\xff"]'), "gpt-4o-airline.json: byte 3 is not UTF-8"),
    ],
)
def test_what_comes_first_and_is_not_the_data_leaves_nothing_behind(server, reply, words):
    server.script = lambda call: reply
    with pytest.raises(InputError) as raised:
        download_public_set("tau")
    assert words in str(raised.value)
    assert "; get it again: assay sets get tau" in str(raised.value)
    assert not cached().exists()
    server.script = lambda call: None
    download_public_set("tau")
    assert len(load_set("public:tau", notes=[])) == 200


def test_a_cached_file_that_cannot_be_read_is_told_with_its_cure(server):
    cached().parent.mkdir(parents=True)
    cached().write_bytes(CONTENT[:-1])
    with pytest.raises(InputError) as raised:
        load_set("public:tau")
    cure = f"; get it again: assay sets get tau (first remove {cached()}, if it is there)"
    assert str(raised.value).endswith(cure)
