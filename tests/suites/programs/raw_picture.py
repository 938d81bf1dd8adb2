# SPDX-License-Identifier: Apache-2.0
"""Pictures as instruments write them: gradients, a chequer and fine detail.

usage: raw_picture.py FILE.dng    what a camera's sensor sees through red, green and blue filters, 656 x 492, 14 bits
       raw_picture.py FILE.tif    one float for each pixel, 328 x 246
"""
import struct
import sys

BYTE, ASCII, SHORT, LONG, RATIONAL, SIGNED_RATIONAL = 1, 2, 3, 4, 5, 10
BLACK, WHITE = 512, 16383


def shorts(*values):
    return SHORT, struct.pack(f"<{len(values)}H", *values)


def longs(*values):
    return LONG, struct.pack(f"<{len(values)}I", *values)


def rationals(kind, *values):
    return kind, b"".join(struct.pack("<ii", round(value * 10000), 10000) for value in values)


def size(kind):
    return {BYTE: 1, ASCII: 1, SHORT: 2, LONG: 4, RATIONAL: 8, SIGNED_RATIONAL: 8}[kind]


def tiff(width, height, bits, data, more):
    """A file of one strip: the header, the directory, values that do not fit into it, the pixels."""
    entries = {256: longs(width), 257: longs(height), 258: shorts(bits), 259: shorts(1), 273: longs(0), 274: shorts(1), 277: shorts(1), 278: longs(height),
               279: longs(len(data)), 284: shorts(1)} | more
    beyond = 8 + 2 + 12 * len(entries) + 4
    pixels = beyond + sum(len(value) + len(value) % 2 for _, value in entries.values() if len(value) > 4)
    entries[273] = longs(pixels)
    directory, values = struct.pack("<H", len(entries)), b""
    for tag, (kind, value) in sorted(entries.items()):
        place = value.ljust(4, b"\0") if len(value) <= 4 else struct.pack("<I", beyond + len(values))
        if len(value) > 4:
            values += value + b"\0" * (len(value) % 2)
        directory += struct.pack("<HHI", tag, kind, len(value) // size(kind)) + place
    return b"II*\0" + struct.pack("<I", 8) + directory + struct.pack("<I", 0) + values + data


def dng(width=656, height=492):
    def sample(x, y):
        red, green, blue = x * 200 // width + (x // 32 + y // 32) % 2 * 40, y * 255 // height, x * y // 74 % 256
        return BLACK + 50 * (blue if x % 2 and y % 2 else green if x % 2 or y % 2 else red)

    data = struct.pack(f"<{width * height}H", *(sample(x, y) for y in range(height) for x in range(width)))
    matrix = rationals(SIGNED_RATIONAL, 1.2, -0.5, -0.1, -0.5, 1.4, 0.1, -0.1, 0.2, 0.7)
    return tiff(width, height, 16, data, {
        254: longs(0), 262: shorts(32803), 271: (ASCII, b"Made\0"), 272: (ASCII, b"Picture\0"), 33421: shorts(2, 2), 33422: (BYTE, bytes((0, 1, 1, 2))),
        50706: (BYTE, bytes((1, 4, 0, 0))), 50707: (BYTE, bytes((1, 1, 0, 0))), 50708: (ASCII, b"Made Picture\0"), 50714: shorts(BLACK), 50717: longs(WHITE),
        50721: matrix, 50728: rationals(RATIONAL, 0.5, 1, 0.6), 50778: shorts(21)})


def floats(width=328, height=246):
    values = (x * y // 37 % 256 / 256 + (x // 16 + y // 16) % 2 * 0.25 for y in range(height) for x in range(width))
    return tiff(width, height, 32, struct.pack(f"<{width * height}f", *values), {262: shorts(1), 339: shorts(3)})


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(dng() if sys.argv[1].endswith(".dng") else floats())
