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

/// Comma-separated HOST:PORT, where HOST is a name or an IPv4 address; blanks around an entry do not count. Returned as
/// they were written, in their order; none of "". An error names `argument` (the variable or option), the entry and the
/// limit: an empty entry or host, other characters in a host than letters, digits, '.', '-' and '_', a port that is not
/// from 1 to kLastHostPort, an entry named twice (in any case), more than kMaxHosts.
domain::Result<std::vector<std::string>> parse_hosts(std::string_view argument, const std::string& text);

/// The text of a file of hosts as parse_hosts() takes it: one HOST:PORT a line; what follows a '#' is a comment, and
/// lines without anything else do not count. An error names `file` and the line of a wrong entry, or says that there is
/// no host.
domain::Result<std::string> hosts_of_file(const std::string& file, const std::string& text);

}  // namespace skmd::settings
