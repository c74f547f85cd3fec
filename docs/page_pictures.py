"""Makes the pictures of the rating and viewing pages: `python docs/page_pictures.py` (needs Chromium and playwright).

The run is that of the bundled helpdesk sets with recorded replies. Each page is taken at 1280 and 390 pixels, light and
dark, and a session that rates 20 answers by the keyboard is timed.
"""

import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pictures import BROWSERS, IMAGES, ROOT, write_report
from playwright.sync_api import sync_playwright

from assay.eval_sets import Sample, load_set, write_set
from assay.runs import Store
from assay.traces import StepTools, TraceOrigin, WatchSettings, take_step

WIDTHS = {1280: 900, 390: 844}
SCHEMES = ("light", "dark")
RATED = 20
_PAIR_GUIDELINE = "The better answer is true, and helps the customer further. A longer one is not better."
_GUIDELINE = "5: true and complete. 3: true, but something is missing. 1: something in it is not true."


def main() -> None:
    """Writes the pictures into docs/images."""
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        write_report(folder)
        (folder / "guideline.md").write_text(_GUIDELINE, encoding="utf-8")
        chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        browser_context = browser.new_context
        rate = ("rate", "helpdesk_en", "--raters", "ada,bob", "--guideline", "guideline.md", "--port", "0")
        with serving(folder, *rate) as links:
            time_session(browser, links[0])
            for page, picture in pages(browser_context, links[0], "rate"):
                page.keyboard.press("2")
                page.locator(".sentence input").nth(1).focus()
                page.screenshot(path=picture)
        write_versions(folder)
        (folder / "pairs.md").write_text(_PAIR_GUIDELINE, encoding="utf-8")
        pairs = ("rate", "today.jsonl", "new.jsonl", "--pairs", "--raters", "ada,bob", "--guideline", "pairs.md")
        with serving(folder, *pairs, "--port", "0") as links:
            for page, picture in pages(browser_context, links[0], "rate-pairs"):
                page.keyboard.press("1")
                page.screenshot(path=picture)
        with serving(folder, "view", "--port", "0") as links:
            for page, picture in pages(browser_context, links[0], "view-run"):
                page.locator("table a").first.click()
                page.wait_for_selector("section#figures")
                page.screenshot(path=picture)
            for page, picture in pages(browser_context, links[0], "view-answer"):
                page.locator("table a").first.click()
                page.wait_for_selector("section#figures")
                page.goto(f"{page.url}/answer?id=en-029")
                page.locator(".claim").first.hover()
                page.screenshot(path=picture)
            for page, picture in pages(browser_context, links[0], "view-failures"):
                page.locator("table a").first.click()
                page.wait_for_selector("section#figures")
                page.goto(f"{page.url}/failures")
                page.wait_for_selector(".failure-group")
                page.screenshot(path=picture)
        write_conversation(folder)
        with serving(folder, "rate", "last", "--raters", "ada,bob", "--store", "talk", "--port", "0") as links:
            for page, picture in pages(browser_context, links[0], "rate-conversation"):
                page.screenshot(path=picture)
        with serving(folder, "view", "--store", "talk", "--port", "0") as links:
            for page, picture in pages(browser_context, links[0], "view-conversation"):
                page.locator("table a").first.click()
                page.goto(f"{page.url}/answer?id=refund")
                page.screenshot(path=picture)
        write_watch(folder)
        with serving(folder, "view", "--store", "watched", "--port", "0") as links:
            picture_watch(browser_context, links[0])
        browser.close()


def write_versions(folder: Path) -> None:
    """Writes the answers of two versions: those of the bundled helpdesk, and the same without their last sentence."""
    rows = [row for row in load_set("helpdesk_en") if row.response.count(". ") > 1]
    shorter = [row.model_copy(update={"response": row.response.rpartition(". ")[0] + "."}) for row in rows]
    write_set(rows, folder / "today.jsonl")
    write_set(shorter, folder / "new.jsonl")


def write_conversation(folder: Path) -> None:
    """Writes a conversation, and a run of it and of each of its turns, into the folder's store `talk`."""
    call = {"id": "c1", "function": {"name": "find_booking", "arguments": '{"number": "K-4471"}'}}
    messages = [
        {"role": "system", "content": "- Ask for the booking number first.\n- A flexible rate is refunded in full."},
        {"role": "user", "content": "I cancelled my room. When do I get my money back?", "time": "2026-11-02T10:04"},
        {"role": "assistant", "content": "Please give me your **booking number**.", "time": "2026-11-02T10:04"},
        {"role": "user", "content": "It is K-4471.", "time": "2026-11-02T10:06"},
        {"role": "assistant", "tool_calls": [call], "time": "2026-11-02T10:06"},
        {"role": "tool", "tool_call_id": "c1", "content": '{"hotel": "Krone", "rate": "flexible", "paid": 120}'},
        {
            "role": "assistant",
            "content": "You get 120 euros back within 5 working days, on the card that you paid with.",
            "retrieved_contexts": ["Refunds of flexible rates take up to 5 working days."],
            "time": "2026-11-02T10:07",
        },
        {"role": "user", "content": "Thank you!", "time": "2026-11-02T10:08"},
        {"role": "assistant", "content": "You are welcome. Goodbye.", "time": "2026-11-02T10:08"},
    ]
    row = {"id": "refund", "language": "en", "messages": messages}
    (folder / "talk.jsonl").write_text(json.dumps(row), encoding="utf-8")
    words = ("run", "talk.jsonl", "--metrics", "token_overlap", "--turns", "each", "--store", "talk")
    subprocess.run([sys.executable, "-m", "assay", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


class _BotTraces:
    """Traces in memory, which a watch pulls."""

    def __init__(self) -> None:
        self.traces: list[tuple[Sample, datetime]] = []

    def read(self, since: datetime | None, until: datetime | None) -> Iterator[Sample]:
        """As `Source.read`."""
        for sample, at in self.traces:
            if (since is None or at >= since) and (until is None or at < until):
                yield sample


def write_watch(folder: Path) -> None:
    """Writes 24 days of a watch into the folder's store `watched`: from the 16th day on half of the answers are bad."""
    draw, source = random.Random(3), "phoenix://traces.example.org:6006/support"
    settings = WatchSettings.model_validate(
        {
            "name": "support bot",
            "folder": folder,
            "source": source,
            "metric": "rouge_l_precision",
            "push": False,
            "budget": {"judged_per_day": 30},
            "segments": ["model"],
            "bounds": [{"mean": 3.8}, {"bad_share": 0.25}],
        }
    )
    traces, store = _BotTraces(), Store(folder / "watched")
    for day in range(24):
        now = datetime(2026, 11, 1, 18, tzinfo=UTC) + timedelta(days=day)
        for number in range(60):
            at, name = now - timedelta(minutes=20 * number + 5), f"{draw.getrandbits(128):032x}"
            topic = draw.choice(["invoice", "holiday", "sick leave", "payslip"])
            context = f"Open the menu {topic.title()} and press Request. The {topic} is sent within a day."
            is_bad = draw.random() < (0.06 if day < 15 else 0.5)
            sample = Sample(
                id=name,
                user_input=f"How do I get my {topic}?",
                response=f"Call the office, they know about the {topic}." if is_bad else context,
                retrieved_contexts=(context,),
                language="en",
                ratings={"ada": draw.choice([1, 2, 2] if is_bad else [4, 5, 5])} if draw.random() < 0.4 else {},
                metadata={
                    "trace": TraceOrigin(source, name, time=at.isoformat()).as_json(),
                    "model": "bot-1" if day < 15 else "bot-2",
                },
            )
            traces.traces.append((sample, at))
        take_step(settings, store, StepTools(open_source=lambda _: traces, clock=lambda moment=now: moment))
    store.close()


def picture_watch(new_context: Any, link: str) -> None:
    """Takes the pictures of a watch's page: its alarms, and the estimates over time."""
    for page, picture in pages(new_context, link, "view-watch"):
        page.goto(f"{page.url.rpartition('/')[0]}/watch?name=support+bot")
        page.locator("#estimates").scroll_into_view_if_needed()
        page.evaluate("document.querySelector('#estimates').scrollIntoView()")
        page.screenshot(path=picture)


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[list[str]]:
    """A server of a command in a folder; gives the links that it prints."""
    command = [sys.executable, "-m", "assay", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    links = []
    for line in process.stdout:
        links += re.findall(r"http\S+/enter/\S+", line)
        if "Ctrl-C" in line:
            break
    yield links
    process.kill()
    process.wait()


def pages(new_context: Any, link: str, name: str) -> Iterator[tuple[Any, Path]]:
    """The page of a link at each width and scheme, with the place of its picture."""
    for width, height in WIDTHS.items():
        for scheme in SCHEMES:
            context = new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(120_000)
            page.goto(link)
            picture = IMAGES / f"{name}-{width}-{scheme}.png"
            yield page, picture
            print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size / 1000:.0f} kB", flush=True)
            context.close()


def time_session(browser: Any, link: str) -> None:
    """Rates answers by the keyboard alone and prints the seconds per rating: what the page takes, without thought."""
    page = browser.new_page()
    page.goto(link)
    seconds = []
    for number in range(RATED):
        began = time.perf_counter()
        page.keyboard.press(str(1 + number % 5))
        with page.expect_navigation():
            page.keyboard.press("Enter")
        seconds.append(time.perf_counter() - began)
    page.close()
    print(f"{RATED} ratings by keyboard: median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
