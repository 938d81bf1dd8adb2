#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy as .clang-tidy says: check-tidy.sh [-p FOLDER] [--most N] [--list] [--all | --since COMMIT | FILE…]. Without files: what
# changed since the last commit that .ci/run found good (build/ci-good), or since the one before. For a header, a file that
# includes it is read. --most N: no more than N files; the last line says how many were left out. --list prints the files that would be read,
# and reads none. FOLDER is that of a build (compile_commands.json, generated headers), else build. Exit status 0: nothing found; 1: something; 2: it could not be run.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/llvm-tools.sh

build=build
since='' all=0 most=0 list=0 files=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -p) build=${2:?a folder}; shift ;;
    --all) all=1 ;;
    --list) list=1 ;;
    --since) since=${2:?a commit}; shift ;;
    --most) most=${2:?a number}; shift ;;
    -*) echo "usage: check-tidy.sh [-p FOLDER] [--most N] [--list] [--all | --since COMMIT | FILE…]" >&2; exit 2 ;;
    *) files+=("$1") ;;
  esac
  shift
done
tool=$(llvm_tool clang-tidy) || exit 2
[[ -e $build/compile_commands.json ]] || { echo "check-tidy: no $build/compile_commands.json: scripts/build.sh makes it" >&2; exit 2; }

last_good() {
  local good=''
  [[ ! -e build/ci-good ]] || good=$(cat build/ci-good)
  if [[ -n $good ]] && git merge-base --is-ancestor "$good" HEAD 2>/dev/null; then echo "$good"; else echo HEAD~1; fi
}
changed_files() {
  git diff --name-only --diff-filter=d "$1" -- '*.cpp' '*.h' '*.inc' '*.def'
  git ls-files --others --exclude-standard -- '*.cpp' '*.h' '*.inc' '*.def'
}
# Of the compiled files: each that is named, and for each other one that includes it, however far away.
compiled() {
  /usr/bin/python3 - "$build/compile_commands.json" "$PWD" "$@" <<'PYTHON'
import json, os, re, subprocess, sys
commands, root = sys.argv[1], sys.argv[2]
names = [os.path.relpath(name, root) for name in sys.argv[3:]]
known = sorted({os.path.relpath(entry["file"], root) for entry in json.load(open(commands))})
known = [path for path in known if path.endswith(".cpp") and not path.startswith("build/")]
compiled, includers = set(known), {}
if not compiled.issuperset(names):
    files = subprocess.run(["git", "ls-files", "*.cpp", "*.h"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for path in filter(os.path.exists, files):
        with open(path, encoding="utf-8") as file:
            for header in re.findall(r'#\s*include "([^"]+)"', file.read()):
                includers.setdefault(header, []).append(path)
                includers.setdefault(os.path.join(os.path.dirname(path), header), []).append(path)
def nearest(name):
    own, seen = os.path.splitext(name)[0] + ".cpp", {name}
    level = [own] if own in compiled else [name]
    while level:
        found = sorted(path for path in level if path in compiled)
        if found:
            return found[:1]
        level = [path for one in level for path in includers.get(one, []) if path not in seen]
        seen.update(level)
    return []
chosen = {path for name in names for path in nearest(name)} if names else compiled
print(*sorted(chosen), sep="\n")
PYTHON
}

if [[ $all -eq 0 && ${#files[@]} -eq 0 ]]; then
  since=${since:-$(last_good)}
  # A clone of depth 1 has no commit before: everything in it is new.
  if [[ $since == HEAD~1 ]] && ! git rev-parse -q --verify 'HEAD~1^{commit}' >/dev/null; then since=$(git hash-object -t tree /dev/null); fi
  git rev-parse -q --verify "$since^{tree}" >/dev/null || { echo "check-tidy: there is no commit $since" >&2; exit 2; }
  mapfile -t files < <(changed_files "$since")
  [[ ${#files[@]} -gt 0 ]] || { echo "check-tidy: no C++ changed since $since" >&2; exit 0; }
fi
for file in "${files[@]}"; do
  [[ -e $file ]] || { echo "check-tidy: there is no file $file" >&2; exit 2; }
done
chosen=$(compiled "${files[@]}") || exit 2
mapfile -t sources < <(grep . <<<"$chosen")
left=0
if [[ $most -gt 0 && ${#sources[@]} -gt $most ]]; then
  # Others at each commit, so that what is left out now is read by and by.
  left=$((${#sources[@]} - most))
  mapfile -t sources < <(printf '%s\n' "${sources[@]}" | shuf --random-source=<(yes "$(git rev-parse HEAD)"))
  sources=("${sources[@]:0:$most}")
fi
if [[ $list -ne 0 ]]; then
  [[ ${#sources[@]} -eq 0 ]] || printf '%s\n' "${sources[@]}"
  exit 0
fi
# .ci/run does not call a commit good of which files were not read.
if [[ $left -gt 0 ]]; then touch "$build/tidy-left"; else rm -f "$build/tidy-left"; fi
# Without precompiled headers a file has to include what it uses.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -E 's/ -Winvalid-pch//g; s/( -Xclang)? -include(-pch)?( -Xclang)? [^ "]*cmake_pch\.hxx(\.pch)?//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
start=$SECONDS status=0
if [[ ${#sources[@]} -gt 0 ]]; then
  # GCC's options are in the commands, of warnings and of its own. What tidy counts and does not show is no news.
  printf '%s\0' "${sources[@]}" |
    xargs -0 -n 1 -P "$(nproc)" "$tool" -p "$commands" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-unused-command-line-argument \
      2> >(grep -vE '^[0-9]+ warnings? (and [0-9]+ errors? )?generated\.$' >&2) || status=1
fi
echo "check-tidy: ${#sources[@]} files in $((SECONDS - start)) s${since:+, changed since $since}; $left left to --all"
exit $status
