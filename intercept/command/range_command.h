// SPDX-License-Identifier: Apache-2.0
// What all commands but launches have in common: they claim byte ranges, need some of them valid in host memory, and do
// their work there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/memory/range_lock.h"
#include "intercept/memory/rect_region.h"
#include "intercept/memory/storage.h"
#include "intercept/object/command.h"

namespace skmd::icd {

class RangeCommand : public Command {
 public:
  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override;
  [[nodiscard]] std::vector<Claim> claims() const override { return claims_; }
  cl_int run(Event& event) override;

 protected:
  /// `light`: perform() is quick enough for any thread once the host copies are valid.
  RangeCommand(const char* what, bool light) : what_(what), light_(light) {}

  enum class HostCopy : std::uint8_t {
    ignored,   // perform() does not look at the old bytes, or fetches them itself
    inlined,   // perform() fetches them itself, but may run inline only if nothing is missing
    required,  // gathered before perform()
  };
  /// Ranges that perform() touches.
  void touch(const std::shared_ptr<Storage>& storage, const domain::RangeSet& ranges, bool write, HostCopy host_copy);
  /// Whether perform() may run while commands that it follows are still under way on a device, if they touch none of
  /// its ranges. Not if it writes the application's memory: one of them may have yet to read that.
  [[nodiscard]] virtual bool may_run_early() const { return false; }
  /// The work itself: claims are held, host copies are valid. Must not block if the command is light.
  virtual Status perform() = 0;

 private:
  [[nodiscard]] bool host_ready() const;
  Status gather();
  /// The event's status; log and context are told of a failure.
  cl_int ended(const Status& status, Event& event) const;
  const char* what_;
  bool light_;
  std::vector<Claim> claims_;
  std::vector<HostCopy> host_copies_;  // per claim
};

/// What a command that touches `region` of `storage` must claim and commit: images move as a whole.
domain::RangeSet effective_ranges(const Storage& storage, const RectRegion& region);

}  // namespace skmd::icd
