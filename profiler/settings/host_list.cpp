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

constexpr const char* kSsh = "ssh:";
constexpr const char* kSlurm = "slurm";
constexpr const char* kExpected = "expected HOST:PORT, ssh:[USER@]HOST or slurm";
constexpr const char* kUnix = "unix:";

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What is wrong with a host's name; "": nothing.
std::string fault_of_name(const std::string& host) {
  if (host.size() > kLongestHost)
    return "has a host of " + std::to_string(host.size()) + " characters, at most " + std::to_string(kLongestHost) +
           " are possible";
  if (!std::all_of(host.begin(), host.end(), in_host_name))
    return "has the host '" + host + "'; expected a name or an IPv4 address";
  return {};
}

std::string fault_of_ssh(const std::string& entry) {
  const std::string rest = entry.substr(std::string_view(kSsh).size());
  const auto at = rest.find('@');
  const std::string host = at == std::string::npos ? rest : rest.substr(at + 1);
  if (host.empty()) return "names no host; expected ssh:[USER@]HOST";
  if (host.find(':') != std::string::npos)
    return "has more than a host behind 'ssh:'; expected ssh:[USER@]HOST, and the port in ssh's configuration";
  if (std::string fault = fault_of_name(host); !fault.empty()) return fault;
  const std::string user = rest.substr(0, at == std::string::npos ? 0 : at);
  if (at == 0 || !std::all_of(user.begin(), user.end(), in_host_name))
    return "has the user '" + user + "'; expected letters, digits, '.', '-' and '_'";
  // ssh would take it for an option.
  if (rest.front() == '-' || host.front() == '-') return "has a user or host that begins with '-'";
  return {};
}

/// What is wrong with a port; "": nothing, and it is in `port`.
std::string read_port(const std::string& text, unsigned& port) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = !text.empty() && end == text.data() + text.size() && code == std::errc();
  if (!whole || port < 1 || port > kLastHostPort)
    return "has the port '" + text + "'; expected a number from 1 to " + std::to_string(kLastHostPort);
  return {};
}

std::string fault_of_address(const std::string& entry) {
  const auto colon = entry.rfind(':');
  if (colon == std::string::npos) return std::string("has no port; ") + kExpected;
  const std::string host = entry.substr(0, colon);
  if (host.empty()) return "names no host; expected HOST:PORT";
  if (std::string fault = fault_of_name(host); !fault.empty()) return fault;
  unsigned port = 0;
  return read_port(entry.substr(colon + 1), port);
}

/// `slurm`, or `slurm:PORT`.
bool is_slurm(const std::string& entry) { return entry.substr(0, entry.find(':')) == kSlurm; }

std::string read_slurm(const std::string& entry, Host& host) {
  host = {.name = entry, .server = "", .tried = false, .nodes_port = kDefaultPort};
  if (entry == kSlurm) return {};
  return read_port(entry.substr(entry.find(':') + 1), host.nodes_port);
}

/// Reads one entry; returns why it is none, "" where it is one.
std::string read_host(const std::string& entry, Host& host) {
  if (is_slurm(entry)) return read_slurm(entry, host);
  if (!entry.starts_with(kSsh) || is_number(entry.substr(std::string_view(kSsh).size()))) {
    host = {.name = entry, .server = entry};
    return fault_of_address(entry);
  }
  const auto equals = entry.find('=');
  host = {.name = entry.substr(0, equals), .server = "", .tried = equals != std::string::npos};
  if (host.tried) host.server = entry.substr(equals + 1);
  if (!host.server.empty() && !host.server.starts_with(std::string(kUnix) + "/"))
    return "has '" + host.server + "' behind its '='; expected unix:FOLDER, as skmd-run sets it";
  return fault_of_ssh(host.name);
}

Error wrong(std::string_view argument, const std::string& entry, const std::string& why) {
  return Error{0, std::string(argument) + ": '" + entry + "' " + why};
}

}  // namespace

bool in_host_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

Result<std::vector<Host>> parse_hosts(std::string_view argument, const std::string& text) {
  std::vector<Host> hosts;
  std::vector<std::string> known;
  if (trimmed(text).empty()) return hosts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (entry.empty())
      return wrong(argument, text, std::string("has an empty entry; ") + kExpected + ", comma-separated");
    Host host;
    if (std::string why = read_host(entry, host); !why.empty()) return wrong(argument, entry, why);
    // Beside slurm:PORT there may be a host SLURM:PORT.
    const std::string key = host.nodes_port == 0 ? lower(host.name) : "nodes " + host.name;
    if (std::find(known.begin(), known.end(), key) != known.end()) return wrong(argument, entry, "is named twice");
    if (hosts.size() == kMaxHosts)
      return wrong(argument, entry, "is one more than the " + std::to_string(kMaxHosts) + " hosts that are possible");
    known.push_back(key);
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::string text_of(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) {
    text += (text.empty() ? "" : ",") + host.name;
    if (host.by_ssh() && host.tried) text += "=" + host.server;
  }
  return text;
}

domain::Status all_tried(std::string_view argument, const std::vector<Host>& hosts) {
  for (const Host& host : hosts)
    if (!host.tried)
      return wrong(argument, host.name,
                   std::string(host.nodes_port == 0 ? "is reached by" : "is a SLURM job's nodes, which are listed by") +
                       " skmd-run; start the application with skmd-run, or name a HOST:PORT");
  return {};
}

Result<std::string> hosts_of_file(const std::string& file, const std::string& text) {
  std::istringstream lines(text);
  std::string list;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string entry = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (entry.empty()) continue;
    Host host;
    if (std::string why = read_host(entry, host); !why.empty())
      return wrong(file + ":" + std::to_string(number), entry, why);
    list += (list.empty() ? "" : ",") + entry;
  }
  if (list.empty()) return Error{0, file + ": names no host; " + kExpected + ", one a line"};
  return list;
}

}  // namespace skmd::settings
