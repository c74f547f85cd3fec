"""The pages of watches: the list, and a watch with its charts, alarms and segments."""

from datetime import timedelta

import pytest
from hostile_texts import HOSTILE_TEXTS
from memory_traces import NOON, MemoryTraces, trace
from web_process import enter, page_text

from assay.meta_eval import Estimate
from assay.meta_eval.monitoring import BoundState, Look, SegmentLook
from assay.runs import Store
from assay.traces import StepTools, WatchSettings, take_step

httpx = pytest.importorskip("httpx")
HOSTILE = "</title><script>window.ranScripts = 1</script><img src=x onerror=alert(1)>"
SOURCE = "phoenix://traces.example:6006/bot"


class Days:
    """A look function whose mean falls below the bound on the fourth day and comes back on the seventh."""

    def __init__(self):
        self.count = 0

    def __call__(self, answers, settings, first_day):
        self.count += 1
        value = 3.1 if 4 <= self.count <= 6 else 4.2
        mean, bad = Estimate(value, value - 0.4, value + 0.4), Estimate(0.12, 0.02, 0.3)
        states = []
        for entry in settings.bounds:
            is_broken = entry.bound.kind == "mean" and value < 3.6
            sentence = f"The mean fell to {value}. {HOSTILE}" if is_broken else "The mean is kept."
            estimate = mean if entry.bound.kind == "mean" else bad
            since, beyond = 3 if is_broken else None, entry.bound.kind == "fall"
            states.append(BoundState(entry.bound, is_broken, estimate, 0.01, since, sentence, beyond))
        segments = tuple(SegmentLook("language", name, 5, mean, bad) for name in ("nl", HOSTILE))
        return Look(
            self.count,
            len(answers.days),
            len(answers.days),
            2,
            mean,
            bad,
            segments,
            tuple(states),
            (f"A note {HOSTILE}",),
        )


def fill_watch(folder, name="support bot", days=8, per_day=6):
    traces = MemoryTraces()
    store = Store(folder / ".assay")
    settings = WatchSettings.model_validate(
        {
            "name": name, "source": SOURCE, "metric": "rouge_l_precision", "folder": folder, "since": "30d",
            "budget": {"judged_per_day": 500}, "bounds": [{"mean": 3.6}, {"bad_share": 0.25}, {"fall": 0.01}],
            "ratings": {"raters": ["ada", "bob"], "per_day": 5}, "push": False,
            "sample": {"share": 1}, "segments": ["language"],
        }
    )  # fmt: skip
    look = Days()
    for day in range(days):
        now = NOON + timedelta(days=day)
        for number in range(per_day):
            text = HOSTILE_TEXTS[(day * per_day + number) % len(HOSTILE_TEXTS)]
            at = now - timedelta(hours=1, seconds=number)
            one = trace(f"{day}-{number}{'<b>' if number == 0 else ''}", at, user_input=text, response=f"{text} Leave.")
            traces.traces.append(one)
        tools = StepTools(
            open_source=lambda _: traces, open_sink=lambda _: traces, look=look, clock=lambda moment=now: moment
        )
        take_step(settings, store, tools)
    store.close()


@pytest.fixture(scope="module")
def site(view_site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("watches")
    fill_watch(folder)
    fill_watch(folder, HOSTILE[:80], days=1)
    return view_site(folder)


@pytest.fixture
def client(site):
    with enter(site) as client:
        yield client


def test_watches_are_listed_there_and_on_the_first_page(client):
    page = client.get("/watches").text
    assert "support bot" in page
    assert "no alarm" in page_text(page)
    assert "4.20 [3.80, 4.60]" in page_text(page).replace("−", "-")
    assert '<a href="/watch?name=support+bot">' in page
    assert "/watch?name=support%20bot" in client.get("/runs").text
    assert "<script>window" not in page


def test_a_watch_shows_its_estimates_bounds_alarms_and_segments(client):
    response = client.get("/watch", params={"name": "support bot"})
    assert response.status_code == 200
    page, words = response.text, page_text(response.text)
    assert page.count("<figure") == 2
    assert page.count('class="limit"') == 2
    assert page.count('<rect class="alarm-time"') == 1, "the alarm that stood for three looks"
    assert page.count('<circle class="point"') == 16
    for text in (
        "Alarms none yet; beyond a bound, not yet sure by days",
        "mean at least 3.6 kept",
        "bad share at most 25% kept",
        "fall of the mean at most 0.01 above the bound not yet sure by days",
        "language nl",
        "Alarms that cleared",
        "The mean fell to 3.1.",
        "since 2026-11-",
        "5 answers to read",
        "assay rate rating-",
    ):
        assert text.lower() in words.lower(), text
    assert page.count('href="/run/') == 5, "each answer's page"
    assert "<script>window" not in page


def test_a_standing_alarm_comes_first(view_site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("standing")
    fill_watch(folder, days=5)
    with enter(view_site(folder)) as client:
        page = client.get("/watch", params={"name": "support bot"}).text
        assert page.index("Alarms that stand") < page.index("Estimates over time")
        assert "1 alarm" in page_text(client.get("/watches").text)


@pytest.mark.parametrize("path", ["/watch?name=unknown", "/watch", "/watch?name=x&page=-1"])
def test_an_unknown_watch_is_said(client, path):
    response = client.get(path)
    assert response.status_code in {400, 404}
    assert "no watch is called" in page_text(response.text)


def test_who_has_no_link_sees_nothing(site):
    for path in ("/watches", "/watch?name=support+bot"):
        assert httpx.get(site.address + path).status_code == 403


def test_a_store_without_watches_says_how_to_begin_one(view_site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("none")
    Store(folder / ".assay").close()
    with enter(view_site(folder)) as client:
        assert "assay watch watch.yaml begins one" in page_text(client.get("/watches").text)


@pytest.mark.parametrize("width", [1280, 390])
def test_no_script_runs_and_nothing_overflows(open_page, site, width, tmp_path):
    page = open_page(width)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: (errors.append(dialog.message), dialog.dismiss()))
    page.goto(site.link)
    for path in ("/watches", "/watch?name=support+bot"):
        page.goto(site.address + path)
        page.screenshot(path=tmp_path / "page.png", full_page=True)
        assert page.evaluate("window.ranScripts || 0") == 0
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, path
    assert not errors
