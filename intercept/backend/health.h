// SPDX-License-Identifier: Apache-2.0
// What a device's failures say about it, and whether it still takes part. Thread-safe.
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

/// `accepted`: the driver had taken the command, and `code` is what became of it.
Fault judge(cl_int code, bool accepted);

/// Shared by a device and whatever completes its batches.
class Health {
 public:
  /// Called when a failure says that the device is gone; may set it aside. Must not wait for the device.
  using Watch = std::function<void(const std::string& reason)>;
  /// Before the device is used.
  void watch(Watch watch) { watch_ = std::move(watch); }

  /// Set aside for good: every batch fails at once with CL_OUT_OF_RESOURCES, nothing native is asked of it.
  [[nodiscard]] bool aside() const { return aside_.load(std::memory_order_acquire); }
  void set_aside() { aside_.store(true, std::memory_order_release); }
  /// Batches that failed so far, or have to run again behind one that did, and have taken back what others on the
  /// device's queue could count on. Who reads this first, and takes ranges or looks at residency then, finds it changed
  /// when it ends behind such a batch.
  [[nodiscard]] std::uint32_t failures() const { return failures_.load(std::memory_order_acquire); }

  /// Of a batch that held any work; before its `done`.
  void batch_ended(Fault fault, const std::string& reason);
  /// After the `done` of a batch that failed, or in that of one that runs again once it has given up its place on the
  /// queue; before that of the next.
  void failure_told() { failures_.fetch_add(1, std::memory_order_acq_rel); }
  /// Of a call that belongs to no batch.
  void call_failed(cl_int code, const std::string& reason);

  /// Held from taking ranges that are in use on the device's queue until the batch behind them is submitted.
  class Window {
   public:
    explicit Window(Health& health) : health_(health) { health_.open_.fetch_add(1, std::memory_order_seq_cst); }
    ~Window() { health_.open_.fetch_sub(1, std::memory_order_seq_cst); }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

   private:
    Health& health_;
  };
  /// Blocks (briefly: nobody waits for anything in a window) until none is open that was open before.
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
