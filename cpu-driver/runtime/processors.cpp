// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/processors.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace skmd::cpu {

namespace {

// More than Linux is built for (NR_CPUS 8192, MAX_NUMNODES 1024): larger numbers are nonsense.
constexpr unsigned kMaxProcessors = 1 << 16;
constexpr unsigned kMaxCaches = 8;  // levels and kinds of one processor
constexpr unsigned kMaxNodes = 4096;

/// The file's first line; "" if there is none.
std::string line_of(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

/// The system's lists: "0-3,8,10-11". Empty for what is no list.
std::vector<unsigned> parse_list(const std::string& text) {
  std::vector<unsigned> ids;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    unsigned first = 0;
    unsigned last = 0;
    char dash = 0;
    std::istringstream range(word);
    if (!(range >> first)) return {};
    last = range >> dash >> last && dash == '-' ? last : first;
    if (last >= kMaxProcessors) return {};
    for (unsigned id = first; id <= last; ++id) ids.push_back(id);
  }
  return ids;
}

/// The least of a list, which stands for all that are in it.
unsigned leader(const std::string& list, unsigned otherwise) {
  const std::vector<unsigned> ids = parse_list(list);
  return ids.empty() ? otherwise : *std::min_element(ids.begin(), ids.end());
}

/// Identifies the processors that share the highest level of cache with `processor`.
unsigned last_cache(const std::string& processor) {
  int highest = 0;
  unsigned found = 0;
  for (unsigned i = 0; i < kMaxCaches; ++i) {
    const std::string cache = processor + "/cache/index" + std::to_string(i);
    const std::string level = line_of(cache + "/level");
    if (level.empty()) break;
    if (level.front() < '3' || level.front() > '9' || level.front() - '0' <= highest) continue;
    highest = level.front() - '0';
    found = leader(line_of(cache + "/shared_cpu_list"), 0);
  }
  return found;
}

std::map<unsigned, unsigned> nodes_of(const std::string& root) {
  std::map<unsigned, unsigned> nodes;
  for (const unsigned node : parse_list(line_of(root + "/sys/devices/system/node/online"))) {
    if (node >= kMaxNodes) break;
    const std::string list = line_of(root + "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist");
    for (const unsigned id : parse_list(list)) nodes[id] = node;
  }
  return nodes;
}

/// Processors' worth of time, of "quota period" in microseconds; 0: no limit.
double share(const std::string& quota, const std::string& period) {
  double allowed = 0;
  double of = 0;
  std::istringstream(quota) >> allowed;  // "max", "-1" or nothing: no limit
  std::istringstream(period) >> of;
  return allowed > 0 && of > 0 ? allowed / of : 0;
}

double share_of_group(const std::string& folder, bool unified) {
  if (!unified) return share(line_of(folder + "/cpu.cfs_quota_us"), line_of(folder + "/cpu.cfs_period_us"));
  const std::string line = line_of(folder + "/cpu.max");
  const std::size_t blank = line.find(' ');
  return blank == std::string::npos ? 0 : share(line.substr(0, blank), line.substr(blank + 1));
}

/// A group's limit is that of all groups above it as well. In a container the path may be the host's, and the group's
/// own files be those of the mount's root.
double least_share(const std::string& mount, std::string path, bool unified) {
  double least = 0;
  for (;;) {
    const double here = share_of_group(mount + path, unified);
    if (here > 0) least = least > 0 ? std::min(least, here) : here;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return least;
    path.resize(slash);
  }
}

bool names_controller(const std::string& list, std::string_view name) {
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    if (word == name) return true;
  return false;
}

/// Lines of /proc/self/cgroup: "number:controllers:path", without controllers for the unified hierarchy.
double quota_of(const std::string& root) {
  double least = 0;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1) == "/" ? "" : line.substr(second + 1);
    std::vector<std::string> mounts;
    if (controllers.empty())
      mounts = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    else if (names_controller(controllers, "cpu"))
      mounts = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/" + controllers};
    for (const std::string& mount : mounts) {
      const double found = least_share(root + mount, path, controllers.empty());
      if (found > 0) least = least > 0 ? std::min(least, found) : found;
    }
  }
  return least;
}

}  // namespace

std::vector<unsigned> affinity() {
  for (unsigned count = CPU_SETSIZE; count <= kMaxProcessors; count *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    std::vector<cpu_set_t> set((bytes + sizeof(cpu_set_t) - 1) / sizeof(cpu_set_t));
    std::vector<unsigned> ids;
    if (sched_getaffinity(0, bytes, set.data()) == 0)
      for (unsigned id = 0; id < count; ++id)
        if (CPU_ISSET_S(id, bytes, set.data())) ids.push_back(id);
    if (!ids.empty()) return ids;
  }
  return {0};
}

unsigned usable_processors() { return static_cast<unsigned>(affinity().size()); }

Topology read_topology(const std::string& root, const std::vector<unsigned>& usable) {
  Topology facts;
  const std::map<unsigned, unsigned> nodes = nodes_of(root);
  for (const unsigned id : usable) {
    const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(id);
    const auto node = nodes.find(id);
    facts.usable.push_back({id, leader(line_of(folder + "/topology/thread_siblings_list"), id), last_cache(folder),
                            node == nodes.end() ? 0 : node->second});
  }
  for (const unsigned id : parse_list(line_of(root + "/sys/devices/system/cpu/online")))
    if (std::find(usable.begin(), usable.end(), id) == usable.end()) facts.restricted = true;
  facts.quota = quota_of(root);
  return facts;
}

Topology this_topology() { return read_topology("", affinity()); }

}  // namespace skmd::cpu
