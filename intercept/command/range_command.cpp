// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/range_command.h"

#include <string>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/context.h"

namespace skmd::icd {

domain::RangeSet effective_ranges(const Storage& storage, const RectRegion& region) {
  if (region.bytes() == 0) return {};
  return storage.is_image() ? domain::RangeSet(domain::ByteRange{0, storage.bytes()}) : region.ranges();
}

void RangeCommand::touch(const std::shared_ptr<Storage>& storage, const domain::RangeSet& ranges, bool write,
                         HostCopy host_copy) {
  if (ranges.empty()) return;
  claims_.push_back(claim_on(storage, ranges, write));
  host_copies_.push_back(host_copy);
}

bool RangeCommand::host_ready() const {
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (host_copies_[i] == HostCopy::ignored) continue;
    Storage& storage = *claims_[i].storage;
    const MutexGuard lock(storage.mutex());
    if (!storage.residency().missing(domain::kHostSpace, *claims_[i].ranges).empty()) return false;
  }
  return true;
}

Status RangeCommand::gather() {
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    if (host_copies_[i] != HostCopy::required) continue;
    if (Status status = claims_[i].storage->gather(*claims_[i].ranges, what_); !status) return status;
  }
  return {};
}

bool RangeCommand::start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>&) {
  if (!light_ || (behind != nullptr && !may_run_early())) return false;
  // Nothing that is under way, on a device or elsewhere, touches these ranges.
  std::optional<RangeLock> lock = RangeLock::try_take(claims_, nullptr);
  if (!lock || !host_ready()) return false;
  event->work_started(host_now());
  const Status status = perform();
  event->work_ended(host_now());
  lock->release();
  if (behind != nullptr) event->chain_behind_dependencies(behind);
  event->complete(ended(status, *event));
  return true;
}

cl_int RangeCommand::run(Event& event) {
  event.work_started(host_now());
  Status status = gather();
  if (status) status = perform();
  return ended(status, event);
}

cl_int RangeCommand::ended(const Status& status, Event& event) const {
  if (status) return CL_COMPLETE;
  const std::string text = std::string(what_) + " failed: " + status.error().reason;
  if (Observer* observer = event.context().machine().observer; observer != nullptr)
    observer->log(LogLevel::error, text);
  event.context().report(text);
  return command_status(status.error().code);
}

}  // namespace skmd::icd
