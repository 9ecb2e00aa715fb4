#!/usr/bin/env python3
"""Writes small quantized TensorFlow Lite models with random weights, and what they compute.

usage: tflite_models.py DIRECTORY SEED [floats|refused]

With `floats`: models in float32 instead, inputs and outputs likewise; with `refused`: models that
no network can be made of.

For each operator DIRECTORY/NAME.tflite, NAME.in (the input's bytes) and NAME.out (the output's).
Results are computed here in whole numbers from the published definitions (Jacob et al., CVPR 2018,
and the operators' pages), not from the project's sources.
"""
import fractions
import math
import os
import random
import struct
import sys

FLOAT32, INT32, UINT8, INT16, INT8, INT4 = 0, 2, 3, 7, 9, 17
SAME, VALID = 0, 1
NONE, RELU, RELU6 = 0, 1, 3


def f32(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


class Writer:
    """FlatBuffers, parents before children: offsets lead forwards."""

    def __init__(self):
        self.out = bytearray(struct.pack('<I4s', 0, b'TFL3'))

    def align(self, size):
        while len(self.out) % size:
            self.out.append(0)

    def point(self, at):
        struct.pack_into('<I', self.out, at, len(self.out) - at)

    def vector(self, at, form, items):
        self.align(4)
        if form == 'q':
            while (len(self.out) + 4) % 8:
                self.out.append(0)
        self.point(at)
        self.out += struct.pack('<I%d%s' % (len(items), form), len(items), *items)

    def tables(self, at, items):
        self.align(4)
        self.point(at)
        self.out += struct.pack('<I', len(items))
        begin = len(self.out)
        self.out += bytes(4 * len(items))
        for i, fields in enumerate(items):
            self.table(begin + 4 * i, fields)

    def table(self, at, fields):
        """fields: {number: (kind, value)}; kinds: b, i, f scalars; vX vectors; t table; T tables."""
        count = max(fields, default=-1) + 1
        self.align(4)
        offsets = len(self.out)
        self.out += bytes(4 + 2 * count)
        self.align(4)
        table = len(self.out)
        self.point(at)
        self.out += struct.pack('<i', table - offsets)
        places = {}
        for number in sorted(fields):
            places[number] = len(self.out)
            kind, value = fields[number]
            if kind in 'if':
                self.out += struct.pack('<' + kind, value)
            elif kind == 'b':
                self.out += struct.pack('<b3x', value)
            else:
                self.out += bytes(4)
            struct.pack_into('<H', self.out, offsets + 4 + 2 * number, places[number] - table)
        struct.pack_into('<HH', self.out, offsets, 4 + 2 * count, len(self.out) - table)
        for number in sorted(fields):
            kind, value = fields[number]
            if kind[0] == 'v':
                self.vector(places[number], kind[1], value)
            elif kind == 't':
                self.table(places[number], value)
            elif kind == 'T':
                self.tables(places[number], value)


# ---------------------------------------------------------------- arithmetic of the definition

def factor(real):
    if real <= 0:
        return 0, 0
    fraction, exponent = math.frexp(real)
    q = math.floor(fraction * 2 ** 31 + 0.5)
    if q == 2 ** 31:
        q, exponent = q // 2, exponent + 1
    return q, exponent


def scaled(x, real):
    q, exponent = factor(real)
    high = (x * 2 ** max(exponent, 0) * q + 2 ** 30) >> 31  # to nearest, halves up
    right = max(-exponent, 0)
    if not right:
        return high
    sign, size = (-1, -high) if high < 0 else (1, high)  # to nearest, halves away from 0
    return sign * ((size + 2 ** (right - 1)) >> right)


def limits(t, activation):
    low, high = (0, 255) if t.type == UINT8 else (-128, 127)
    quantize = lambda x: t.zero + round_away(f32(x / t.scale))
    if activation in (RELU, RELU6):
        low = max(low, quantize(0))
    if activation == RELU6:
        high = min(high, quantize(6))
    return low, high


def round_away(x):
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def clip(x, low, high):
    return max(low, min(high, x))


# ---------------------------------------------------------------- models

class Tensor:
    def __init__(self, shape, kind, scale=None, zero=0, data=None, scales=None, dimension=0):
        self.shape, self.type, self.zero = shape, kind, zero
        self.scale = f32(scale) if scale else None
        self.data, self.dimension = data, dimension
        self.scales = [f32(s) for s in scales] if scales else ([self.scale] if scale else None)

    def zeros(self):
        return [self.zero] * len(self.scales)

    def bytes(self):
        if self.data is None:
            return b''
        if self.type == INT4:
            return bytes((len(self.data) + 1) // 2)
        form = {INT32: 'i', UINT8: 'B', INT8: 'b', FLOAT32: 'f'}[self.type]
        return struct.pack('<%d%s' % (len(self.data), form), *self.data)


class Model:
    def __init__(self):
        self.tensors, self.ops = [], []

    def add(self, tensor):
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def op(self, code, inputs, outputs, options):
        self.ops.append((code, inputs, outputs, options))

    def write(self, path, inputs, outputs):
        codes = sorted({op[0] for op in self.ops})
        buffers, tensors = [{}], []
        for i, t in enumerate(self.tensors):
            fields = {0: ('vi', t.shape), 1: ('b', t.type), 3: ('vB', b'tensor%d' % i)}
            if t.data is not None:
                fields[2] = ('i', len(buffers))
                buffers.append({0: ('vB', t.bytes())})
            if t.scales:
                fields[4] = ('t', {2: ('vf', t.scales), 3: ('vq', t.zeros()),
                                   6: ('i', t.dimension)})
            tensors.append(fields)
        ops = [{0: ('i', codes.index(c)), 1: ('vi', i), 2: ('vi', o), 3: ('b', 1), 4: ('t', f)}
               for c, i, o, f in self.ops]
        graph = {0: ('T', tensors), 1: ('vi', inputs), 2: ('vi', outputs), 3: ('T', ops)}
        writer = Writer()
        writer.table(0, {0: ('i', 3),
                         1: ('T', [{0: ('b', min(c, 127)), 3: ('i', c)} for c in codes]),
                         2: ('T', [graph]), 4: ('T', buffers)})
        with open(path, 'wb') as out:
            out.write(writer.out)


def codes(kind, count):
    low, high = (0, 255) if kind == UINT8 else (-128, 127)
    return [random.randint(low, high) for _ in range(count)]


def some_tensor(shape, kind, lowest=0.01, highest=0.1):
    zero = random.randint(0, 255) - (128 if kind == INT8 else 0)
    return Tensor(shape, kind, random.uniform(lowest, highest), zero)


def same_padding(size, kernel, stride, dilation):
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2


def out_size(size, kernel, stride, dilation, padding):
    if padding == SAME:
        return -(-size // stride)
    return (size - (kernel - 1) * dilation - 1) // stride + 1


class Window:
    """Pixels inside the input under each output pixel."""

    def __init__(self, shape, kernel, stride, dilation, padding):
        self.shape, self.kernel, self.stride, self.dilation = shape, kernel, stride, dilation
        self.out = [out_size(shape[i], kernel[i], stride[i], dilation[i], padding) for i in (0, 1)]
        self.pad = [same_padding(shape[i], kernel[i], stride[i], dilation[i])
                    if padding == SAME else 0 for i in (0, 1)]

    def pixels(self):
        return [(y, x) for y in range(self.out[0]) for x in range(self.out[1])]

    def taps(self, y, x):
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                row = y * self.stride[0] + i * self.dilation[0] - self.pad[0]
                column = x * self.stride[1] + j * self.dilation[1] - self.pad[1]
                if 0 <= row < self.shape[0] and 0 <= column < self.shape[1]:
                    yield i, j, row, column


def some_window(h, w, dilated=True):
    kernel = [random.randint(1, min(4, h)), random.randint(1, min(4, w))]
    stride = [random.randint(1, 3), random.randint(1, 3)]
    dilation = [1, 1]
    padding = random.choice((SAME, VALID))
    if dilated and random.random() < 0.3:
        dilation, stride, padding = [2, 2], [1, 1], SAME
    return Window((h, w), kernel, stride, dilation, padding), padding


def weights_tensor(shape, kind, channels, dimension):
    count = math.prod(shape)
    if kind == UINT8:
        return Tensor(shape, kind, random.uniform(0.001, 0.02), random.randint(0, 255),
                      codes(kind, count))
    if random.random() < 0.3:
        return Tensor(shape, kind, random.uniform(0.001, 0.02), 0, codes(kind, count))
    scales = [random.uniform(0.001, 0.02) for _ in range(channels)]
    t = Tensor(shape, kind, None, 0, codes(kind, count), scales, dimension)
    return t


def filter_scale(w, f):
    return w.scales[f if len(w.scales) > 1 else 0]


def bias_tensor(count):
    return Tensor([count], INT32, 0.001, 0, [random.randint(-9000, 9000) for _ in range(count)])


def convolution(kind, depthwise, padded=False):
    h, w, c = random.randint(3, 8), random.randint(3, 8), random.randint(1, 5)
    before = [random.randint(0, 2) for _ in range(4)] if padded else [0] * 4
    window, padding = some_window(h + before[0] + before[1], w + before[2] + before[3])
    if padded:
        padding = VALID
        window = Window(window.shape, window.kernel, window.stride, window.dilation, VALID)
        if min(window.out) < 1:
            return convolution(kind, depthwise, padded)
    multiplier = random.randint(1, 2)
    filters = c * multiplier if depthwise else random.randint(1, 6)
    model, x = Model(), some_tensor([1, h, w, c], kind)
    shape = [1] + window.kernel + [filters] if depthwise else [filters] + window.kernel + [c]
    wt = weights_tensor(shape, kind, filters, 3 if depthwise else 0)
    bias, y = bias_tensor(filters), some_tensor([1] + window.out + [filters], kind, 0.02, 0.2)
    activation = random.choice((NONE, RELU, RELU6))
    source = model.add(x)
    first = source
    if padded:
        pads = Tensor([4, 2], INT32, None, 0, [0, 0] + before + [0, 0])
        big = Tensor([1, window.shape[0], window.shape[1], c], kind, x.scale, x.zero)
        first = model.add(big)
        model.op(34, [source, model.add(pads)], [first], {})
    ids = [first] + [model.add(t) for t in (wt, bias)]
    result = model.add(y)
    options = {0: ('b', padding), 1: ('i', window.stride[1]), 2: ('i', window.stride[0])}
    if depthwise:
        options.update({3: ('i', multiplier), 4: ('b', activation), 5: ('i', window.dilation[1]),
                        6: ('i', window.dilation[0])})
    else:
        options.update({3: ('b', activation), 4: ('i', window.dilation[1]),
                        5: ('i', window.dilation[0])})
    model.op(4 if depthwise else 3, ids, [result], options)
    data, out = codes(kind, h * w * c), []
    low, high = limits(y, activation)
    for (oy, ox) in window.pixels():
        for f in range(filters):
            total = bias.data[f]
            for i, j, row, column in window.taps(oy, ox):
                row, column = row - before[0], column - before[2]
                if not (0 <= row < h and 0 <= column < w):
                    continue
                channels = [f // multiplier] if depthwise else range(c)
                for k in channels:
                    at = ((i * window.kernel[1] + j) * filters + f if depthwise else
                          ((f * window.kernel[0] + i) * window.kernel[1] + j) * c + k)
                    total += ((data[(row * w + column) * c + k] - x.zero) *
                              (wt.data[at] - wt.zero))
            product = x.scale * filter_scale(wt, f)
            real = (f32(product) if kind == UINT8 else product) / y.scale
            out.append(clip(scaled(total, real) + y.zero, low, high))
    return model, [source], [result], data, out, kind


def narrow_product(kind):
    """Sums for which it matters that the product of two scales has 32 bits, of uint8 only."""
    biases = []
    while not biases:
        x, y = some_tensor([1, 1, 1, 1], kind, 0.001, 0.003), Tensor([1, 1, 1, 1], kind, 0.9, 0)
        wt = Tensor([1, 1, 1, 1], kind, random.uniform(0.0003, 0.0007), 0, [0])
        wide = x.scale * wt.scale
        for k in range(50, 127):
            total = int((k + 0.5) * y.scale / wide)
            biases += [t for t in (total, total + 1)
                       if scaled(t, wide / y.scale) != scaled(t, f32(wide) / y.scale)]
    count = y.shape[3] = wt.shape[0] = len(biases)
    wt.data *= count
    bias, model = Tensor([count], INT32, 0.001, 0, biases), Model()
    ids = [model.add(t) for t in (x, wt, bias, y)]
    model.op(3, ids[:3], ids[3:], {0: ('b', VALID), 1: ('i', 1), 2: ('i', 1)})
    real = (f32(wide) if kind == UINT8 else wide) / y.scale
    return model, ids[:1], ids[3:], codes(kind, 1), [scaled(t, real) for t in biases], kind


def linear(kind):
    inputs, filters = random.randint(1, 40), random.randint(1, 9)
    model, x = Model(), some_tensor([1, inputs], kind)
    wt = weights_tensor([filters, inputs], kind, filters, 0)
    bias, y = bias_tensor(filters), some_tensor([1, filters], kind, 0.02, 0.2)
    ids = [model.add(t) for t in (x, wt, bias, y)]
    activation = random.choice((NONE, RELU, RELU6))
    model.op(9, ids[:3], ids[3:], {0: ('b', activation)})
    data, out = codes(kind, inputs), []
    low, high = limits(y, activation)
    for f in range(filters):
        total = bias.data[f] + sum((data[i] - x.zero) * (wt.data[f * inputs + i] - wt.zero)
                                   for i in range(inputs))
        product = x.scale * filter_scale(wt, f)
        real = (f32(product) if len(wt.scales) == 1 else product) / y.scale
        out.append(clip(scaled(total, real) + y.zero, low, high))
    return model, ids[:1], ids[3:], data, out, kind


def pool(kind, average):
    h, w, c = random.randint(2, 7), random.randint(2, 7), random.randint(1, 5)
    window, padding = some_window(h, w, dilated=False)
    model, x = Model(), some_tensor([1, h, w, c], kind)
    y = Tensor([1] + window.out + [c], kind, x.scale, x.zero)
    ids = [model.add(x), model.add(y)]
    activation = random.choice((NONE, RELU, RELU6))
    model.op(1 if average else 17, ids[:1], ids[1:],
             {0: ('b', padding), 1: ('i', window.stride[1]), 2: ('i', window.stride[0]),
              3: ('i', window.kernel[1]), 4: ('i', window.kernel[0]), 5: ('b', activation)})
    data, out = codes(kind, h * w * c), []
    low, high = limits(y, activation)
    for (oy, ox) in window.pixels():
        taps = [(row * w + column) * c for _, _, row, column in window.taps(oy, ox)]
        for k in range(c):
            values = [data[at + k] for at in taps]
            total, n = sum(values), len(values)
            mean = (total + n // 2) // n if total > 0 else -((-total + n // 2) // n)
            out.append(clip(mean if average else max(values), low, high))
    return model, ids[:1], ids[1:], data, out, kind


def mean(kind):
    h, w, c = random.randint(2, 7), random.randint(2, 7), random.randint(1, 5)
    model, x = Model(), some_tensor([1, h, w, c], kind)
    y = some_tensor([1, c], kind)
    ids = [model.add(x), model.add(Tensor([2], INT32, None, 0, [1, 2])), model.add(y)]
    model.op(40, ids[:2], ids[2:], {})
    data, n = codes(kind, h * w * c), h * w
    q, exponent = factor(x.scale / y.scale)
    bits = min(n.bit_length() - 1, 31 + exponent)
    low, high = limits(y, NONE)
    out = []
    for k in range(c):
        total = sum(data[k::c]) - x.zero * n
        q2, e2 = (q << bits) // n, exponent - bits
        high_part = (total * 2 ** max(e2, 0) * q2 + 2 ** 30) >> 31
        right = max(-e2, 0)
        sign, size = (-1, -high_part) if high_part < 0 else (1, high_part)
        value = sign * ((size + 2 ** (right - 1)) >> right) if right else high_part
        out.append(clip(value + y.zero, low, high))
    return model, ids[:1], ids[2:], data, out, kind


def add(kind):
    h, w, c = random.randint(1, 5), random.randint(1, 5), random.randint(1, 5)
    model, a = Model(), some_tensor([1, h, w, c], kind)
    b = some_tensor([1, h, w, c], kind)
    y = some_tensor([1, h, w, c], kind)
    ids = [model.add(t) for t in (a, b, y)]
    activation = random.choice((NONE, RELU, RELU6))
    model.op(0, ids[:2], ids[2:], {0: ('b', activation)})
    data, n, out = codes(kind, 2 * h * w * c), h * w * c, []
    twice = 2 * max(a.scale, b.scale)
    low, high = limits(y, activation)
    for i in range(n):
        total = (scaled((data[i] - a.zero) << 20, a.scale / twice) +
                 scaled((data[n + i] - b.zero) << 20, b.scale / twice))
        out.append(clip(scaled(total, twice / (2 ** 20 * y.scale)) + y.zero, low, high))
    return model, ids[:2], ids[2:], data, out, kind


def multiply(kind):
    h, w, c = random.randint(1, 5), random.randint(1, 5), random.randint(1, 5)
    model, a = Model(), some_tensor([1, h, w, c], kind)
    vector = random.random() < 0.5
    b = some_tensor([1, 1, 1, c] if vector else [1, h, w, c], kind)
    y = some_tensor([1, h, w, c], kind)
    ids = [model.add(t) for t in (a, b, y)]
    model.op(18, ids[:2], ids[2:], {0: ('b', NONE)})
    n = h * w * c
    data, out = codes(kind, n + (c if vector else n)), []
    real = f32(f32(a.scale * b.scale) / y.scale)
    low, high = limits(y, NONE)
    for i in range(n):
        product = (data[i] - a.zero) * (data[n + (i % c if vector else i)] - b.zero)
        out.append(clip(scaled(product, real) + y.zero, low, high))
    return model, ids[:2], ids[2:], data, out, kind


def difference(kind):
    model, a = Model(), some_tensor([1, 3, 2, 4], kind)
    b, y = some_tensor([1, 3, 2, 4], kind), some_tensor([1, 3, 2, 4], kind)
    ids = [model.add(t) for t in (a, b, y)]
    model.op(41, ids[:2], ids[2:], {0: ('b', NONE)})
    data, n, out = codes(kind, 48), 24, []
    twice = 2 * max(a.scale, b.scale)
    low, high = limits(y, NONE)
    for i in range(n):
        total = (scaled((data[i] - a.zero) << 20, a.scale / twice) -
                 scaled((data[n + i] - b.zero) << 20, b.scale / twice))
        out.append(clip(scaled(total, twice / (2 ** 20 * y.scale)) + y.zero, low, high))
    return model, ids[:2], ids[2:], data, out, kind


def by_constant(kind):
    c = random.randint(2, 4)
    code = random.choice((0, 18, 41))
    shape = random.choice(([], [1], [c], [1, 1, 1, c]))
    model, x = Model(), some_tensor([1, 16, 16, c], kind)
    values = codes(kind, c if shape and shape[-1] == c else 1)
    k = some_tensor(shape, kind)
    constant = Tensor(shape, kind, k.scale, k.zero, values)
    y = some_tensor([1, 16, 16, c], kind, 0.05, 0.5)
    ids = [model.add(t) for t in (x, constant, y)]
    first = random.random() < 0.5
    model.op(code, [ids[1], ids[0]] if first else ids[:2], ids[2:], {0: ('b', NONE)})
    twice, data, out = 2 * max(x.scale, k.scale), codes(kind, 256 * c), []
    low, high = limits(y, NONE)
    for i, q in enumerate(data):
        v = values[i % c if len(values) > 1 else 0]
        if code == 18:
            total, real = (q - x.zero) * (v - k.zero), f32(f32(x.scale * k.scale) / y.scale)
        else:
            a = scaled((q - x.zero) << 20, x.scale / twice)
            b = scaled((v - k.zero) << 20, k.scale / twice)
            total = a + b if code == 0 else b - a if first else a - b
            real = twice / (2 ** 20 * y.scale)
        out.append(clip(scaled(total, real) + y.zero, low, high))
    return model, ids[:1], ids[2:], data, out, kind


def padded_pool(kind):
    h, w, c = random.randint(2, 4), random.randint(2, 4), random.randint(1, 4)
    model, x = Model(), some_tensor([1, h, w, c], kind)
    mid = Tensor([1, h + 2, w + 1, c], kind, x.scale, x.zero)
    y = Tensor([1, h + 1, w, c], kind, x.scale, x.zero)
    ids = [model.add(t) for t in (x, Tensor([4, 2], INT32, None, 0, [0, 0, 1, 1, 0, 1, 0, 0]), mid, y)]
    model.op(34, ids[:2], [ids[2]], {})
    model.op(17, [ids[2]], [ids[3]], {0: ('b', VALID), 1: ('i', 1), 2: ('i', 1), 3: ('i', 2), 4: ('i', 2),
                                      5: ('b', NONE)})
    data, out = codes(kind, h * w * c), []
    at = lambda r, s, ch: data[(r * w + s) * c + ch] if 0 <= r < h and 0 <= s < w else x.zero
    for r in range(h + 1):
        for s in range(w):
            for ch in range(c):
                out.append(max(at(r - 1 + i, s + j, ch) for i in (0, 1) for j in (0, 1)))
    return model, ids[:1], ids[3:], data, out, kind


def padded_end(kind):
    """A PAD whose result is the network's, and a convolution's input as well."""
    h, w, c = random.randint(1, 4), random.randint(1, 4), random.randint(1, 4)
    before = [random.randint(0, 2), random.randint(0, 2), random.randint(0, 2), 1]
    model, x = Model(), some_tensor([1, h, w, c], kind)
    y = Tensor([1, h + before[0] + before[1], w + before[2] + before[3], c], kind, x.scale, x.zero)
    ids = [model.add(t) for t in (x, Tensor([4, 2], INT32, None, 0, [0, 0] + before + [0, 0]), y)]
    model.op(34, ids[:2], ids[2:], {})
    wt = weights_tensor([1, 1, 1, c], kind, 1, 0)
    ids += [model.add(t) for t in (wt, some_tensor(y.shape[:3] + [1], kind))]
    model.op(3, ids[2:4], ids[4:], {0: ('b', VALID), 1: ('i', 1), 2: ('i', 1)})
    data, out = codes(kind, h * w * c), []
    for row in range(-before[0], h + before[1]):
        for column in range(-before[2], w + before[3]):
            inside = 0 <= row < h and 0 <= column < w
            at = (row * w + column) * c
            out += data[at:at + c] if inside else [x.zero] * c
    return model, ids[:1], ids[2:3], data, out, kind


def resized(kind, index, real=False):
    """RESIZE_BILINEAR: positions at the element's begin, or its middle, clamped."""
    h, w, c, half = random.randint(1, 4), random.randint(1, 4), random.randint(1, 4), index % 2
    down, across = (random.randint(1, 5), random.randint(2, 3)) if real else (2 ** random.randint(0, 2), 2)
    model, x = Model(), Tensor([1, h, w, c], kind) if real else some_tensor([1, h, w, c], kind)
    y = Tensor([1, h * down, w * across, c], kind, x.scale, x.zero)
    ids = [model.add(t) for t in (x, Tensor([2], INT32, None, 0, y.shape[1:3]), y)]
    model.op(23, ids[:2], ids[2:], {2: ('b', 0), 3: ('b', half)})
    data, out = [f32(random.uniform(-9, 9)) for _ in range(h * w * c)] if real else codes(kind, h * w * c), []
    place = lambda j, f, n: min(max(fractions.Fraction(2 * j + 1, 2 * f) - fractions.Fraction(1, 2) if half
                                    else fractions.Fraction(j, f), 0), n - 1)
    for r in range(h * down):
        for s in range(w * across):
            a, b = place(r, down, h), place(s, across, w)
            for ch in range(c):
                at = lambda i, j: fractions.Fraction(data[(min(i, h - 1) * w + min(j, w - 1)) * c + ch])
                i, j = int(a), int(b)
                v = ((at(i, j) * (1 - b + j) + at(i, j + 1) * (b - j)) * (1 - a + i) +
                     (at(i + 1, j) * (1 - b + j) + at(i + 1, j + 1) * (b - j)) * (a - i))
                out.append(float(v) if real else int(abs(v) + fractions.Fraction(1, 2)) * (1 if v > 0 else -1))
    return model, ids[:1], ids[2:], data, out, kind


def concatenation(kind):
    h, w, sizes = random.randint(1, 4), random.randint(1, 4), [random.randint(1, 4) for _ in 'ab']
    y = some_tensor([1, h, w, sum(sizes)], kind)
    model = Model()
    parts = [model.add(Tensor([1, h, w, s], kind, y.scale, y.zero)) for s in sizes]
    result = model.add(y)
    model.op(2, parts, [result], {0: ('i', 3)})
    data, out = codes(kind, h * w * sum(sizes)), []
    second = h * w * sizes[0]
    for p in range(h * w):
        out += data[p * sizes[0]:(p + 1) * sizes[0]]
        out += data[second + p * sizes[1]:second + (p + 1) * sizes[1]]
    return model, parts, [result], data, out, kind


def more_channels(kind):
    h, w, c = random.randint(1, 4), random.randint(1, 4), random.randint(1, 5)
    before, after = random.randint(0, 3), random.randint(1, 3)
    model, x = Model(), some_tensor([1, h, w, c], kind)
    y = Tensor([1, h, w, before + c + after], kind, x.scale, x.zero)
    ids = [model.add(x), model.add(Tensor([4, 2], INT32, None, 0, [0] * 6 + [before, after])), model.add(y)]
    model.op(34, ids[:2], ids[2:], {})
    data, out = codes(kind, h * w * c), []
    for p in range(h * w):
        out += [x.zero] * before + data[p * c:(p + 1) * c] + [x.zero] * after
    return model, ids[:1], ids[2:], data, out, kind


def element_wise(code, kind, ties=False):
    model, x = Model(), some_tensor([1, 2, 4, 32], kind)
    y = some_tensor([1, 2, 4, 32], kind)
    if code in (14, 28):  # as the converters choose it
        y = Tensor(y.shape, kind, 1 / 256 if code == 14 else 1 / 128,
                   (0 if kind == UINT8 else -128) + (0 if code == 14 else 128))
    alpha = f32(random.uniform(0.01, 0.5))
    if code == 98 and ties:  # exactly 1 / 2, which it is not with more than 32 bits
        x.scale, y.scale, alpha = f32(0.005), f32(0.001), f32(0.1)
        x.scales, y.scales = [x.scale], [y.scale]
    ids = [model.add(x), model.add(y)]
    model.op(code, ids[:1], ids[1:], {0: ('f', alpha)} if code == 98 else {})
    first = 0 if kind == UINT8 else -128
    data, out = list(range(first, first + 256)), []
    ratio = x.scale / y.scale
    low, high = limits(y, {19: RELU, 21: RELU6}.get(code, NONE))
    for q in data:
        v = q - x.zero
        if code == 14:
            value = round_away(1 / (1 + math.exp(-x.scale * v)) * 256)
        elif code == 28:
            value = round_away(math.tanh(x.scale * v) * 128)
        elif code in (19, 21):
            value = scaled(v, f32(ratio))
        else:
            slope = f32(x.scale * alpha) if v < 0 else x.scale
            value = scaled(v, f32(slope / y.scale) if code == 98 else ratio)
        out.append(clip(value + y.zero, low, high))
    return model, ids[:1], ids[1:], data, out, kind


def save(directory, name, case):
    model, inputs, outputs, data, out, kind = case
    base = os.path.join(directory, name)
    model.write(base + '.tflite', inputs, outputs)
    form = {UINT8: 'B', INT8: 'b', FLOAT32: 'f'}[kind]
    for suffix, values in (('.in', data), ('.out', out)):
        with open(base + suffix, 'wb') as file:
            file.write(struct.pack('%d%s' % (len(values), form), *values))


def real_difference():
    """SUB of what MAX_POOL_2D and RELU give, either way round."""
    shape = [1, random.randint(1, 5), random.randint(1, 5), random.randint(1, 5)]
    model, activation = Model(), random.choice((NONE, RELU, RELU6))
    x, a, b, y = (model.add(Tensor(shape, FLOAT32)) for _ in range(4))
    model.op(17, [x], [a], {0: ('b', SAME), 1: ('i', 1), 2: ('i', 1), 3: ('i', 3), 4: ('i', 3)})
    model.op(19, [x], [b], {})
    swapped = random.random() < 0.5
    model.op(41, [b, a] if swapped else [a, b], [y], {0: ('b', activation)})
    data, out = [f32(random.uniform(-9, 9)) for _ in range(math.prod(shape))], []
    window = Window(shape[1:3], [3, 3], [1, 1], [1, 1], SAME)
    low, high = {NONE: (-99, 99), RELU: (0, 99), RELU6: (0, 6)}[activation]
    for p, (oy, ox) in enumerate(window.pixels()):
        for k in range(shape[3]):
            most = max(data[(r * shape[2] + c) * shape[3] + k] for _, _, r, c in window.taps(oy, ox))
            apart = most - max(data[p * shape[3] + k], 0)
            out.append(clip(-apart if swapped else apart, low, high))
    return model, [x], [y], data, out, FLOAT32


def refused(directory):
    """A fused TANH, weights of 4 bits, activations of 16, and a sum of two shapes."""
    def write(name, x_type=INT8, w_type=INT8, activation=NONE, second=None):
        model = Model()
        x = Tensor([1, 2, 2, 3], x_type, 0.1, 0)
        wt = Tensor([3, 1, 1, 3], w_type, 0.01, 0, [0] * 9)
        y = Tensor(x.shape, x_type, 0.2, 0)
        ids = [model.add(t) for t in (x, wt, y)]
        model.op(3, ids[:2], ids[2:], {0: ('b', VALID), 1: ('i', 1), 2: ('i', 1),
                                       3: ('b', activation)})
        inputs = ids[:1]
        if second:
            inputs += [model.add(second), model.add(Tensor(x.shape, INT8, 0.3, 0))]
            model.op(0, [ids[2], inputs[1]], [inputs.pop()], {})
        model.write(os.path.join(directory, name + '.tflite'), inputs, ids[2:])
    write('tanh', activation=4)
    write('narrow', w_type=INT4)
    write('wide', x_type=INT16)
    write('shapes', second=Tensor([1, 1, 1, 3], INT8, 0.1, 0))


def main():
    directory, seed = sys.argv[1], int(sys.argv[2])
    random.seed(seed)
    if sys.argv[3:] == ['refused']:
        refused(directory)
        return
    if sys.argv[3:]:
        for i in range(6):
            save(directory, 'difference%d' % i, real_difference())
            save(directory, 'resized%d' % i, resized(FLOAT32, i, True))
        return
    for kind, suffix in ((INT8, 'i8'), (UINT8, 'u8')):
        for i in range(6):
            save(directory, 'conv%d_%s' % (i, suffix), convolution(kind, False))
            save(directory, 'pad_conv%d_%s' % (i, suffix), convolution(kind, False, True))
            save(directory, 'depthwise%d_%s' % (i, suffix), convolution(kind, True))
            save(directory, 'linear%d_%s' % (i, suffix), linear(kind))
            save(directory, 'average%d_%s' % (i, suffix), pool(kind, True))
            save(directory, 'max%d_%s' % (i, suffix), pool(kind, False))
            save(directory, 'mean%d_%s' % (i, suffix), mean(kind))
            save(directory, 'add%d_%s' % (i, suffix), add(kind))
            save(directory, 'mul%d_%s' % (i, suffix), multiply(kind))
            save(directory, 'sub%d_%s' % (i, suffix), difference(kind))
            save(directory, 'by_constant%d_%s' % (i, suffix), by_constant(kind))
            save(directory, 'padded_pool%d_%s' % (i, suffix), padded_pool(kind))
            save(directory, 'padded_end%d_%s' % (i, suffix), padded_end(kind))
            save(directory, 'resized%d_%s' % (i, suffix), resized(kind, i))
            save(directory, 'concat%d_%s' % (i, suffix), concatenation(kind))
            save(directory, 'channels%d_%s' % (i, suffix), more_channels(kind))
        for code, name in ((14, 'logistic'), (19, 'relu'), (21, 'relu6'), (28, 'tanh'),
                           (98, 'leaky'), (114, 'quantize')):
            save(directory, '%s_%s' % (name, suffix), element_wise(code, kind))
        save(directory, 'leaky_ties_%s' % suffix, element_wise(98, kind, True))
        save(directory, 'narrow_%s' % suffix, narrow_product(kind))


main()
