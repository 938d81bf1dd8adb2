# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks of form: the tools they use, of one version, since each version formats and warns differently.
llvm_tools_version=14

# llvm_tool NAME: prints the program's name. Fails, with the reason on standard error, where it is missing or of another version.
llvm_tool() {
  local tool=${LLVM_TOOLS:+$LLVM_TOOLS/}$1-$llvm_tools_version version
  if ! command -v "$tool" >/dev/null; then
    echo "$1: there is no $tool: install the Debian package $1-$llvm_tools_version (scripts/setup.sh does)" >&2
    return 1
  fi
  version=$("$tool" --version | grep -oE 'version [0-9]+' | head -n 1)
  if [[ $version != "version $llvm_tools_version" ]]; then
    echo "$1: $tool is of ${version:-an unknown version}: version $llvm_tools_version is expected" >&2
    return 1
  fi
  echo "$tool"
}

# All C++ of the repository, new files too, one a line.
cpp_files() {
  git ls-files --cached --others --exclude-standard -- '*.cpp' '*.h' '*.c' '*.inc' '*.def' | sort -u |
    while read -r file; do [[ ! -e $file ]] || echo "$file"; done
}
