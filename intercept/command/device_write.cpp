// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/device_write.h"

#include <new>
#include <utility>
#include <vector>

#include "intercept/backend/host_code.h"
#include "intercept/object/context.h"
#include "intercept/object/recovery.h"
#include "intercept/object/submission.h"

namespace skmd::icd {

namespace {

/// Drivers copy pageable memory inside the enqueue, or several threads of ours do: a fraction of a millisecond.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;

/// On its way: kept alive by its batch's completion.
class WriteInFlight : public std::enable_shared_from_this<WriteInFlight> {
 public:
  /// `failures`: of the device, before `lock` was taken.
  WriteInFlight(DeviceWrite write, std::uint32_t device, std::uint32_t failures, Ref<Event> event,
                std::shared_ptr<Command> command, RangeLock lock)
      : write_(std::move(write)),
        device_(device),
        failures_(failures),
        event_(std::move(event)),
        command_(std::move(command)),
        lock_(std::move(lock)) {}

  /// False: nothing was done.
  bool submit();

 private:
  [[nodiscard]] Machine& machine() const { return write_.to->machine(); }
  [[nodiscard]] domain::SpaceId space() const { return machine().devices[device_]->description().space; }
  void landed(BatchResult&& result);
  /// The write ended well, but something before it has to be done again, which would cover it.
  [[nodiscard]] bool overtaken() const;
  void redo();
  /// Lets go of everything before anybody can see the end, so that a release afterwards is really the last.
  void end(cl_int status);
  void take_back();
  void again(Spoilt& spoilt);
  void report(const BatchResult& result);

  DeviceWrite write_;
  std::uint32_t device_;
  std::uint32_t failures_;
  Ref<Event> event_;
  std::shared_ptr<Command> command_;
  RangeLock lock_;
};

bool WriteInFlight::submit() {
  Device& device = *machine().devices[device_];
  const std::vector<std::shared_ptr<Storage>> roots{write_.to};
  Submission submission(roots);
  if (!submission.holds()) return false;
  auto native = write_.to->native(device_);
  if (!native) return false;
  Batch batch;
  const domain::ByteRange& range = write_.range;
  batch.ops.emplace_back(WriteOp{std::move(*native), write_.from - range.begin,
                                 domain::RowRun{range.begin, range.size(), range.size(), 1}});
  batch.want_times = event_->profiled() || machine().observer->wants_times();
  batch.done = [flight = shared_from_this()](BatchResult&& result) { flight->landed(std::move(result)); };
  std::vector<domain::ResidencyMap::Piece> before;
  {
    const std::lock_guard lock(write_.to->mutex());
    before = write_.to->residency().pieces(range);
    write_.to->residency().written(space(), range);
  }
  event_->advance(CL_SUBMITTED);
  event_->work_started(now_ns());
  const Ref<Event> event = event_;  // landed() lets go of it
  const std::shared_ptr<Storage> root = write_.to;
  Ticket ticket = 0;
  try {
    ticket = device.submit(std::move(batch));
  } catch (const std::bad_alloc&) {  // nothing was submitted
    const std::lock_guard lock(root->mutex());
    root->residency().restored(before);
    throw;
  }
  submission.unlock();
  event->set_native(&device, ticket);
  return true;
}

bool WriteInFlight::overtaken() const {
  return machine().devices[device_]->health()->failures() != failures_ && lock_.overtook();
}

void WriteInFlight::landed(BatchResult&& result) {
  if (result.status != CL_SUCCESS || overtaken()) return redo();
  report(result);
  event_->work_ended(now_ns());
  end(CL_COMPLETE);
}

void WriteInFlight::redo() {
  try {
    event_->leave_device();
    lock_.unchain();
    Recovery::get().add(machine(), *machine().devices[device_],
                        {[flight = shared_from_this()](Spoilt&) { flight->take_back(); },
                         [flight = shared_from_this()](Spoilt& spoilt) { flight->again(spoilt); }});
  } catch (const std::bad_alloc&) {  // nobody can do it again
    take_back();
    end(CL_OUT_OF_HOST_MEMORY);
  }
}

void WriteInFlight::end(cl_int status) {
  const Ref<Event> event = std::move(event_);
  lock_.release();
  command_.reset();
  write_.to.reset();
  event->complete(status);
}

void WriteInFlight::report(const BatchResult& result) {
  try {
    TransferReport report{device_, write_.range.size(), 0, 0, 0, "write"};
    if (!result.times.empty()) {
      report.start = result.times.front().start;
      report.end = result.times.back().end;
    }
    machine().observer->transfer(report);
  } catch (const std::bad_alloc&) {  // only the books miss something
  }
}

void WriteInFlight::take_back() {
  const std::lock_guard lock(write_.to->mutex());
  write_.to->residency().withdrawn(space(), write_.range);
}

void WriteInFlight::again(Spoilt& spoilt) {
  cl_int status = CL_COMPLETE;
  // What it waits for has ended: all of that was on the same device before it, or is in the list before it.
  if (event_->dependency_failed()) {
    status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  } else if (auto host = write_.to->host(); host) {
    copy_host(*host + write_.range.begin, write_.from, write_.range.size());
    try {
      write_.to->host_written(write_.range);
      if (const auto found = spoilt.find(write_.to); found != spoilt.end()) found->second.remove(write_.range);
    } catch (const std::bad_alloc&) {
      status = CL_OUT_OF_HOST_MEMORY;
    }
  } else {
    status = command_status(host.error().code);
  }
  end(status);
}

}  // namespace

bool start_on_device(const DeviceWrite& write, Device* behind, const Ref<Event>& event,
                     const std::shared_ptr<Command>& self) {
  if (write.range.size() > kMostBytes) return false;
  const auto target = direct_target(*write.to, write.from, write.range.size());
  if (!target) return false;
  Device& device = *write.to->machine().devices[*target];
  if (behind != nullptr && behind != &device) return false;
  const Health::Window window(*device.health());
  const std::uint32_t failures = device.health()->failures();
  auto lock = RangeLock::try_take({{write.to, write.range, true}}, &device);
  if (!lock) return false;
  return std::make_shared<WriteInFlight>(write, *target, failures, event, self, std::move(*lock))->submit();
}

}  // namespace skmd::icd
