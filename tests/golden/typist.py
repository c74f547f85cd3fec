"""Types the steps of scenarios in one warm process: `python typist.py SCENARIO.yaml ...`, one line of JSON for each.

It needs nothing of the package but `python -m assay`, so that the same file runs on any version of it. Without
arguments the scenarios' paths are read from standard input.
"""

import contextlib
import html.parser
import http.cookiejar
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import sys
import tempfile
import traceback
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import yaml

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {"COLUMNS": "80", "LINES": "40", "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
EXIT = os._exit
EARLIER_NAMES = {  # what commands were called in the version that `make against` compares with
    "judges align": "align",
    "judges prompts": "prompts",
    "metrics check": "numeric check",
    "metrics explain": "heuristic explain",
    "rate export": "ratings",
    "run batches": "batch",
    "sets crosseval": "crosseval",
    "sets generate": "generate",
    "show changes": "compare",
    "show failures": "failures",
    "show runs": "runs",
    "suite accept": "accept",
    "traces pull": "pull",
    "traces push": "push",
}
LINK = re.compile(r"(?:^|\s)(\w*):? ?(https?://\S+/enter/\S+)")
ID = re.compile(r"(?<![\w-])(rating-|nightly-)?\d{8}(-|&#45;)\d{6}(?:\2[0-9a-f]{4})?(?:\2\d)?\b")
_PROGRESS = (
    r"\d+ of \d+ samples|(scores|documents|sections|traces): \d|"
    r"reading scores|evaluating|judging|\d+ judges?,|Embedding"
)
VARIES = [
    (re.compile(rf"assay: ({_PROGRESS}).*\n"), ""),  # on a slow machine
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00| UTC|Z)?"), "TIME"),
    (re.compile(r"\S*/bin/python\d?[\d.]*(?=\s)"), "PYTHON"),  # in advice on what to install
    (re.compile(r"(pip install) (-e )?'?\S+(\[\w+\])'?"), r"\1 assay\3"),
    (re.compile(r'("is_ready": )\w+'), r"\1null"),  # whether a model's file is on this machine
    (re.compile(r"\b\d+(\.\d)? s\b *"), "N s "),
    (re.compile(r"(<tr>\n<th> \w+\n<td> \d+\n<td> \d+\n<td> )\d+"), r"\g<1>N"),  # a rater's seconds per answer
    (
        re.compile(r"(?m)^(\u2502 \w+ +\u2502 +\d+ \u2502 +\d+ \u2502 )[ \d]+(?= \u2502 none yet)"),
        r"\g<1>N",
    ),  # in a terminal
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"/enter/[\w.~%-]+"), "/enter/TOKEN"),
    (re.compile(r' time="[\d.]+"'), ' time="0"'),
    (re.compile(r'("date": ")\d{4}-\d\d-\d\d"'), r'\1DAY"'),  # on which a card was made
    (re.compile(r"(\bsince )\d{4}-\d\d-\d\d\b"), r"\1DAY"),  # when a watch began
    (re.compile(r"\b(report of|scored on) \d\d? [A-Z][a-z]+ \d{4}\b"), r"\1 DAY"),
    (re.compile(r"\b(today|yesterday) at \d\d:\d\d\b"), "TODAY"),
    (re.compile(r"(<text> )\d\d[:-]\d\d( \d\d:\d\d)?\b"), r"\1TIME"),
    (
        re.compile(r"<text> TIME(\n<text> TIME)+"),
        "<text> TIME",
    ),  # the marks of an axis of times: more where the runs took minutes
    (re.compile(r'("(?:seconds|took|elapsed)": )[\d.e-]+'), r"\g<1>0"),
]


class Scenario:
    """One scenario's folder, what was typed in it so far, and the names that ids got."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.fields = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.folder, self.ids, self.before = folder, dict[str, str](), dict[str, bytes]()

    def play(self) -> list[dict[str, Any]]:
        """Makes the files, and types all steps."""
        for name, text in self.fields.get("files", {}).items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        for name in self.fields.get("copies", []):
            shutil.copyfile(ROOT / name, self.folder / Path(name).name)
        self.before = self._files()
        return [self._step(step if isinstance(step, dict) else {"type": step}) for step in self.fields["steps"]]

    def _step(self, step: dict[str, Any]) -> dict[str, Any]:
        typed = step.get("prepare") or step["type"]
        words = shlex.split(typed)
        known = {name: real for real, name in self.ids.items()}
        real = [re.sub("|".join(known) or "(?!)", lambda match: known[match[0]], word) for word in words]
        if "ASSAY_EARLIER_NAMES" in os.environ and (earlier := EARLIER_NAMES.get(" ".join(real[:2]))):
            real[:2] = earlier.split()
        pages = list[str]()
        if "visit" in step:
            code, out, err = self._serve(real, step["visit"], pages)
        else:
            code, out, err = type_words(real)
        done: dict[str, Any] = {"typed": typed, "exit": code, "out": self.settle(out), "err": self.settle(err)}
        after = self._files()
        changed = {self.settle(name): name for name, content in after.items() if self.before.get(name) != content}
        # by their settled names: those of two nights within one second sort otherwise
        done["files"] = {name: self._content(changed[name], after[changed[name]]) for name in sorted(changed)}
        done["gone"] = [self.settle(name) for name in self.before if name not in after]
        self.before = after
        if "prepare" in step:
            done |= {"out": "", "err": "", "files": {}} if code == 0 else {"files": {}}
        return done | {"pages": pages}

    def _files(self) -> dict[str, bytes]:
        """All files but those of stores, whose form is their own."""
        paths = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        names = ((path.relative_to(self.folder), path) for path in paths)
        return {name.as_posix(): path.read_bytes() for name, path in names if not name.parts[0].startswith(".assay")}

    def _content(self, name: str, content: bytes) -> str:
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return "(binary)"
        return self.settle(visible(text) if name.endswith(".html") else text)

    def settle(self, text: str) -> str:
        """The text without what has to vary: folders, ids, times, ports and links."""
        text = text.replace(f"{self.folder}/", "").replace(str(self.folder), "FOLDER")
        text = ID.sub(self._name_of, text)
        for pattern, instead in VARIES:
            text = pattern.sub(instead, text)
        return text

    def _name_of(self, match: re.Match[str]) -> str:
        """A name as long as the id, so that tables keep their columns: RUN_1..., usable in later steps."""
        kind = match[1] or ""
        name = f"{kind or 'RUN_'}{len(self.ids) + 1}".upper().replace("-", "_")
        return self.ids.setdefault(match[0].replace("&#45;", "-"), name.ljust(len(kind) + 20, "_"))

    def _serve(self, words: list[str], visits: list[str], pages: list[str]) -> tuple[int, str, str]:
        """Starts a server, visits its pages as a browser would, and ends it by Ctrl-C."""
        pid, printed, errors = begin([*words, "--port", "0"])
        with printed, errors:
            out = ""
            for line in printed:
                out += line
                if line.startswith("Ctrl-C"):
                    break
            try:
                links = {name or "link": link for name, link in LINK.findall(out)}
                visitor = Visitor(links)
                pages += [f"{visit}\n{self.settle(visitor.visit(self._real(visit)))}" for visit in visits if links]
            finally:
                os.kill(pid, signal.SIGINT)
                err = errors.read()
                _, status = os.waitpid(pid, 0)
        return (0, out, "") if links else (os.waitstatus_to_exitcode(status), out, err)

    def _real(self, text: str) -> str:
        for real, name in self.ids.items():
            text = text.replace(name, real)
        return text


class Visitor:
    """A browser with cookies, that sends a page's form with the fields that are hidden in it."""

    def __init__(self, links: dict[str, str]) -> None:
        self.links, self.base, self.page = links, "", ""
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)

    def visit(self, visit: str) -> str:
        """`ada` enters by that link, `GET /path` reads, `POST /path name=value` sends the last page's form."""
        method, *rest = shlex.split(visit)
        data = None
        if method in self.links:
            address = self.links[method]
            self.base = "/".join(address.split("/")[:3])
        else:
            address = urllib.parse.urljoin(self.base, rest[0])
            hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', self.page)
            fields = {name: html.unescape(value) for name, value in hidden} | dict(
                pair.split("=", 1) for pair in rest[1:]
            )
            if method == "POST":
                data = urllib.parse.urlencode(fields).encode()
        request = urllib.request.Request(address, data, {"Origin": self.base})
        try:
            with self.opener.open(request, timeout=60) as reply:
                status, kind, text = reply.status, reply.headers.get_content_type(), reply.read().decode()
        except urllib.error.HTTPError as error:
            status, kind, text = error.code, error.headers.get_content_type(), error.read().decode()
        self.page = text
        return f"{status}\n{visible(text) if kind == 'text/html' else text}"


class VisibleText(html.parser.HTMLParser):
    """A page's visible text and its structure: one line per block, which says its tag, links, fields and buttons."""

    SHOWN = ("href", "action", "name", "value", "type", "aria-label", "alt", "open", "checked", "disabled")
    UNSEEN = ("script", "style", "head", "defs")
    PLAIN = ("html", "body", "div", "span", "g", "path", "rect", "line", "circle", "use", "col", "br", "wbr", "tbody")
    INLINE = ("a", "b", "i", "em", "strong", "code", "small", "kbd", "mark", "abbr", "button", "input", "label")

    def __init__(self) -> None:
        super().__init__()
        self.lines, self.unseen = [""], 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in self.UNSEEN
        shown = [f"{name}={value or ''}" for name, value in attrs if name in self.SHOWN]
        if tag not in self.INLINE:
            self.lines.append("")
        if not self.unseen and tag not in self.PLAIN and (shown or tag not in self.INLINE):
            self._add("<" + " ".join([tag, *shown])[:200] + ">")

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in self.UNSEEN
        if tag not in self.INLINE:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self._add(" ".join(data.split()))

    def _add(self, text: str) -> None:
        self.lines[-1] = f"{self.lines[-1]} {text}".strip()


def visible(page: str) -> str:
    """What a page shows, without the tokens that guard its forms."""
    parser = VisibleText()
    parser.feed(page)
    return re.sub(r"(name=(?:csrf|showing) value=)[^\s>]+", r"\1TOKEN", "\n".join(filter(None, parser.lines)))


def type_words(words: list[str]) -> tuple[int, str, str]:
    """Types `python -m assay WORDS` in this process: its exit code, and what it printed."""
    code: Any = 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with printing_to(out, 1), printing_to(err, 2):
            sys.argv = ["assay", *words]
            try:
                runpy.run_module("assay", run_name="__main__", alter_sys=True)
            except SystemExit as end:
                code = end.code
            except BaseException:
                traceback.print_exc()
                code = "a traceback"
        out.seek(0)
        err.seek(0)
        return code or 0, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace")


def begin(words: list[str]) -> tuple[int, TextIO, TextIO]:
    """Types `python -m assay WORDS` in a process forked from this one: its number, and what it prints."""
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    if pid := os.fork():
        os.close(out_end)
        os.close(err_end)
        return pid, os.fdopen(out, encoding="utf-8"), os.fdopen(err, encoding="utf-8")
    code: Any = 1
    try:
        os.dup2(out_end, 1)
        os.dup2(err_end, 2)
        os.closerange(out, err_end + 1)
        sys.argv = ["assay", *words]
        runpy.run_module("assay", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        EXIT(code)


@contextlib.contextmanager
def printing_to(file: Any, descriptor: int) -> Iterator[None]:
    """What is written to a descriptor goes to the file."""
    kept = os.dup(descriptor)
    os.dup2(file.fileno(), descriptor)
    try:
        yield
    finally:
        (sys.stdout if descriptor == 1 else sys.stderr).flush()
        os.dup2(kept, descriptor)
        os.close(kept)


def play(path: Path) -> list[dict[str, Any]]:
    """What the steps of a scenario print and write, in a new folder."""
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = Path(name).resolve()
        os.chdir(folder)
        os.environ["ASSAY_PUBLIC_SETS"] = str(folder)
        try:
            return Scenario(path, folder).play()
        finally:
            os.chdir("/")


def main() -> None:
    """Plays what is named by the arguments, else by the lines of standard input."""
    os.environ.update(ENVIRONMENT | {"LC_ALL": os.environ.get("ASSAY_GOLDEN_LOCALE", ENVIRONMENT["LC_ALL"])})
    os._exit = sys.exit  # a command that leaves a thread behind ends its process so; this one goes on
    for name in ("ASSAY_STORE", "OPENAI_API_KEY"):
        os.environ.pop(name, None)
    guard: dict[str, Any] = {}
    exec((Path(__file__).parents[1] / "network_guard.py").read_text(encoding="utf-8"), told := {})
    exec(told["GUARD"], guard)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    for line in sys.argv[1:] or sys.stdin:
        steps = play(Path(line.strip()))
        assert not guard["attempts"], f"{line}: {guard['attempts']}"
        replies.write(json.dumps(steps) + "\n")


if __name__ == "__main__":
    main()
