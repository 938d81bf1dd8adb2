// SPDX-License-Identifier: Apache-2.0
// The list of other machines whose devices take part: what SKMD_HOSTS holds, and a file of hosts. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::settings {

/// Hosts at most: as many as there are memory spaces, of which each host's devices take one at least.
inline constexpr std::size_t kMaxHosts = 64;
/// The last port that may be named: a server listens on two more behind the one that is named.
inline constexpr unsigned kLastHostPort = 65533;
/// Characters of a host's name at most. Source: RFC 1035, section 2.3.4 (255 octets, of which two frame the text).
inline constexpr std::size_t kLongestHost = 253;
/// Where servers on the nodes of a SLURM job are expected, unless `slurm:PORT` says otherwise. A choice: outside of the
/// ports that Linux gives to connections (32768 to 60999, ip_local_port_range).
inline constexpr unsigned kDefaultPort = 10998;

struct Host {
  std::string name;  // as the user wrote it: HOST:PORT, ssh:[USER@]HOST, slurm or slurm:PORT
  /// Where it is reached: HOST:PORT or unix:FOLDER; "" for an `ssh:` host that is not, and for slurm.
  std::string server;
  /// For `ssh:`: skmd-run has tried to reach it, and `server` says whether it could. False for slurm.
  bool tried = true;
  /// Not 0: this stands for the nodes of a SLURM job, with a server at this port on each.
  unsigned nodes_port = 0;

  [[nodiscard]] bool by_ssh() const { return name != server && name.starts_with("ssh:"); }
  bool operator==(const Host&) const = default;
};

/// Whether a host's name may have this character: a letter, a digit, '.', '-' or '_'.
bool in_host_name(char c);

/// Comma-separated entries; blanks around one do not count. Returned in their order; none of "". An entry is
///   HOST:PORT, HOST a name or an IPv4 address; or
///   ssh:[USER@]HOST, which skmd-run reaches and gives to the application as
///   ssh:[USER@]HOST=unix:FOLDER, or ssh:[USER@]HOST= where it could not; or
///   slurm or slurm:PORT, which skmd-run replaces by nodes of its SLURM job (profiler/slurm_job.h).
/// `ssh:` with a number behind it is a host of this name and a port. `slurm` in small letters is never a host: one of
/// this name is written SLURM:PORT, since names have no case, or in full. An error names `argument` (the variable or
/// option), the entry and the limit: an empty entry or host, other characters in a host or user than letters, digits,
/// '.', '-' and '_', one of `ssh:` that begins with '-', a port that is not from 1 to kLastHostPort, a host named twice
/// (in any case), more than kMaxHosts.
domain::Result<std::vector<Host>> parse_hosts(std::string_view argument, const std::string& text);

/// The list that parse_hosts() reads as `hosts`.
std::string text_of(const std::vector<Host>& hosts);

/// An error for a host of `ssh:` that was not tried, and for slurm: only skmd-run knows them.
domain::Status all_tried(std::string_view argument, const std::vector<Host>& hosts);

/// The text of a file of hosts as parse_hosts() takes it: one entry a line; what follows a '#' is a comment, and lines
/// without anything else do not count. An error names `file` and the line of a wrong entry, or says that there is no
/// host.
domain::Result<std::string> hosts_of_file(const std::string& file, const std::string& text);

}  // namespace skmd::settings
