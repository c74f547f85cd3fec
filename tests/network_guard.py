"""Code for another process: what reaches for another machine is written down in `attempts` and refused.

A library may swallow the refusal, but not the note.
"""

GUARD = """
import socket

attempts = []

def guard(name, address_of):
    original = getattr(socket.socket, name) if hasattr(socket.socket, name) else getattr(socket, name)
    def guarded(*arguments, **named):
        address = address_of(*arguments)
        host = address[0] if isinstance(address, tuple) else address
        if isinstance(host, bytes):
            host = host.decode()
        if host not in ("127.0.0.1", "::1", "localhost", None, ""):
            attempts.append(f"{name} {host}")
            raise OSError(f"{name} {host}: this command must reach no network")
        return original(*arguments, **named)
    return guarded

resolve = socket.getaddrinfo
for name in ("connect", "connect_ex"):
    setattr(socket.socket, name, guard(name, lambda _, address: address))
socket.getaddrinfo = guard("getaddrinfo", lambda host, *_: host)
"""

UNGUARD = """
assert not attempts, f"what was loaded reaches for another machine: {attempts}"
del socket.socket.connect, socket.socket.connect_ex
socket.getaddrinfo = resolve
"""
