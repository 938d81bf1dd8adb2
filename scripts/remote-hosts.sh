# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that need two hosts: network namespaces skmd-a (10.77.0.1, the client) and skmd-b (10.77.0.2, the server), which go when
# the script ends. remote_hosts NAME sets `hosts` to the server's address and the words that a command on either host begins with; where
# namespaces cannot be made, both are this host with its loopback, and one line says so. As root it installs iproute2 and openssh-server
# if they are missing. Needs scripts/packages.sh.
remote_log=$(mktemp)
remote_made=()

remove_remote_hosts() {
  local space
  for space in "${remote_made[@]}"; do
    # What a program has left in it goes too.
    ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
  done
  rm -f "$remote_log"
}
trap remove_remote_hosts EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

make_remote_hosts() {
  [[ $EUID -eq 0 ]] && command -v ip >/dev/null || return 1
  local space
  for space in skmd-a skmd-b; do
    # Left by a script that was killed, if no process is in it.
    [[ ! -e /run/netns/$space || -n $(ip netns pids "$space" 2>/dev/null) ]] || ip netns del "$space" 2>/dev/null || true
    ip netns add "$space" 2>"$remote_log" || return 1
    remote_made+=("$space")
    ip -n "$space" link set lo up || return 1
  done
  ip -n skmd-a link add eth0 type veth peer name eth0 netns skmd-b 2>"$remote_log" &&
    ip -n skmd-a address add 10.77.0.1/24 dev eth0 && ip -n skmd-b address add 10.77.0.2/24 dev eth0 &&
    ip -n skmd-a link set eth0 up && ip -n skmd-b link set eth0 up
}

remote_hosts() {
  local missing
  if [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
    mapfile -t missing < <(absent iproute2 openssh-server)
    [[ ${#missing[@]} -eq 0 ]] || install_each "$1" "$remote_log" "${missing[@]}" || true
  fi
  if make_remote_hosts; then
    hosts=(10.77.0.2 "ip netns exec skmd-a" "ip netns exec skmd-b")
  else
    echo "$1: network namespaces cannot be made ($(tail -n 1 "$remote_log")); client and servers share the loopback" >&2
    hosts=(127.0.0.1 "" "")
  fi
}
