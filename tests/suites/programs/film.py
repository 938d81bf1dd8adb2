# SPDX-License-Identifier: Apache-2.0
"""A film for programs that need a file: gradients, a chequer and fine detail that move, twelve frames as YUV4MPEG2.

usage: film.py WIDTH HEIGHT FILE
"""
import sys

FRAMES = 12


def planes(width, height, number):
    yield bytes(((x + 3 * number) * (y + 2 * number) // 37 + (x // 16 + (y + number) // 16) % 2 * 40) % 256 for y in range(height) for x in range(width))
    yield bytes((x + number) % 256 for y in range(height // 2) for x in range(width // 2))
    yield bytes((y + 2 * number) % 256 for y in range(height // 2) for x in range(width // 2))


if __name__ == "__main__":
    width, height = int(sys.argv[1]), int(sys.argv[2])
    with open(sys.argv[3], "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode())
        for number in range(FRAMES):
            file.write(b"FRAME\n" + b"".join(planes(width, height, number)))
