"""The LLVM code that numba-cuda makes of a kernel, run by the processor: what a GPU does, but for its own compiler."""

import ctypes
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm

#: In place of the registers in which a GPU keeps which thread it is, blocks of one thread each.
_OF_A_GPU = """
@block = internal global i32 0
define i32 @tid() { ret i32 0 }
define i32 @ntid() { ret i32 1 }
define i32 @ctaid() {
  %number = load i32, ptr @block
  ret i32 %number
}
define void @begin_block(i32 %number) {
  store i32 %number, ptr @block
  ret void
}
"""

#: In place of functions of NVIDIA's library: which one of LLVM, of what numbers, and how many.
_IN_PLACE = {
    "__nv_fmax": ("llvm.maxnum.f64", "double", 2),
    "__nv_fmin": ("llvm.minnum.f64", "double", 2),
    "__nv_fmaxf": ("llvm.maxnum.f32", "float", 2),
    "__nv_fminf": ("llvm.minnum.f32", "float", 2),
    "__nv_ceil": ("llvm.ceil.f64", "double", 1),
    "__nv_fabsf": ("llvm.fabs.f32", "float", 1),
}


def _library() -> str:
    """These functions as LLVM code."""
    lines = [_OF_A_GPU]
    for name, (instead, number, count) in _IN_PLACE.items():
        types = ", ".join([number] * count)
        given = ", ".join(f"{number} %{place}" for place in "ab"[:count])
        lines.append(f"declare {number} @{instead}({types})")
        lines.append(f"define {number} @{name}({given}) {{")
        lines.append(f"  %found = call {number} @{instead}({given})\n  ret {number} %found\n}}")
    return "\n".join(lines)


class ProcessorCode:
    """A kernel of numba-cuda, compiled for the processor."""

    def __init__(self, library: Any) -> None:
        module = llvm.parse_assembly(_library())
        for text in library.llvm_strs:
            module.link_in(llvm.parse_assembly(_for_any_machine(text)))
        machine = _target().create_target_machine(opt=1)
        module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
        module.verify()
        missing = [f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")]
        if missing:
            raise RuntimeError(f"the code for a GPU calls {', '.join(missing)}, which the processor has not")
        self._engine = llvm.create_mcjit_compiler(module, machine)  # holds the code
        self._engine.finalize_object()
        self._kernel = self._engine.get_function_address(library._entry_name)
        begin_block = self._engine.get_function_address("begin_block")
        self._begin_block = ctypes.CFUNCTYPE(None, ctypes.c_int32)(begin_block)

    def launch(self, threads: int, words: Sequence[Any]) -> None:
        """Let each thread run, one after the other, with these arguments of the kernel."""
        types = [ctypes.c_bool if isinstance(word, bool) else ctypes.c_int64 for word in words]
        kernel = ctypes.CFUNCTYPE(None, *types)(self._kernel)
        for thread in range(threads):
            self._begin_block(thread)
            kernel(*words)


@cache
def _target() -> llvm.Target:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


def _for_any_machine(text: str) -> str:
    """LLVM code without what only a GPU has."""
    text = re.sub(r"^(target |@\"?llvm\.used|!nvvm\.annotations).*$", "", text, flags=re.MULTILINE)
    return re.sub(r'@"llvm\.nvvm\.read\.ptx\.sreg\.(tid|ntid|ctaid)\.x"', r"@\1", text)
