// SPDX-License-Identifier: Apache-2.0
// Which failures disable a device. Thread-safe, but for watch().
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace skmd::icd {

enum class Fault : std::uint8_t {
  none,
  command,    // the request's own: bad arguments, a kernel that does not fit
  memory,     // no room for it, on the device or on the host
  resources,  // may be the request's or the device's: several in a row are the device's
  device,     // the device or its driver does not work any more
};

/// The fault that an OpenCL error code stands for. `accepted`: the driver had taken the command, and `code` is its
/// final status; otherwise `code` is what the call returned. Pure.
Fault judge(cl_int code, bool accepted);

/// The health of one device, shared with the queues that complete its batches.
class Health {
 public:
  /// Called on the thread that saw the failure, when failures mean that the device is lost; several threads may call it
  /// at once. May call set_aside(). Must not wait for the device.
  using Watch = std::function<void(const std::string& reason)>;
  /// Sets the callback. Precondition: the device is not in use yet.
  void watch(Watch watch) { watch_ = std::move(watch); }

  /// Disabled (set aside) for the rest of the process: every later batch fails at once with CL_OUT_OF_RESOURCES,
  /// without a native call.
  [[nodiscard]] bool aside() const { return aside_.load(std::memory_order_acquire); }
  void set_aside() { aside_.store(true, std::memory_order_release); }
  /// Failure epoch: advances when a batch fails, or has to run again behind one that did, after it has withdrawn the
  /// residency that later commands may rely on. Read before taking ranges and before looking at residency; if it
  /// changed by completion, revalidate the inputs.
  [[nodiscard]] std::uint32_t failures() const { return failures_.load(std::memory_order_acquire); }

  /// Reports the end of a batch that has at least one op. Called before its `done`.
  void batch_ended(Fault fault, const std::string& reason);
  /// Advances failures(). Called after the `done` of a batch that failed, or inside the `done` of a batch that will run
  /// again, once it has left the queue (RangeLock::unchain()); always before the `done` of the next batch.
  void failure_told() { failures_.fetch_add(1, std::memory_order_acq_rel); }
  /// Reports a failed native call that belongs to no batch.
  void call_failed(cl_int code, const std::string& reason);

  /// Open from taking ranges that commands on the device's queue still hold until the batch behind these commands is
  /// submitted.
  class Window {
   public:
    explicit Window(Health& health) : health_(health) { health_.open_.fetch_add(1, std::memory_order_seq_cst); }
    ~Window() { health_.open_.fetch_sub(1, std::memory_order_seq_cst); }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

   private:
    Health& health_;
  };
  /// Blocks until every window that was open at the call has been closed. That is soon: inside a window a thread waits
  /// for no ranges and no results, only for what Device::submit() waits for.
  void wait_for_windows() const;

 private:
  void fatal(const std::string& reason);
  Watch watch_;
  std::atomic<bool> aside_{false};
  std::atomic<std::uint32_t> failures_{0};
  std::atomic<std::uint32_t> strikes_{0};
  std::atomic<std::uint32_t> open_{0};
};

}  // namespace skmd::icd
