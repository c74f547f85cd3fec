"""Shows a function that takes its signature from another with that function's parameters, as `help` does."""

from collections.abc import Iterator
from typing import Any

import griffe

DECORATOR = "with_signature_of"


class SharedSignatures(griffe.Extension):
    """Gives functions below `@with_signature_of(other)` the parameters of `other`, of the same module."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Completes the functions of a package when all of it is read."""
        for module in modules(pkg):
            own = {name: member for name, member in module.members.items() if isinstance(member, griffe.Function)}
            for function in own.values():
                for decorator in function.decorators:
                    name, _, other = str(decorator.value).removesuffix(")").partition("(")
                    if name == DECORATOR:
                        function.parameters = own[other].parameters


def modules(module: griffe.Module) -> Iterator[griffe.Module]:
    """Yields a module and all below it."""
    yield module
    for member in module.members.values():
        if isinstance(member, griffe.Module):
            yield from modules(member)
