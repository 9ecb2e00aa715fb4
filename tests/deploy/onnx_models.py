"""Writes a random network in a dialect of the PULP tools, an input, and every layer's output.

usage: onnx_models.py nemo|quantlab|deeploy SEED DIR [LOCATION]
       onnx_models.py last SEED DIR

The second: a network in floats whose input stands channels last, and a picture as p.ppm, p.npy (height x
width x channels) and wrong.npy (channels first).

With LOCATION constants are external data: the file says that they are there, DIR/weights.bin holds
them.

The file is protobuf, written field by field; outputs are computed from the operators' definitions
with Python's integers.
"""
import random
import struct
import sys


# ------------------------------------------------------------------ protobuf
def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, values, integers=False, side=None):
    raw = struct.pack("<%d%s" % (len(values), "q" if integers else "f"), *values)
    head = b"".join(number(1, d) for d in dims) + number(2, 7 if integers else 1) + block(8, name)
    if not side:
        return head + block(9, raw)
    location, data = side
    entries = ("location", location), ("offset", str(len(data))), ("length", str(len(raw)))
    data += raw + bytes(3)  # nothing says that they follow each other
    return head + b"".join(block(13, block(1, k) + block(2, v)) for k, v in entries) + number(14, 1)


def attribute(name, value):
    if isinstance(value, float):
        return block(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return block(1, name) + number(3, value)
    if isinstance(value, bytes):
        return block(1, name) + block(4, value)
    return block(1, name) + b"".join(number(8, v) for v in value)


class Model:
    def __init__(self, seed, dialect, location):
        self.side = (location, bytearray()) if location else None
        self.r, self.dialect = random.Random(seed), dialect
        self.nodes, self.constants, self.layers, self.count = b"", b"", [], 0

    def name(self):
        self.count += 1
        return "t%d" % self.count

    def constant(self, dims, values, integers=False):
        name = self.name()
        self.constants += block(5, tensor(name, dims, values, integers, self.side))
        return name

    def node(self, op, inputs, domain="", **attributes):
        out = self.name()
        body = b"".join(block(1, i) for i in inputs) + block(2, out) + block(4, op)
        body += b"".join(block(5, attribute(k, v)) for k, v in attributes.items())
        self.nodes += block(1, body + block(7, domain))
        return out

    # Normalization behind a layer: names and numbers, y[h][w][c] of sums.
    def requantize(self, value, sums, channels):
        r = self.r
        most = max(1, max(abs(x) for x in sums))
        kappa = [r.randint(-40, 400) for _ in range(channels)]
        lam = [r.randint(-50000, 50000) for _ in range(channels)]
        shape = [1, channels, 1, 1]
        m, d = r.randint(30, 63), 1
        while (200 * most * m) >> d > 300:
            d += 1
        if self.dialect == "nemo":
            divisor = (1 << d) - 1 if d >= 8 and r.random() < 0.5 else 1 << d
            value = self.node("Mul", [self.constant(shape, kappa), value])
            value = self.node("Add", [value, self.constant(shape, lam)])
            value = self.node("Cast", [value], to=7)
            value = self.node("Mul", [value, self.constant([1], [m], True)])
            value = self.node("Div", [value, self.constant([], [divisor], True)])
            value = self.node("Clip", [self.node("Cast", [value], to=1)], min=0.0, max=255.0)
        else:
            divisor = 1 << d
            kappa, lam, m = [k * m for k in kappa], [x * m for x in lam], 1
            if self.dialect == "quantlab":
                value = self.node("Mul", [value, self.constant(shape[1:], kappa)], mult_bits=32)
                value = self.node("Add", [value, self.constant(shape[1:], lam)], add_bits=32)
                value = self.node("Div", [value, self.constant([], [divisor])])
                value = self.node("Clip", [self.node("Floor", [value])], min=0.0, max=255.0, out_bits=8)
            else:
                levels = {r.choice(["n_levels", "n_levels_out"]): 256}
                value = self.node("RequantShift", [value, self.constant(shape, kappa), self.constant(shape, lam)],
                                  "PACTOps", div=divisor, signed=0, **levels)
                lam = [x + divisor // 2 for x in lam]  # to nearest
        y = [min(255, max(0, (kappa[i % channels] * s + lam[i % channels]) * m // divisor)) for i, s in enumerate(sums)]
        self.layers.append(y)
        return value, y

    def conv(self, value, x, shape, out, kernel, stride, pads, group=1, dilation=1, pad_node=False):
        (h, w, c), (kh, kw), r = shape, kernel, self.r
        limit = 2 if self.dialect == "quantlab" and r.random() < 0.5 else 8
        top = (1 << (limit - 1)) - 1
        weights = [r.randint(-top, top) for _ in range(out * c // group * kh * kw)]
        bits = {"weight_bits": limit, "bias_bits": 32} if self.dialect == "quantlab" else {}
        if pad_node:
            value = self.node("Pad", [value], mode=b"constant", pads=[0, 0, *pads[:2], 0, 0, *pads[2:]], value=0.0)
        value = self.node("Conv", [value, self.constant([out, c // group, kh, kw], weights)], kernel_shape=list(kernel),
                          strides=[stride, stride], pads=[0] * 4 if pad_node else pads, group=group,
                          dilations=[dilation, dilation], **bits)
        t, l, b, rt = pads
        oh = (h + t + b - dilation * (kh - 1) - 1) // stride + 1
        ow = (w + l + rt - dilation * (kw - 1) - 1) // stride + 1
        sums, depth = [], c // group
        for y in range(oh):
            for xx in range(ow):
                for o in range(out):
                    first, total = o // (out // group) * depth, 0
                    for i in range(kh * kw):
                        yy, zz = y * stride - t + i // kw * dilation, xx * stride - l + i % kw * dilation
                        if 0 <= yy < h and 0 <= zz < w:
                            total += sum(x[(yy * w + zz) * c + first + k] *
                                         weights[(o * depth + k) * kh * kw + i] for k in range(depth))
                    sums.append(total)
        value, y = self.requantize(value, sums, out)
        return value, y, (oh, ow, out)

    def add(self, a, x, b, y):
        r = self.r
        m, n = r.randint(10, 120), r.randint(10, 120)
        if self.dialect == "quantlab":
            p, q = r.randint(0, 255), r.randint(0, 255)
            value = self.node("Add", [a, b], in1_mul=m, in1_add=p, in1_shift=8, in1_rq=1, in2_mul=n, in2_add=q,
                              in2_shift=8, in2_rq=1, out_mul=1, out_add=0, out_shift=0, out_rq=0, out_n_levels=256)
            out = [min(255, ((m * i + p) >> 8) + ((n * j + q) >> 8)) for i, j in zip(x, y)]
        else:
            value = self.node("Add", [self.node("Mul", [a, self.constant([], [m])]), self.node("Mul", [b, self.constant([], [n])])])
            value = self.node("Floor", [self.node("Div", [value, self.constant([], [256])])])
            out = [(m * i + n * j) >> 8 for i, j in zip(x, y)]
        self.layers.append(out)
        return value, out

    def maximum(self, value, x, shape):
        h, w, c = shape
        value = self.node("MaxPool", [value], kernel_shape=[2, 2], strides=[2, 2])
        out = [max(x[((2 * y + i) * w + 2 * z + j) * c + k] for i in (0, 1) for j in (0, 1))
               for y in range(h // 2) for z in range(w // 2) for k in range(c)]
        self.layers.append(out)
        return value, out, (h // 2, w // 2, c)

    def linear(self, value, x, shape, out):
        h, w, c = shape
        size, r = h * w * c, self.r
        rows = [[r.randint(-127, 127) for _ in range(size)] for _ in range(out)]
        bias = [r.randint(-1000, 1000) for _ in range(out)]
        value = self.node("Flatten", [value], axis=1)
        value = self.node("Gemm", [value, self.constant([out, size], sum(rows, [])), self.constant([out], bias)], transB=1,
                          alpha=1.0, beta=1.0)
        flat = [x[(p % (h * w)) * c + p // (h * w)] for p in range(size)]
        self.layers.append([b + sum(i * j for i, j in zip(row, flat)) for row, b in zip(rows, bias)])
        return value

    def save(self, directory, shape, x, result):
        h, w, c = shape
        value = lambda name, dims: block(1, name) + block(2, block(1, number(1, 1) + block(
            2, b"".join(block(1, number(1, d)) for d in dims))))
        graph = self.nodes + block(2, "random") + self.constants + block(11, value("x", [1, c, h, w]))
        graph += block(12, value(result, [1, 5]))
        open(directory + "/model.onnx", "wb").write(number(1, 6) + block(7, graph) + block(8, number(2, 10)))
        if self.side:
            open(directory + "/weights.bin", "wb").write(self.side[1])
        write = lambda name, values: open(directory + "/" + name, "w").write(
            "# %s\n" % name + "".join("%.3f,\n" % v for v in values))
        write("input.txt", x)
        array(directory + "/input.npy", shape, x)
        open(directory + "/input.bin", "wb").write(bytes(x[i * c + k] & 255 for k in range(c) for i in range(h * w)))
        for i, y in enumerate(self.layers):
            write("out_layer%d.txt" % i, y)


def array(path, shape, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join("%d, " % d for d in shape)
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.ljust(117).encode() + b"\n"
    open(path, "wb").write(head + struct.pack("<%df" % len(values), *values))


def channels_last(model, directory):
    h, w, c = 5, 4, 3
    value = lambda name, dims: block(1, name) + block(2, block(1, number(1, 1) + block(
        2, b"".join(block(1, number(1, d)) for d in dims))))
    turned = model.node("Transpose", ["x"], perm=[0, 3, 1, 2])
    result = model.node("Conv", [turned, model.constant([2, c, 1, 1], [0.5, 1.25, -0.75, 0.25, -1.5, 2.0])],
                        kernel_shape=[1, 1])
    graph = model.nodes + block(2, "last") + model.constants + block(11, value("x", [1, h, w, c]))
    graph += block(12, value(result, [1, 2, h, w]))
    open(directory + "/model.onnx", "wb").write(number(1, 6) + block(7, graph) + block(8, number(2, 11)))
    pixels = [model.r.randint(0, 255) for _ in range(h * w * c)]
    open(directory + "/p.ppm", "wb").write(b"P6 %d %d 255\n" % (w, h) + bytes(pixels))
    array(directory + "/p.npy", (h, w, c), pixels)
    array(directory + "/wrong.npy", (c, h, w), pixels)


def main():
    dialect, seed, directory = sys.argv[1:4]
    model = Model(int(seed), dialect, sys.argv[4] if len(sys.argv) > 4 else None)
    if dialect == "last":
        channels_last(model, directory)
        return
    r = model.r
    shape = (r.randint(7, 11), r.randint(7, 11), r.choice([1, 3, 4]))
    low = -128 if dialect == "quantlab" and int(seed) % 2 else 0
    x = [r.randint(low, 127 if low else 255) for _ in range(shape[0] * shape[1] * shape[2])]
    v, y, s = model.conv("x", x, shape, 8, (3, r.choice([1, 3, 5])), r.choice([1, 2]), [1, 2, 0, 1])
    a, i, t = model.conv(v, y, s, 8, (3, 3), 1, [1, 1, 1, 1], group=8)
    b, j, _ = model.conv(a, i, t, 8, (3, 3), 1, [2, 2, 2, 2], group=2, dilation=2, pad_node=seed != "1")
    v, y = model.add(a, i, b, j)
    if min(t[:2]) >= 2:
        v, y, t = model.maximum(v, y, t)
    model.save(directory, shape, x, model.linear(v, y, t, 5))


main()
