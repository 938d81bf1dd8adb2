// SPDX-License-Identifier: Apache-2.0
// Where skmd-serve listens, and who can reach it there. Values in, values out.
#pragma once

#include <cstdint>
#include <string>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// Who reaches an address: programs of this host, hosts of a private network (RFC 1918, link-local), or anyone.
enum class Reach { host, network, anyone };

/// A folder of Unix sockets, or else an address and port.
struct ListenAddress {
  std::string folder;      // absolute; "": none
  std::string host;        // four numbers, as given
  std::uint32_t ip = 0;    // the same, in host byte order
  std::uint16_t port = 0;  // the first of three that the daemon takes

  [[nodiscard]] std::string text() const {
    return folder.empty() ? host + ":" + std::to_string(port) : "unix:" + folder;
  }
  /// Where a program of this host reaches what listens there: the loopback where it listens at every address.
  [[nodiscard]] std::string local_text() const {
    return folder.empty() && ip == 0 ? "127.0.0.1:" + std::to_string(port) : text();
  }
};

/// ADDRESS:PORT, an IPv4 address in numbers or `localhost`; or unix:FOLDER, an absolute path of kLongestFolder
/// characters at most. The reason of an error names the text and what is expected.
domain::Result<ListenAddress> parse_listen_address(const std::string& text);

/// 0.0.0.0 is every address of the host, hence anyone.
Reach reach_of(std::uint32_t ip);

}  // namespace skmd::profiler
