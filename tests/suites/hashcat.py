# SPDX-License-Identifier: Apache-2.0
"""hashcat: its self-test of each hash type (its own kernels against a hash that it knows), then a small attack that must find the
password. `--force` because it warns of PoCL."""
import hashlib
import os

from harness import Suite, Test

WORD = "hello"
# Few of hashcat's hundreds, since PoCL compiles for a minute before each: two fast ones, and a slow one with an iterated kernel.
# mode: hash of WORD; the slow ones are what hashcat's own example hashes hold ("hashcat").
FAST = {
    "0": hashlib.md5(WORD.encode()).hexdigest(),
    "1400": hashlib.sha256(WORD.encode()).hexdigest(),
}
SLOW = {
    "400": "$P$946647711V1klyitUYhtB8Yw5DMA/w.",
}


def reader(word):
    def read(finished):
        failed = "self-test failed" in finished.output.lower() or finished.status not in (0, 1)
        return {"self-test": "fail" if failed else "pass",
                "attack": "pass" if finished.status == 0 and f":{word}" in finished.output else "fail"}
    return read


def test(mode, digest, word, attack):
    options = ("--force", "--potfile-disable", "--quiet", "--restore-disable", "--logfile-disable", "-D", "1,2,3", "-n", "1", "-u", "16")
    environment = (("XDG_CACHE_HOME", "{folder}/cache"), ("XDG_DATA_HOME", "{folder}/data"), ("HOME", "{folder}"))
    return Test(f"mode-{mode}", ("hashcat", *options, "-m", mode, digest, *attack), reader(word), env=environment)


def tests(quick):
    words = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")
    return ([test(mode, digest, WORD, ("-a", "3", "hel?l?l")) for mode, digest in FAST.items()] +
            [test(mode, digest, "hashcat", (words,)) for mode, digest in SLOW.items()])


SUITE = Suite("hashcat", ("hashcat",), tests)
