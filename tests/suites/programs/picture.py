# SPDX-License-Identifier: Apache-2.0
"""A picture for programs that need a file: gradients, a chequer and fine detail, 328 x 246, as PNG.

usage: picture.py FILE
"""
import struct
import sys
import zlib

WIDTH, HEIGHT = 328, 246


def pixel(x, y):
    return (x * 200 // WIDTH + (x // 16 + y // 16) % 2 * 40, y * 255 // HEIGHT, x * y // 37 % 256)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png():
    rows = b"".join(b"\0" + bytes(value for x in range(WIDTH) for value in pixel(x, y)) for y in range(HEIGHT))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(png())
