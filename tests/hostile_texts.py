"""Texts that try to break a page: 40 of them, each a chance to run a script, to hide, or to reorder what is read."""

from case_files import cases_beside

_RUN = "window.ranScripts=(window.ranScripts||0)+1"

HOSTILE_TEXTS = (
    *(text.replace("RUN", _RUN) for text in cases_beside(__file__)),
    "A" * 5000 + " " + "ﷺ" * 500 + " Z̷̢̛͙a̷̛͙l̷͙g̷͙o̷͙",
    "a; " * 70_000,  # 200 kB
)
