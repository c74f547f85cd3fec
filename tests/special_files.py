"""Makes what is no regular file, for tests of commands that are given one."""

import os
import stat

import pytest


def make_special_file(kind, path):
    """Makes a pipe, or a device that swallows everything; skips the test where neither can be made."""
    if os.name == "nt":
        pytest.skip("no such files there")
    if kind == "pipe":
        os.mkfifo(path)
        return
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except OSError:
        pytest.skip("no device can be made here")
