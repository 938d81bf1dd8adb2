// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/far_wait.h"

#include <memory>

#include "intercept/backend/vendor/vendor_constants.h"
#include "partitioner/base/condition.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

using namespace tuning;

/// Set by the driver's thread, which may come long after the waiting one has left.
struct Signal {
  Mutex mutex{LockRank::far_signal};
  Condition changed;
  bool set SKMD_GUARDED_BY(mutex) = false;
};

void CL_CALLBACK on_end(cl_event, cl_int, void* data) {
  const std::unique_ptr<std::shared_ptr<Signal>> owned(static_cast<std::shared_ptr<Signal>*>(data));
  Signal& signal = **owned;
  {
    const MutexGuard lock(signal.mutex);
    signal.set = true;
  }
  signal.changed.notify_all();
}

/// The event's status; CL_SUBMITTED where the driver does not say.
cl_int status_of(const NativeContext& context, cl_event event) {
  cl_int status = CL_SUBMITTED;
  const cl_int code =
      context.cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return code == CL_SUCCESS ? status : cl_int{CL_SUBMITTED};
}

bool is_available(const NativeContext& context) {
  cl_bool available = CL_FALSE;
  const cl_int code =
      context.cl->clGetDeviceInfo(context.device, CL_DEVICE_AVAILABLE, sizeof available, &available, nullptr);
  return code == CL_SUCCESS && available == CL_TRUE;
}

/// Asks to be told of the event's end. False: the driver tells nothing; it has to be asked.
bool tell(const NativeContext& context, cl_event event, const std::shared_ptr<Signal>& signal) {
  auto data = std::make_unique<std::shared_ptr<Signal>>(signal);
  if (context.cl->clSetEventCallback(event, CL_COMPLETE, on_end, data.get()) != CL_SUCCESS) return false;
  static_cast<void>(data.release());  // the callback's; lost with a device that is gone
  return true;
}

}  // namespace

cl_int await_far(NativeContext& context, cl_event event) {
  if (context.gone()) return CL_DEVICE_NOT_AVAILABLE;
  cl_int status = status_of(context, event);
  if (status <= CL_COMPLETE) return status;
  const auto signal = std::make_shared<Signal>();
  const std::chrono::microseconds pause = tell(context, event, signal) ? kFarLook : kFarAsk;
  auto asked = std::chrono::steady_clock::now();
  while (!context.gone()) {
    {
      MutexLock lock(signal->mutex);
      // On the system's clock: ThreadSanitizer does not see waits on the steady one.
      signal->changed.wait_until(lock, std::chrono::system_clock::now() + pause,
                                 [&]() SKMD_REQUIRES(signal->mutex) { return signal->set; });
    }
    if (context.gone()) break;
    status = status_of(context, event);
    if (status <= CL_COMPLETE) return status;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked < kSilence) continue;
    if (!is_available(context)) context.give_up();
    asked = now;
  }
  return CL_DEVICE_NOT_AVAILABLE;
}

}  // namespace skmd::icd
