"""Products of rows and matrices in whole numbers, and the clipping of their sums, with vectors of the processor.

LLVM's vectors exist on every processor: what it lacks is composed of what it has, and the numbers are the same. Sums
stay in registers, which Numba makes of no loop of its own; where a processor has an instruction that multiplies pairs
of 16-bit numbers and adds them to 32-bit sums, LLVM takes it.

All arrays are fields of records: their shapes belong to their types, and so are constants of the compiled code.
"""

from functools import reduce

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from ursuppe_agents.policies.board.weights import LANES

_ROWS = 4  # that share what is read of the matrix
_REGISTERS = 8  # of sums: one product need not wait for the one before
_INT16, _INT32, _INT64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_SUMS, _PAIRS = ir.VectorType(_INT32, LANES), ir.VectorType(_INT16, 2 * LANES)
_PRODUCTS = ir.VectorType(_INT32, 2 * LANES)


def _number(value):
    return ir.Constant(_INT64, value)


def _numbers(*values):
    return ir.Constant(_SUMS, list(values))


def _load(builder, address, kind, size):
    found = builder.load(builder.inttoptr(address, kind.as_pointer()))
    found.align = size
    return found


def _store(builder, value, address, size):
    builder.store(value, builder.inttoptr(address, value.type.as_pointer())).align = size


def _start(context, builder, kind, array):
    """The address of an array's first number."""
    return builder.ptrtoint(context.make_array(kind)(context, builder, array).data, _INT64)


def _added(builder, address, *terms):
    for term in terms:
        address = builder.add(address, term if isinstance(term, ir.Value) else _number(term))
    return address


@intrinsic
def add_products(typing, sums, inputs, weights, rows):
    """Add to the first rows of sums (m, outputs) int32 those of inputs (m, 2 * pairs) int16 times the weights.

    The weights are (pairs, outputs, 2) int16, those of two inputs side by side; outputs is a multiple of ``LANES``. If
    m is a multiple of 4, rows are rounded up to one; otherwise m is 1.
    """
    return types.void(sums, inputs, weights, types.int64), _products_of(sums, inputs, weights)


@intrinsic
def add_sparse_products(typing, sums, inputs, weights, rows, notes):
    """The same, quicker where many inputs are 0: notes, (pairs,) int64 or more, gets the places of the others."""
    return types.void(sums, inputs, weights, types.int64, notes), _products_of(sums, inputs, weights)


def _products_of(sums, inputs, weights):
    """The code of both."""
    pairs, outputs, _ = weights.shape
    at_once = _ROWS if inputs.shape[0] % _ROWS == 0 else 1
    wide = LANES * max(n for n in (1, 2, 4, 8) if n * at_once <= _REGISTERS and outputs % (n * LANES) == 0)
    columns = range(0, wide, LANES)
    input_bytes, sum_bytes, weight_bytes = 2 * inputs.shape[1], 4 * outputs, 4 * outputs

    def code(context, builder, signature, given):
        starts = [_start(context, builder, *one) for one in zip(signature.args[:3], given[:3], strict=True)]
        notes = _start(context, builder, signature.args[4], given[4]) if len(given) > 4 else None
        with cgutils.for_range_slice(builder, _number(0), given[3], _number(at_once), inc=True) as (row, _):
            first_sum = _added(builder, starts[0], builder.mul(row, _number(sum_bytes)))
            first_input = _added(builder, starts[1], builder.mul(row, _number(input_bytes)))
            inputs_of = [_added(builder, first_input, r * input_bytes) for r in range(at_once)]
            count = _number(pairs) if notes is None else _note_pairs(builder, inputs_of, pairs, notes)
            for block in range(0, outputs, wide):
                block_sums = [(r, k) for r in range(at_once) for k in columns]
                found = {one: cgutils.alloca_once(builder, _SUMS) for one in block_sums}
                address = {(r, k): _added(builder, first_sum, r * sum_bytes + 4 * (block + k)) for r, k in block_sums}
                for one in block_sums:
                    builder.store(_load(builder, address[one], _SUMS, 4), found[one])
                with cgutils.for_range(builder, count) as loop:
                    place = (
                        loop.index if notes is None else _load(builder, _note(builder, notes, loop.index), _INT64, 8)
                    )
                    weights_at = _added(builder, starts[2], builder.mul(place, _number(weight_bytes)))
                    matrix = [
                        builder.sext(_load(builder, _added(builder, weights_at, 4 * (block + k)), _PAIRS, 2), _PRODUCTS)
                        for k in columns
                    ]
                    for r in range(at_once):
                        pair = _added(builder, inputs_of[r], builder.mul(place, _number(4)))
                        pair = _everywhere(builder, _load(builder, pair, _INT32, 2))
                        for k, weight in zip(columns, matrix, strict=True):
                            total = _sums_of_pairs(builder, builder.mul(pair, weight))
                            builder.store(builder.add(builder.load(found[r, k]), total), found[r, k])
                for one in block_sums:
                    _store(builder, builder.load(found[one]), address[one], 4)

    return code


def _note_pairs(builder, rows, pairs, notes):
    """Note which pairs of inputs are not 0 in all of these rows, and return how many."""
    count = cgutils.alloca_once_value(builder, _number(0))
    with cgutils.for_range(builder, _number(pairs)) as loop:
        offset = builder.mul(loop.index, _number(4))
        bits = reduce(builder.or_, [_load(builder, _added(builder, row, offset), _INT32, 2) for row in rows])
        noted = builder.load(count)
        _store(builder, loop.index, _note(builder, notes, noted), 8)
        is_there = builder.icmp_unsigned("!=", bits, ir.Constant(_INT32, 0))
        builder.store(builder.add(noted, builder.zext(is_there, _INT64)), count)
    return builder.load(count)


def _note(builder, notes, index):
    return _added(builder, notes, builder.mul(index, _number(8)))


def _everywhere(builder, pair):
    """A pair of 16-bit numbers again and again, as 32-bit ones."""
    nothing = ir.Constant(_SUMS, ir.Undefined)
    first = builder.insert_element(nothing, pair, ir.Constant(_INT32, 0))
    everywhere = builder.shuffle_vector(first, nothing, _numbers(*[0] * LANES))
    return builder.sext(builder.bitcast(everywhere, _PAIRS), _PRODUCTS)


def _sums_of_pairs(builder, products):
    nothing = ir.Constant(_PRODUCTS, ir.Undefined)
    even, odd = (_numbers(*range(start, 2 * LANES, 2)) for start in (0, 1))
    return builder.add(builder.shuffle_vector(products, nothing, even), builder.shuffle_vector(products, nothing, odd))


@intrinsic
def write_sum(typing, outputs, row, start, inputs, rows):
    """Write the sum of some rows (a tuple) of inputs (m, n) into a row of outputs, of the same type, from a column on.

    n is a multiple of ``LANES``.
    """
    number = inputs.dtype.bitwidth // 8
    lanes = ir.VectorType(ir.IntType(8 * number), LANES)
    width, size = number * inputs.shape[1], number * outputs.shape[1]

    def code(context, builder, signature, given):
        to, from_ = (_start(context, builder, signature.args[k], given[k]) for k in (0, 3))
        to = _added(builder, to, builder.mul(given[1], _number(size)), builder.mul(given[2], _number(number)))
        found = cgutils.unpack_tuple(builder, given[4])
        starts = [_added(builder, from_, builder.mul(one, _number(width))) for one in found]
        for k in range(0, width, number * LANES):
            terms = [_load(builder, _added(builder, start, k), lanes, number) for start in starts]
            _store(builder, reduce(builder.add, terms), _added(builder, to, k), number)

    return types.void(outputs, types.int64, types.int64, inputs, types.UniTuple(types.int64, len(rows))), code


def rounding(bits, least, most):
    """A compiled function that divides by 2 ** bits, rounds, and clips to least ... most.

    It does so with the first rows of sums (m, n) int32, n a multiple of ``LANES``, and writes them into outputs, int16
    in the same order.
    """

    @intrinsic
    def write_rounded(typing, sums, outputs, rows):
        numbers = sums.shape[1]

        def code(context, builder, signature, given):
            sums_at, outputs_at = (
                _start(context, builder, *one) for one in zip(signature.args[:2], given[:2], strict=True)
            )
            half, by, low, high = (_numbers(*[number] * LANES) for number in (1 << (bits - 1), bits, least, most))
            end = builder.mul(given[2], _number(numbers))
            with cgutils.for_range_slice(builder, _number(0), end, _number(LANES), inc=True) as (place, _):
                value = _load(builder, _added(builder, sums_at, builder.mul(place, _number(4))), _SUMS, 4)
                value = builder.ashr(builder.add(value, half), by)
                value = builder.select(builder.icmp_signed(">", value, low), value, low)
                value = builder.select(builder.icmp_signed("<", value, high), value, high)
                value = builder.trunc(value, ir.VectorType(_INT16, LANES))
                _store(builder, value, _added(builder, outputs_at, builder.mul(place, _number(2))), 2)

        return types.void(sums, outputs, types.int64), code

    return write_rounded


if config.DISABLE_JIT:  # the same in NumPy

    def add_products(sums, inputs, weights, rows):
        sums[:rows] += inputs[:rows] @ weights.swapaxes(1, 2).reshape(-1, weights.shape[1]).astype(np.int32)

    def add_sparse_products(sums, inputs, weights, rows, notes):
        add_products(sums, inputs, weights, rows)

    def write_sum(outputs, row, start, inputs, rows):
        outputs[row, start : start + inputs.shape[1]] = inputs[list(rows)].sum(axis=0)

    def rounding(bits, least, most):
        def write_rounded(sums, outputs, rows):
            rounded = ((sums[:rows] + (1 << (bits - 1))) >> bits).clip(least, most)
            outputs.reshape(-1)[: rounded.size] = rounded.reshape(-1)

        return write_rounded
