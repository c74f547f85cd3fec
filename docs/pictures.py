"""Makes the pictures of the documentation: `python docs/pictures.py` (needs Chromium).

The reports are those of the bundled sets with recorded replies, so that anyone gets the same pictures. They are taken
with the light colours.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CASSETTE = ROOT / "cassettes" / "helpdesk.qwen1.5b.jsonl"
METRICS = "faithfulness,weakest_claim,answer_relevance,judge_truthfulness,judge_relatedness,judge_completeness"


def main() -> None:
    """Writes the pictures into docs/images."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no browser: none of {', '.join(BROWSERS)} is installed")
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        report = write_report(Path(folder))
        take_picture(browser, report, IMAGES / "report.png", width=1280, height=1000)


def write_report(folder: Path) -> Path:
    """Writes the meta-evaluation report of the helpdesk sets, from recorded replies, and returns its path."""
    assay(
        folder, "run", "helpdesk_nl", "helpdesk_en", "--judge", "qwen1.5b", "--metrics", METRICS,
        "--cassette", CASSETTE, "--mode", "replay",
    )  # fmt: skip
    assay(folder, "meta", "last", "--report", "report.html")
    return folder / "report.html"


def assay(folder: Path, *words: str | Path) -> None:
    """Runs a command in a folder."""
    subprocess.run([sys.executable, "-m", "assay", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def take_picture(browser: str, page: Path, picture: Path, *, width: int, height: int) -> None:
    """Takes a picture of the top of a page in the light colours."""
    subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu",
            "--blink-settings=preferredColorScheme=1", f"--window-size={width},{height}",
            f"--screenshot={picture}", page.as_uri(),
        ],
        check=True, capture_output=True, env=os.environ | {"TZ": "UTC"},
    )  # fmt: skip
    print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
