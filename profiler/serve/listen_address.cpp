// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/listen_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <string_view>

#include "profiler/serve/serve_constants.h"

namespace skmd::profiler {

namespace {

struct Network {
  std::uint32_t address;
  unsigned bits;
  Reach reach;
};

constexpr std::uint32_t ip(unsigned a, unsigned b, unsigned c, unsigned d) { return a << 24U | b << 16U | c << 8U | d; }

// RFC 1122 (loopback), RFC 1918 (private), RFC 3927 (link-local).
constexpr Network kNetworks[] = {
    {ip(127, 0, 0, 0), 8, Reach::host},       {ip(10, 0, 0, 0), 8, Reach::network},
    {ip(172, 16, 0, 0), 12, Reach::network},  {ip(192, 168, 0, 0), 16, Reach::network},
    {ip(169, 254, 0, 0), 16, Reach::network},
};

domain::Error expected(const std::string& text, const std::string& what) {
  return {0, "--listen " + text + ": expected " + what};
}

}  // namespace

Reach reach_of(std::uint32_t address) {
  for (const Network& network : kNetworks)
    if ((address ^ network.address) >> (32U - network.bits) == 0) return network.reach;
  return Reach::anyone;
}

domain::Result<ListenAddress> parse_listen_address(const std::string& text) {
  constexpr std::string_view kUnix = "unix:";
  if (text.starts_with(kUnix)) {
    ListenAddress result;
    result.folder = text.substr(kUnix.size());
    while (result.folder.size() > 1 && result.folder.ends_with('/')) result.folder.pop_back();
    if (result.folder.starts_with('/') && result.folder.size() > 1 && result.folder.size() <= kLongestFolder)
      return result;
    return expected(text, "an absolute path of at most " + std::to_string(kLongestFolder) +
                              " characters behind unix:, of a folder that is made");
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return expected(text, "ADDRESS:PORT, as 10.0.0.5:10998, or unix:FOLDER");
  ListenAddress result;
  result.host = text.substr(0, colon);
  if (result.host == "localhost") result.host = "127.0.0.1";
  in_addr address{};
  if (inet_pton(AF_INET, result.host.c_str(), &address) != 1)
    return expected(text, "an IPv4 address of this host in numbers, or localhost, before the port");
  result.ip = ntohl(address.s_addr);

  const char* const first = text.data() + colon + 1;
  const char* const last = text.data() + text.size();
  unsigned port = 0;
  const auto [end, error] = std::from_chars(first, last, port);
  if (error != std::errc() || end != last || port < 1 || port > kLastPort)
    return expected(text,
                    "a port from 1 to " + std::to_string(kLastPort) + ", of which the two that follow are used too");
  result.port = static_cast<std::uint16_t>(port);
  return result;
}

}  // namespace skmd::profiler
