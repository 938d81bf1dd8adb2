#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles with GCC what scripts/check-tidy.sh would read, since builds use Clang: check-gcc.sh [arguments of check-tidy.sh]. The
# warnings are those of the build, and no object is kept. Exit status 0: all compile; 1: not all; 2: it could not be run.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build arguments=("$@")
for ((i = 0; i < $#; ++i)); do
  [[ ${arguments[i]} != -p ]] || build=${arguments[i + 1]:-}
done
list=$(scripts/check-tidy.sh --list "$@") || exit 2
/usr/bin/python3 - "$build/compile_commands.json" "$PWD" "$list" <<'PYTHON'
import concurrent.futures, json, os, re, shlex, subprocess, sys, time
commands, root, files = sys.argv[1], sys.argv[2], sys.argv[3].split()
# Of what GCC 12 sees in std::string and is not there, see cmake/warnings.cmake.
WARNINGS = ["-Wno-restrict", "-Wno-stringop-overflow", "-Wno-stringop-overread", "-Wno-array-bounds"]
CLANGS = re.compile(r"-W(no-|error=)?thread-safety|-Winvalid-pch|-fpch-|--rsp-")
entries = {os.path.relpath(entry["file"], root): entry for entry in json.load(open(commands))}


def with_gcc(entry):
    """The entry's command with g++, without precompiled headers, without an object that is kept."""
    words, kept, skip = shlex.split(entry["command"]), ["g++"], 0
    while not re.search(r"(clang|[gc])\+\+(-\d+)?$", words.pop(0)):
        pass
    for word in words:
        if skip:
            skip -= 1
        elif word in ("-Xclang", "-o", "-MF", "-MT"):
            skip = 1
        elif not CLANGS.match(word) and word != "-MD":
            kept.append(word)
    return subprocess.run(kept + WARNINGS + ["-o", os.devnull], cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


start, failed = time.monotonic(), 0
with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    for done in pool.map(with_gcc, [entries[name] for name in files]):
        failed += done.returncode != 0
        print(done.stdout, end="")
print(f"check-gcc: {len(files)} files in {time.monotonic() - start:.0f} s, {failed} do not compile")
sys.exit(failed > 0)
PYTHON
