#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times of eight kernels on one GPU, measured elsewhere, as lines that skmd-profile imports.

    curves.py CURVES >FILE.jsonl

The sizes become the tags profile1, profile2 and paper. What an element costs was counted by hand, since these kernels were not SKMD's."""
import json
import sys

# Per element of each kernel: accesses, those times the size, bytes, bytes of its buffers. Then the workload of bench/ that
# it is like.
KERNELS = {"vadd": (1, 0, 12, 12, "vector_add"), "bs": (50, 0, 20, 20, "black_scholes"), "mm": (0, 2, 0, 12, "matrix_multiplication"),
           "tr": (1, 0, 8, 8, "matrix_transpose"), "nb": (0, 20, 32, 8, "nbody"), "red": (1, 0, 4, 4, "reduction"),
           "box": (20, 0, 4, 4, "box_muller"), "bin": (1e4, 0, 8, 8, "binomial_option")}


def sample(name, curve, span, tag):
    per_group = curve["elems"] / curve["groups"]
    operations, by_size, group_bytes, held, _ = KERNELS[name]
    return {"program": "p", "kernel": name, "form": "ready", "platform": "NVIDIA CUDA", "device": "H100", "driver": "580",
            "units": 132, "tag": tag, "dims": 1, "offset": [0, 0, 0], "global": [curve["groups"] * curve["items"], 1, 1],
            "local": [curve["items"], 1, 1], "first": 0, "last": span[0], "boxes": 1, "buffers": [[0, curve["elems"] * held]],
            "scalars": [], "group_operations": per_group * (operations + by_size * curve["size"]),
            "group_bytes": float(per_group * group_bytes), "kernel_ns": round(span[1] * 1000), "to_ns": 0, "from_ns": 0,
            "warm": True, "first_use": False, "commit": "c", "date": 1700000000}


def samples_of_curves(path, names=tuple(KERNELS)):
    with open(path, encoding="utf-8") as file:
        curves = json.load(file)["data"]
    for name in names:
        for curve, tag in zip(curves[name], ("profile1", "profile2", "paper")):
            for span in curve["samples"]:
                yield sample(name, curve, span, tag)


def main():
    print(json.dumps({"skmd_profile": 1}))
    for one in samples_of_curves(sys.argv[1]):
        print(json.dumps(one | {"kernel": KERNELS[one["kernel"]][4], "device": "NVIDIA H100 80GB HBM3"}))


if __name__ == "__main__":
    main()
