// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/client/client_constants.h"
#include "compiler/client/hash.h"

namespace skmd::compiler {
namespace {

struct Entry {
  std::int64_t used = 0;  // nanoseconds
  std::uint64_t bytes = 0;
  std::string name;
};

std::uint64_t random_number() {
  static std::atomic<std::uint64_t> count{0};
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  // Before the kernel's pool is filled: unlike others at least.
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto mixed =
      static_cast<std::uint64_t>(now.tv_nsec) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(::getpid());
  return mixed * 0xD1B54A32D192ED03u + count.fetch_add(0x9E3779B97F4A7C15u);
}

}  // namespace

std::string unique_name() {
  const std::uint64_t numbers[] = {random_number(), random_number()};
  return to_hex({reinterpret_cast<const char*>(numbers), sizeof numbers});
}

bool time_to_sweep(std::uint64_t bytes, std::uint64_t limit) {
  const std::uint64_t share = std::max<std::uint64_t>(limit / tuning::kSweepsPerLimit, 1);
  return bytes >= share || random_number() % share < bytes;
}

void sweep(const std::string& folder, std::uint64_t limit) {
  DIR* listing = ::opendir(folder.c_str());
  if (listing == nullptr) return;
  const int place = ::dirfd(listing);
  const time_t now = ::time(nullptr);
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  while (const dirent* found = ::readdir(listing)) {
    const std::string_view name = found->d_name;
    struct stat info {};
    const bool unfinished = name.ends_with(kUnfinishedSuffix);
    if (!unfinished && !name.ends_with(kEntrySuffix)) continue;
    if (::fstatat(place, found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid()) continue;
    if (unfinished) {
      if (info.st_mtim.tv_sec + tuning::kLeftoverSeconds < now) ::unlinkat(place, found->d_name, 0);
      continue;
    }
    const std::int64_t used = std::int64_t{info.st_mtim.tv_sec} * 1000000000 + info.st_mtim.tv_nsec;
    entries.push_back({used, static_cast<std::uint64_t>(info.st_size), std::string(name)});
    total += entries.back().bytes;
  }
  if (total > limit) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
      if (total <= limit - limit / 4) break;
      ::unlinkat(place, entry.name.c_str(), 0);
      total -= entry.bytes;
    }
  }
  ::closedir(listing);
}

}  // namespace skmd::compiler
