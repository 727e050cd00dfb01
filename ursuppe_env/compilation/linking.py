"""Large compiled functions exist once: the code that calls them refers to them by name.

Numba copies the code of a function into each of its callers, and all of that into theirs, so that LLVM may inline it.
A large function is not inlined anyway, but each copy is optimised, translated and kept on disk again. Here callers see
the declaration of a large function alone, and the linker finds its code. So code from the disk needs other code: that
of every large function it calls, under the name it had then.
"""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from llvmlite import binding
from numba.core.dispatcher import Dispatcher

#: Lines of optimised LLVM code from which on a function is large. With 200 games are 9 % slower, with 350 some 2 %,
#: since LLVM knows less of caller and callee. With 600 they are as fast; compiling takes hardly longer than with 200.
_LARGE = 600


class Symbol(NamedTuple):
    """The code of a large function for certain types of arguments, as the linker knows it."""

    name: str
    module: str
    function: str
    signature: tuple[Any, ...]

    def is_found(self) -> bool:
        """Have the function loaded or compiled: does the linker find it under this name?"""
        found = getattr(import_module(self.module), self.function, None)
        if isinstance(found, Dispatcher):
            found.compile(self.signature)
        return self.name in _SYMBOLS


_SYMBOLS: dict[str, Symbol] = {}  # that the linker finds in this process


def link_by_name(result: Any, function: Callable[..., Any]) -> None:
    """Let the callers of a function that was just compiled refer to it by name, if it is large.

    It is copied as ever if its module does not have the Python function under its name.
    """
    found = getattr(sys.modules[function.__module__], function.__qualname__, None)
    if not isinstance(found, Dispatcher) or found.py_func is not function:
        return
    code = str(result.library._final_module)
    name = re.escape(result.fndesc.llvm_func_name)
    definition = re.search(rf'^define (.*@"?{name}"?\(.*) \{{$', code, re.MULTILINE)
    if definition is None or code.count("\n", definition.end(), code.index("\n}", definition.end())) < _LARGE:
        return
    kept = re.findall(r"^(?:attributes|target) .*$", code, re.MULTILINE)
    result.library._shared_module = binding.parse_assembly("\n".join([*kept, f"declare {definition[1]}"]))


def remember(result: Any, function: Callable[..., Any]) -> None:
    """The linker finds this function from now on."""
    name = result.fndesc.llvm_func_name
    _SYMBOLS[name] = Symbol(name, function.__module__, function.__qualname__, result.signature.args)


def define(target_context: Any, description: Any) -> None:
    """Tell Numba what the code holds that is about to be loaded: it looks into what callers see, a declaration."""
    engine = target_context.codegen()._engine
    engine._defined_symbols |= {description.llvm_func_name, description.llvm_cpython_wrapper_name}


def needed_by(result: Any) -> list[Symbol]:
    """The large functions that the code of a function just compiled refers to."""
    declared = (value.name for value in result.library._final_module.functions if value.is_declaration)
    return [_SYMBOLS[name] for name in declared if name in _SYMBOLS]
