"""The package imports and runs on Linux, macOS and Windows: nothing in it needs what only one of them has."""

import ast

from test_house import listing, modules, nodes, place

FOLDERS = ("assay", "languages", "text", "eval_sets", "prompts", "judges", "metrics", "meta_eval", "runs", "generation")
POSIX_MODULES = {
    *("crypt", "curses", "fcntl", "grp", "nis", "ossaudiodev", "posix", "pty", "pwd", "readline", "resource"),
    *("select", "spwd", "syslog", "termios", "tty"),
}
POSIX_ATTRIBUTES = {
    "asyncio": {"get_child_watcher", "add_signal_handler"},
    "mmap": {"MADV_DONTNEED", "MAP_SHARED", "MAP_PRIVATE", "PROT_READ"},
    "os": {
        *("chown", "chroot", "ctermid", "fchdir", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid"),
        *("getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority", "getresuid", "getsid", "getuid"),
        *("killpg", "lchown", "lockf", "major", "minor", "mkfifo", "mknod", "nice", "openpty", "pathconf"),
        *("posix_spawn", "pread", "pwrite", "readv", "sched_getaffinity", "sched_setaffinity", "sched_yield"),
        *("sendfile", "setgid", "setpgid", "setpriority", "setsid", "setuid", "statvfs", "sync", "sysconf"),
        *("tcgetpgrp", "ttyname", "uname", "wait", "wait3", "wait4", "waitid"),
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
    },
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGUSR1"),
        *("SIGUSR2", "SIGWINCH", "alarm", "pause", "pthread_kill", "setitimer", "sigwait"),
    },
}
"""What the standard library lacks on Windows or macOS, by module."""


def imports(path):
    """The modules that are imported anywhere, inside functions too, with the line.

    Not those of a `try` that goes on where there is no such module.
    """
    guarded = {
        id(statement)
        for node in nodes(path)
        if isinstance(node, ast.Try)
        and any(isinstance(handler.type, ast.Name) and handler.type.id == "ImportError" for handler in node.handlers)
        for statement in node.body
    }
    for node in nodes(path):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0], node.lineno


def test_no_module_uses_what_only_posix_has():
    """Also inside functions, which an import does not run."""
    offenders = []
    for path in modules(*FOLDERS):
        offenders += [f"{place(path)}:{line} imports {name}" for name, line in imports(path) if name in POSIX_MODULES]
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.attr in POSIX_ATTRIBUTES.get(node.value.id, ()):
                    offenders.append(f"{place(path)}:{node.lineno} uses {node.value.id}.{node.attr}")
            elif isinstance(node, ast.keyword) and node.arg == "preexec_fn":
                offenders.append(f"{place(path)}:{node.value.lineno} uses preexec_fn")
    assert not offenders, listing(offenders)


NO_TEXT = {"archive", "webbrowser"}
"""Whose `open` opens no text: a part of a ZIP archive is bytes."""


def opens_text_in_the_platforms_encoding(call):
    """Whether a call of `open`, `read_text` or `write_text` leaves the encoding to the platform."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in {"open", "read_text", "write_text"} or any(keyword.arg == "encoding" for keyword in call.keywords):
        return False
    if name == "open" and isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") in NO_TEXT:
        return False
    is_method = isinstance(call.func, ast.Attribute)
    if name == "read_text":
        return is_method and not call.args
    if name == "write_text":
        return is_method and len(call.args) < 2
    modes = [argument.value for argument in call.args[0 if is_method else 1 :] if isinstance(argument, ast.Constant)]
    modes += [each.value.value for each in call.keywords if each.arg == "mode" and isinstance(each.value, ast.Constant)]
    return not any("b" in str(mode) for mode in modes)


def test_every_text_file_is_opened_in_a_named_encoding():
    """Windows would take another one than UTF-8."""
    offenders = [
        f"{place(path)}:{node.lineno}"
        for path in modules(*FOLDERS)
        for node in nodes(path)
        if isinstance(node, ast.Call) and opens_text_in_the_platforms_encoding(node)
    ]
    assert not offenders, listing(offenders)
