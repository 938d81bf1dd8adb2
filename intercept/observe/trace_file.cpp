// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "intercept/observe/files.h"
#include "intercept/observe/json_text.h"

namespace skmd::icd {

namespace {

// One track per device, one per link between host and device, one for merges. Viewers order tracks by number here.
constexpr std::uint64_t kMergeTrack = 1000;
std::uint64_t device_track(std::uint32_t device) { return 1 + 2 * std::uint64_t{device}; }
std::uint64_t link_track(std::uint32_t device) { return 2 + 2 * std::uint64_t{device}; }

std::string program_name() {
  char name[256] = {};
  const ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
  if (length <= 0) return "application";
  const char* slash = std::strrchr(name, '/');
  return slash != nullptr ? slash + 1 : name;
}

/// Microseconds with three decimals, exactly.
void append_microseconds(std::string& out, std::uint64_t nanoseconds) {
  append_json(out, nanoseconds / 1000);
  const std::uint64_t rest = nanoseconds % 1000;
  out += '.';
  out += static_cast<char>('0' + rest / 100);
  out += static_cast<char>('0' + rest / 10 % 10);
  out += static_cast<char>('0' + rest % 10);
}

void append_argument(std::string& out, const char* key, std::uint64_t value) {
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ':';
  append_json(out, value);
}

}  // namespace

bool TraceFile::open(const std::string& path, std::string& reason) {
  const MutexGuard lock(mutex_);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    reason = std::strerror(errno);
    return false;
  }
  origin_ = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
  pending_ += '[';
  begin_event("M", 0);
  pending_ += ",\"name\":\"process_name\",\"args\":{\"name\":";
  append_json_string(pending_, "SKMD in " + program_name());
  pending_ += "}}";
  append();
  return true;
}

TraceFile::~TraceFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TraceFile::begin_event(const char* phase, std::uint64_t track) {
  if (!first_event_) pending_ += ',';
  first_event_ = false;
  pending_ += "\n{\"ph\":\"";
  pending_ += phase;
  pending_ += "\",\"pid\":";
  append_json(pending_, static_cast<std::uint64_t>(getpid()));
  pending_ += ",\"tid\":";
  append_json(pending_, track);
}

void TraceFile::complete(const std::string& name, const char* category, std::uint64_t track, std::uint64_t start,
                         std::uint64_t end) {
  begin_event("X", track);
  pending_ += ",\"cat\":\"";
  pending_ += category;
  pending_ += "\",\"name\":";
  append_json_string(pending_, name);
  pending_ += ",\"ts\":";
  append_microseconds(pending_, start > origin_ ? start - origin_ : 0);
  pending_ += ",\"dur\":";
  append_microseconds(pending_, end > start ? end - start : 0);
  pending_ += ",\"args\":{";
}

void TraceFile::name_track(std::uint64_t track, const std::string& name) {
  begin_event("M", track);
  pending_ += ",\"name\":\"thread_name\",\"args\":{\"name\":";
  append_json_string(pending_, name);
  pending_ += "}}";
  begin_event("M", track);
  pending_ += ",\"name\":\"thread_sort_index\",\"args\":{";
  append_argument(pending_, "sort_index", track);
  pending_ += "}}";
}

void TraceFile::name_tracks(const std::vector<ObservedDevice>& devices) {
  const MutexGuard lock(mutex_);
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    const std::string number = std::to_string(i);
    const std::string name = devices[i].name + (devices[i].host.empty() ? "" : " in " + devices[i].host);
    name_track(device_track(i), "device " + number + ": " + name);
    name_track(link_track(i), "link " + number + ": host and " + name);
  }
  name_track(kMergeTrack, "merges");
  append();
}

void TraceFile::add(const LaunchReport& report) {
  const MutexGuard lock(mutex_);
  ++launches_;
  for (const SliceReport& slice : report.slices) {
    if (slice.end == 0) continue;  // it was not timed
    complete(report.kernel, "slice", device_track(slice.device), slice.start, slice.end);
    append_argument(pending_, "launch", launches_);
    append_argument(pending_, "first_group", slice.span.first);
    append_argument(pending_, "last_group", slice.span.last);
    pending_ += "}}";
  }
  append();
}

void TraceFile::add(const TransferReport& report) {
  if (report.end == 0) return;
  const MutexGuard lock(mutex_);
  const std::string direction = report.bytes_from == 0 ? "to device" : "from device";
  complete(report.what.empty() ? direction : report.what, "transfer", link_track(report.device), report.start,
           report.end);
  append_argument(pending_, "bytes_to", report.bytes_to);
  append_argument(pending_, "bytes_from", report.bytes_from);
  pending_ += "}}";
  append();
}

void TraceFile::add(const MergeReport& report) {
  const MutexGuard lock(mutex_);
  complete(report.kernel, "merge", kMergeTrack, report.start, report.end);
  pending_ += "\"rung\":";
  append_json_string(pending_, domain::name(report.rung));
  append_argument(pending_, "bytes", report.bytes);
  pending_ += "}}";
  append();
}

void TraceFile::append() {
  const std::size_t events = pending_.size();
  pending_ += "\n]\n";
  if (write_at(descriptor_, pending_, end_)) end_ += static_cast<long>(events);
  pending_.clear();
}

}  // namespace skmd::icd
