// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/shipped.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "compiler/client/hash.h"
#include "profiler/database/database.h"
#include "profiler/database/database_constants.h"
#include "profiler/database/plain_open.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/sqlite.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::DeviceKey;
using domain::Result;
using domain::Status;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  if (folder.empty()) return files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".jsonl") files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  return files;
}

bool alike(const DeviceKey& a, const DeviceKey& b) { return a.platform == b.platform && a.name == b.name; }

bool fits(const DeviceKey& device, const std::vector<DeviceKey>& devices) {
  return std::any_of(devices.begin(), devices.end(), [&](const DeviceKey& here) { return alike(here, device); });
}

/// False: the file need not be read line by line, which takes a hundred times as long.
bool mentions(const fs::path& file, const std::vector<DeviceKey>& devices) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return std::any_of(devices.begin(), devices.end(), [&](const DeviceKey& device) {
    const std::string name = nlohmann::json(device.name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return text.find(name.substr(1)) != std::string::npos;  // former names end with it (former_names.h)
  });
}

template <class Entry>
void take_fitting(std::vector<Entry>& from, const std::vector<DeviceKey>& devices, std::vector<Entry>& to) {
  for (Entry& entry : from)
    if (fits(entry.device, devices)) to.push_back(std::move(entry));
}

/// Two devices of one make have one mark.
Status mark(sqlite3* connection, const DeviceKey& device, const std::string& state) {
  Statement put(connection,
                "INSERT INTO shipped(platform, device, state) VALUES(?, ?, ?) ON CONFLICT(platform, device) DO UPDATE "
                "SET state=excluded.state");
  return put.bind(1, device.platform).bind(2, device.name).bind(3, state).run();
}

/// Removes the device's shipped samples whose digests are not in `kept`. The others stay, so that they do not count as
/// seen again.
Status forget(sqlite3* connection, const DeviceKey& device, const std::set<std::string>& kept) {
  std::vector<std::int64_t> gone;
  {
    Statement shipped(connection,
                      "SELECT id, digest FROM samples WHERE origin='shipped' AND device IN (SELECT id FROM devices "
                      "WHERE platform=? AND name=?)");
    shipped.bind(1, device.platform).bind(2, device.name);
    auto row = shipped.step();
    for (; row && *row; row = shipped.step())
      if (!kept.contains(shipped.text(1))) gone.push_back(shipped.integer(0));
    if (!row) return row.error();
  }
  Statement remove(connection, "DELETE FROM samples WHERE id=?");
  for (const std::int64_t id : gone)
    if (Status done = remove.bind(1, id).run(); !done) return done;
  return {};
}

std::set<std::string> digests_of(const std::vector<domain::ProfileSample>& samples) {
  std::set<std::string> digests;
  for (const domain::ProfileSample& sample : samples) digests.insert(digest_of(line_of(sample)));
  return digests;
}

/// For all of `devices`, in one transaction.
Status for_each(const fs::path& database, const std::vector<DeviceKey>& devices,
                const std::function<Status(sqlite3*, const DeviceKey&)>& change) {
  const auto connection = open_plain(database, Access::writing, tuning::kPatienceOfShipped);
  if (!connection) return connection.error();
  Transaction transaction(connection->get());
  if (Status begun = transaction.begin(); !begun) return begun;
  for (const DeviceKey& device : devices)
    if (Status done = change(connection->get(), device); !done) return done;
  return transaction.commit();
}

}  // namespace

std::string shipped_state(const fs::path& folder) {
  std::string state;
  for (const fs::path& file : files_in(folder)) {
    struct stat found {};
    if (::stat(file.c_str(), &found) != 0) continue;
    state += file.filename().string() + ' ' + std::to_string(found.st_size) + ' ' +
             std::to_string(found.st_mtim.tv_sec) + '\n';
  }
  return state.empty() ? state : compiler::content_hash(state);
}

Result<Exchange> read_shipped(const fs::path& folder, const std::vector<DeviceKey>& devices) {
  Exchange all;
  for (const fs::path& file : files_in(folder)) {
    if (!mentions(file, devices)) continue;
    auto one = read_exchange(file);
    if (!one) return one;
    take_fitting(one->samples, devices, all.samples);
    take_fitting(one->calibrations.devices, devices, all.calibrations.devices);
    take_fitting(one->calibrations.links, devices, all.calibrations.links);
  }
  return all;
}

std::vector<DeviceKey> without_shipped(const fs::path& database, const std::string& state,
                                       const std::vector<DeviceKey>& devices) {
  if (state.empty()) return {};
  std::vector<DeviceKey> without;
  const auto connection = open_plain(database, Access::reading, tuning::kPatienceOfShipped);
  for (const DeviceKey& device : devices) {
    if (fits(device, without)) continue;
    if (connection) {
      Statement find(connection->get(), "SELECT 1 FROM shipped WHERE platform=? AND device=? AND state=?");
      const auto row = find.bind(1, device.platform).bind(2, device.name).bind(3, state).step();
      if (row && *row) continue;
    }
    without.push_back(device);
  }
  return without;
}

Result<std::size_t> take_in_shipped(const fs::path& database, const fs::path& folder,
                                    const std::vector<DeviceKey>& devices) {
  const std::string state = shipped_state(folder);
  const auto wanted = without_shipped(database, state, devices);
  if (wanted.empty()) return std::size_t{0};
  auto found = read_shipped(folder, wanted);
  if (!found) return found.error();
  std::error_code error;
  const bool nothing =
      found->samples.empty() && found->calibrations.devices.empty() && found->calibrations.links.empty();
  if (nothing && !fs::exists(database, error)) return std::size_t{0};
  auto opened = ProfileDatabase::open(database, ProfileDatabase::Mode::create);
  if (!opened) return opened.error();
  const auto kept = digests_of(found->samples);
  const Status forgotten = for_each(
      database, wanted, [&](sqlite3* connection, const DeviceKey& device) { return forget(connection, device, kept); });
  if (!forgotten) return forgotten.error();
  auto added = opened->add(found->samples, "shipped");
  if (!added) return added;
  if (const auto more = opened->add(found->calibrations, "shipped"); !more) return more.error();
  // Last: where this process is killed before, another one does all of it again, which changes nothing.
  const Status marked = for_each(
      database, wanted, [&](sqlite3* connection, const DeviceKey& device) { return mark(connection, device, state); });
  if (!marked) return marked.error();
  return added;
}

}  // namespace skmd::profiler
