# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that need Debian packages. Works as root, or through sudo.

# Those of the packages named that are not installed.
absent() {
  local package
  for package in "$@"; do
    [[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" == ii* ]] || echo "$package"
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "packages are missing and neither root nor sudo is there to install them" >&2
    return 1
  fi
}

# install LOG package…
install() {
  local log=$1
  shift
  as_root apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}

# install_each WHO LOG package…: all at once, else one at a time, which tells which of them is the trouble. One line for each
# that cannot be had.
install_each() {
  local who=$1 log=$2 package
  shift 2
  as_root apt-get update -qq >"$log" 2>&1 || echo "$who: apt-get update failed: $(tail -n 1 "$log")" >&2
  install "$log" "$@" && return 0
  for package in "$@"; do
    install "$log" "$package" || echo "$who: cannot install $package: $(grep -m 1 '^E:' "$log" || tail -n 1 "$log")" >&2
  done
}
