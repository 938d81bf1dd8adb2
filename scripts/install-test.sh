#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian package on a clean Debian 12 in a temporary folder, by the commands that README.md shows; uses it as an
# ordinary user beside other drivers; upgrades, removes and purges it:
#   scripts/install-test.sh [--base FOLDER] [BUILD-FOLDER]
# One line per check, then `install test: N checks, M failures`. --base: a minimal Debian 12 (debootstrap --variant=minbase) to copy
# instead of fetching one. Everything is fetched by apt's own sources; nothing outside of the temporary folder and the build
# folder, where the package is left, is changed.
# Exit status: 0 all good; 1 a check failed; 2 wrong arguments; 77 it cannot be run here, for a reason that it says.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 77
top=$PWD

base=""
if [[ ${1:-} == --base ]]; then
  base=${2:-}
  shift 2
fi
if [[ $# -gt 1 || ${1:-} == -* ]]; then
  echo "usage: install-test.sh [--base FOLDER] [BUILD-FOLDER]" >&2
  exit 2
fi
build=$(realpath "${1:-build}")

cannot() {
  echo "install-test: cannot be run here: $*" >&2
  exit 77
}
[[ $EUID -eq 0 ]] || cannot "it needs root, for chroot"
for tool in debootstrap cpack dpkg-deb apt-get unshare; do
  command -v "$tool" >/dev/null || cannot "there is no $tool"
done
[[ -e $build/CPackConfig.cmake ]] || cannot "$build is no finished build"
# Mounts in a namespace of our own are gone when we are, however that comes.
if [[ -z ${SKMD_OWN_MOUNTS:-} ]]; then
  unshare --mount true 2>/dev/null || cannot "mounts in a namespace of our own are not allowed"
  SKMD_OWN_MOUNTS=1 exec unshare --mount --propagation private "$top/scripts/install-test.sh" ${base:+--base "$base"} "$build"
fi

work=$(mktemp -d /var/tmp/skmd-install-XXXXXX)
root=$work/root
home=/users/tester
private=usr/lib/x86_64-linux-gnu/skmd
icd=etc/OpenCL/vendors/skmd.icd
two=(POCL_DEVICES='pthread basic' "SKMD_DEVICES=portable:pthread@discrete,portable:basic@discrete" SKMD_PARTITION=equal)
clean_up() {
  local place
  for place in sys proc dev/shm; do
    mountpoint -q "$root/$place" && umount -l "$root/$place"
  done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

checks=0
failures=0
# check TEXT command…: the command's output is shown only if it fails.
check() {
  local text=$1
  shift
  checks=$((checks + 1))
  if "$@" >"$work/output" 2>&1; then
    echo "ok: $text"
  else
    failures=$((failures + 1))
    echo "FAILED: $text"
    tail -n 25 "$work/output" | sed 's/^/    /'
  fi
}
finish() {
  echo "install test: $checks checks, $failures failures"
  exit $((failures > 0))
}

# The block of README.md under `<!-- tested by scripts/install-test.sh: NAME -->`.
shown() { sed -n "/^<!-- tested by scripts\/install-test.sh: $1 -->\$/,/^\`\`\`\$/p" "$top/README.md" | sed '1,2d;$d'; }

# In the clean root, as root or as a user who has nothing: inside VARIABLE=VALUE… command…
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 "$@"; }
as_user() { chroot --userspec=tester:tester "$root" /usr/bin/env -i -C $home PATH=/usr/bin:/bin HOME=$home LC_ALL=C.UTF-8 "$@"; }

sources() {
  apt-get indextargets --format "deb \$(SITE) \$(RELEASE) \$(COMPONENT)" 'Identifier: Packages' 'Origin: Debian' 'Component: main' \
    | grep -E ' bookworm(-updates|-security)? ' | sort -u
}

make_root() {
  local mirror
  mirror=$(sources | sed -n 's/^deb \(.*\) bookworm main$/\1/p' | head -n 1)
  if [[ -n $base ]]; then
    cp -a "$base" "$root" || cannot "$base cannot be copied"
  else
    [[ -n $mirror ]] || cannot "apt's sources have no bookworm"
    echo "== debootstrap"
    debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$work/log" 2>&1 ||
      cannot "debootstrap failed: $(tail -n 3 "$work/log")"
  fi
  mount -t proc proc "$root/proc" && mount --bind /sys "$root/sys" && mount -o remount,bind,ro "$root/sys" &&
    mkdir -p "$root/dev/shm" && mount -t tmpfs tmpfs "$root/dev/shm" || cannot "mounts are not allowed"
  [[ -z $(sources) ]] || sources >"$root/etc/apt/sources.list"
  apt-config dump 'Acquire::http::Proxy' 'Acquire::https::Proxy' >"$root/etc/apt/apt.conf.d/90proxy"
  printf 'APT::Get::Assume-Yes "true";\nDpkg::Use-Pty "0";\n' >"$root/etc/apt/apt.conf.d/91quiet"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir "$root/users" && inside useradd -m -d $home tester && inside apt-get update -qq >"$work/log" 2>&1 || cannot "no lists of packages: $(tail -n 3 "$work/log")"
}

# Files that no package owns, without those that apt and dpkg change for themselves.
unowned() {
  inside find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /srv -o -path $home -o -path /var/lib/apt \
    -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \) -prune -o -print | LC_ALL=C sort >"$work/all"
  cat "$root"/var/lib/dpkg/info/*.list | LC_ALL=C sort -u >"$work/owned"
  LC_ALL=C comm -23 "$work/all" "$work/owned"
}

# An older version of the package, with files that the newer one does not have.
make_older() {
  local package=$1 tree=$work/older
  dpkg-deb -R "$package" "$tree"
  local lib=$tree/$private/lib
  mv "$lib"/libskmd.so.0.* "$lib/libskmd.so.0.0.1"
  ln -sf libskmd.so.0.0.1 "$lib/libskmd.so.0"
  echo old >"$tree/$private/only-in-older"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$tree/DEBIAN/control"
  (cd "$tree" && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -Znone -b "$tree" "$work/older.deb"
}

# A driver of a name that Debian does not carry in main: its package, whose library is not there.
make_nvidia() {
  local tree=$work/nvidia
  mkdir -p "$tree/DEBIAN" "$tree/etc/OpenCL/vendors"
  echo libnvidia-opencl.so.1 >"$tree/etc/OpenCL/vendors/nvidia.icd"
  echo /etc/OpenCL/vendors/nvidia.icd >"$tree/DEBIAN/conffiles"
  printf '%s\n' 'Package: nvidia-opencl-icd' 'Version: 1' 'Architecture: amd64' 'Provides: opencl-icd' \
    'Maintainer: SKMD developers <skmd@localhost.invalid>' 'Description: stand-in' >"$tree/DEBIAN/control"
  dpkg-deb --root-owner-group -b "$tree" "$root/srv/nvidia.deb"
}

has_line() { grep -qE -- "$1" "$2" || { cat "$2"; return 1; }; }
platforms() { as_user "$@" clinfo -l >"$work/platforms" 2>&1; }
# sees NAME / sees_no NAME [variables…]: what clinfo -l says as the user.
sees() { platforms "${@:2}" && has_line "Platform #[0-9]+: $1\$" "$work/platforms"; }
sees_no() { platforms "${@:2}"; ! grep -E "Platform #[0-9]+: $1\$" "$work/platforms"; }
version_is() { [[ $(inside dpkg-query -W -f '${Version} ${db:Status-Abbrev}' skmd-opencl-icd) == "$1 ii " ]] || inside dpkg -l skmd-opencl-icd; }
installed() { inside dpkg-query -W -f '${db:Status-Abbrev}\n' "$@" >"$work/states" && ! grep -v '^ii' "$work/states"; }
workload() { as_user "${@:2}" "/srv/bench/$1" --size small --device skmd:0 --check >"$work/answer" && has_line '"ok":true' "$work/answer"; }
split_launches() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import json, sys
kernels = json.load(open(sys.argv[1]))["kernels"]
print(kernels)
sys.exit(0 if kernels and all(k["split_launches"] == k["launches"] > 0 and min(k["groups"]) > 0 for k in kernels) else 1)
PYTHON
}
# A user without a home folder gets no cache, and none appears elsewhere.
homeless() {
  as_user env -u HOME /srv/bench/reduction --size small --device skmd:0 --check &&
    as_user HOME=/nonexistent POCL_CACHE_DIR=/tmp/pocl /srv/bench/reduction --size small --device skmd:0 --check && [[ ! -e $root/nonexistent ]]
}
icd_is_ours() { [[ $(<"$root/$icd") == "/$private/lib/libskmd.so.0" ]]; }
as_packed() { inside dpkg --verify skmd-opencl-icd >"$work/changed" && diff /dev/null "$work/changed"; }
nothing_beside_icd() { ! compgen -G "$root/$icd.dpkg-*"; }

package_parts() {
  local commands
  commands=$(shown pack)
  [[ -n $commands ]] || { echo "README.md shows no way to pack"; return 1; }
  mkdir "$work/tree" && ln -s "$build" "$work/tree/build" || return 1
  (cd "$work/tree" && bash -euo pipefail -c "$commands")
}

check_bare_system() {
  cp "$work/older.deb" "$root/srv/older.deb"
  check "it installs on a bare system, by apt" inside apt-get install /srv/older.deb
  check "apt brought the loader and a driver for the processor" installed ocl-icd-libopencl1 pocl-opencl-icd
  check "it is purged" inside apt-get purge skmd-opencl-icd
}

# The system as it is to be again in the end: with other drivers, without ours.
make_neighbours() {
  make_nvidia >/dev/null
  { inside apt-mark manual ocl-icd-libopencl1 pocl-opencl-icd &&
    inside apt-get install --no-install-recommends clinfo mesa-opencl-icd /srv/nvidia.deb; } >"$work/log" 2>&1 ||
    cannot "other drivers do not install: $(tail -n 3 "$work/log")"
  unowned >"$work/before"
}

check_installing() {
  check "it installs beside other drivers" inside apt-get install /srv/older.deb
  check "all of them are there" installed skmd-opencl-icd mesa-opencl-icd pocl-opencl-icd nvidia-opencl-icd ocl-icd-libopencl1
  check "this is an older version" test -e "$root/$private/only-in-older"
  check "which works" sees SKMD
  mkdir -p "$root/srv/build"
  cp "$package" "$root/srv/build/"
  check "README's command upgrades it" inside env -C /srv bash -euo pipefail -c "$(shown install)"
  check "the version is $version" version_is "$version"
  check "the older version's files are gone" test ! -e "$root/$private/only-in-older" -a ! -e "$root/$private/lib/libskmd.so.0.0.1"
  check "skmd.icd names the library" icd_is_ours
  check "no copies of skmd.icd" nothing_beside_icd
  check "every file is as packed" as_packed
  check "dependencies are whole" inside apt-get check
}

check_using() {
  local name
  check "clinfo sees SKMD" sees SKMD
  check "clinfo sees PoCL beside it" sees 'Portable Computing Language'
  check "clinfo can query SKMD" as_user OCL_ICD_VENDORS=/$icd clinfo
  check "clinfo can query SKMD and PoCL" as_user clinfo
  for name in vector_add reduction matrix_multiplication; do
    check "$name is right through the loader" workload "$name"
    check "$name is right, split" workload "$name" "${two[@]}" SKMD_STATS=$home/stats.json
    check "$name was split over two devices" split_launches "$root$home/stats.json"
  done
  check "PoCL's own platform works in the same process" as_user /srv/bench/vector_add --size small --device portable:0 --check
  as_user SKMD_LOG=info:$home/log /srv/bench/vector_add --size small --device skmd:0 --check >/dev/null
  check "its own skmd.icd is skipped" has_line "skmd.icd: .*is this driver itself" "$root$home/log"
  check "compiled programs are in the user's folder" test -d "$root$home/.cache/skmd"
  check "without a home there is no folder of compiled programs" homeless
  check "skmd-run works" as_user "${two[@]}" skmd-run --stats $home/run.json -- /srv/bench/histogram --size small --check
  check "skmd-run's application was split" split_launches "$root$home/run.json"
  as_user skmd-info >"$work/info" 2>&1
  check "skmd-info shows the installed driver" has_line "^driver: /$private/lib/libskmd.so" "$work/info"
}

check_choosing() {
  check "OCL_ICD_VENDORS chooses SKMD alone" sees_no 'Portable Computing Language' OCL_ICD_VENDORS=/$icd
  check "SKMD alone still uses the other drivers" sees SKMD OCL_ICD_VENDORS=/$icd
  check "OCL_ICD_VENDORS chooses another driver alone" sees_no SKMD OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
  echo "# local" >>"$root/$icd"
  check "an upgrade over a changed skmd.icd" reinstall
  check "keeps the change" has_line '^# local$' "$root/$icd"
  rm "$root/$icd"
  check "without skmd.icd there is no SKMD" sees_no SKMD
  check "an upgrade without skmd.icd" reinstall
  check "leaves SKMD off" test ! -e "$root/$icd"
  check "skmd-run works all the same" as_user skmd-run -- /srv/bench/histogram --size small --check
  check "it is switched on again" inside apt-get install --reinstall -o Dpkg::Options::=--force-confmiss "/srv/build/${package##*/}"
  check "and seen" sees SKMD
}
# Down and up again, as a system that is upgraded.
reinstall() { inside dpkg -i /srv/older.deb && inside dpkg -i "/srv/build/${package##*/}"; }

check_removing() {
  check "it is removed" inside apt-get remove skmd-opencl-icd
  check "only skmd.icd is left" test -e "$root/$icd" -a ! -e "$root/$private" -a ! -e "$root/usr/bin/skmd-run"
  check "the others work without it" sees 'Portable Computing Language'
  check "SKMD is not seen" sees_no SKMD
  check "it is purged" inside apt-get purge skmd-opencl-icd
  (cd "$root" && find . -xdev -ipath '*skmd*' -not -path './srv/*' -not -path ".$home/*") >"$work/left"
  check "no file has its name" diff /dev/null "$work/left"
  unowned >"$work/after"
  check "nothing that no package owns was left behind" diff <(LC_ALL=C comm -13 "$work/before" "$work/after") /dev/null
  check "dependencies are whole" inside apt-get check
}

check "README's command packs" package_parts
package=$(ls -t "$build"/skmd-opencl-icd_*.deb 2>/dev/null | head -n 1)
[[ -n $package ]] || finish
version=$(dpkg-deb -f "$package" Version)
echo "== $(basename "$package"): $(($(stat -c %s "$package") / 1024)) KiB, $(dpkg-deb -f "$package" Installed-Size) KiB installed"
if command -v lintian >/dev/null; then
  check "lintian has no errors or warnings" lintian --allow-root --fail-on error,warning "$package"
else
  echo "== there is no lintian: its opinion is not asked"
fi
make_older "$package" >/dev/null || { echo "FAILED: an older package could not be made"; exit 1; }
make_root
mkdir -p "$root/srv/bench"
for name in vector_add reduction matrix_multiplication histogram; do cp "$build/bench/$name" "$root/srv/bench/"; done
chmod -R a+rX "$root/srv"
check_bare_system
make_neighbours
check_installing
check_using
check_choosing
check_removing
finish
