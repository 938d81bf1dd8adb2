// SPDX-License-Identifier: Apache-2.0
#include "profiler/settings/host_list.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace skmd::settings {
namespace {

using domain::Error;
using domain::Result;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool in_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

/// Why `entry` is no HOST:PORT; "": it is one.
std::string fault_of(const std::string& entry) {
  const auto colon = entry.rfind(':');
  if (colon == std::string::npos) return "has no port; expected HOST:PORT";
  const std::string host = entry.substr(0, colon), port = entry.substr(colon + 1);
  if (host.empty()) return "names no host; expected HOST:PORT";
  if (host.size() > kLongestHost)
    return "has a host of " + std::to_string(host.size()) + " characters, at most " + std::to_string(kLongestHost) +
           " are possible";
  if (!std::all_of(host.begin(), host.end(), in_host))
    return "has the host '" + host + "'; expected a name or an IPv4 address";
  unsigned number = 0;
  const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool whole = !port.empty() && end == port.data() + port.size() && code == std::errc();
  if (!whole || number < 1 || number > kLastHostPort)
    return "has the port '" + port + "'; expected a number from 1 to " + std::to_string(kLastHostPort);
  return {};
}

Error wrong(std::string_view argument, const std::string& entry, const std::string& why) {
  return Error{0, std::string(argument) + ": '" + entry + "' " + why};
}

}  // namespace

Result<std::vector<std::string>> parse_hosts(std::string_view argument, const std::string& text) {
  std::vector<std::string> hosts, known;
  if (trimmed(text).empty()) return hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (entry.empty()) return wrong(argument, text, "has an empty entry; expected HOST:PORT, comma-separated");
    if (std::string why = fault_of(entry); !why.empty()) return wrong(argument, entry, why);
    const std::string key = lower(entry);
    if (std::find(known.begin(), known.end(), key) != known.end()) return wrong(argument, entry, "is named twice");
    if (hosts.size() == kMaxHosts)
      return wrong(argument, entry, "is one more than the " + std::to_string(kMaxHosts) + " hosts that are possible");
    known.push_back(key);
    hosts.push_back(entry);
  }
  return hosts;
}

Result<std::string> hosts_of_file(const std::string& file, const std::string& text) {
  std::istringstream lines(text);
  std::string list;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string entry = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (entry.empty()) continue;
    if (std::string why = fault_of(entry); !why.empty()) return wrong(file + ":" + std::to_string(number), entry, why);
    list += (list.empty() ? "" : ",") + entry;
  }
  if (list.empty()) return Error{0, file + ": names no host; expected one HOST:PORT a line"};
  return list;
}

}  // namespace skmd::settings
