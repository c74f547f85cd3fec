"""A real PostgreSQL server of a test's own, which can be stopped and started."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

FOLDERS = (Path("/usr/lib/postgresql"),)  # Debian keeps the server's programs beside the path


def find_program(name):
    """The path of a program of the server; None where it is not installed."""
    beside = [found for folder in FOLDERS for found in sorted(folder.glob(f"*/bin/{name}"), reverse=True)]
    return shutil.which(name) or (str(beside[0]) if beside else None)


class PostgresServer:
    """A server in a folder that its user can reach: no folder of pytest, which another pytest closes to others."""

    def __init__(self, folder):
        self._folder = folder
        self._own: dict[str, Any] = {}
        if os.geteuid() == 0:  # it refuses to run as root
            names = {entry.pw_name for entry in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            self._own = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(folder, user.pw_uid, user.pw_gid)
        options = ["-U", "assay", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"]
        command = [find_program("initdb") or "initdb", "-D", str(folder / "data"), *options]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **self._own)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"postgresql://assay:secret@127.0.0.1:{self._port}/"
        self.start()

    def start(self):
        """Starts the server and waits until it accepts connections."""
        settings = ["-c", "listen_addresses=127.0.0.1", "-p", str(self._port), "-k", str(self._folder), "-F"]
        self._process = subprocess.Popen(
            [find_program("postgres") or "postgres", "-D", str(self._folder / "data"), *settings],
            cwd=self._folder,
            stderr=subprocess.PIPE,
            text=True,
            **self._own,
        )
        assert self._process.stderr is not None
        log = []
        for line in self._process.stderr:
            log.append(line)
            if "ready to accept connections" in line:
                break
        else:
            raise AssertionError("".join(log))
        threading.Thread(target=self._process.stderr.read, daemon=True).start()  # its pipe must not fill

    def stop(self):
        """Stops the server without waiting for connections that are still open."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(timeout=60)
