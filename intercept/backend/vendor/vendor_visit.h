// SPDX-License-Identifier: Apache-2.0
// Which threads of ours may be inside a vendor's driver when the process ends.
#pragma once

namespace skmd::icd {

/// Held while a thread of ours is inside a vendor's driver, perhaps without a thread of the application that waits for
/// it to return: the application continues as soon as its results are there, and may call exit(), which destroys the
/// driver's static objects, before the thread has left the driver.
class VendorVisit {
 public:
  VendorVisit();
  ~VendorVisit();
  VendorVisit(const VendorVisit&) = delete;
  VendorVisit& operator=(const VendorVisit&) = delete;
};

/// Held during a call of a vendor's compiler. False: the call must not be made, since exit() has begun and this is a
/// thread of build_ahead_on_this_thread().
class CompilerVisit {
 public:
  CompilerVisit();
  ~CompilerVisit();
  CompilerVisit(const CompilerVisit&) = delete;
  CompilerVisit& operator=(const CompilerVisit&) = delete;
  explicit operator bool() const { return allowed_; }

 private:
  bool allowed_ = true;
};

/// From the submission of a launch that the vendor's driver may compile on its own threads, until it has ended. exit()
/// waits for it as for a compiler: the compiler's static objects are destroyed there, and reading them then crashes.
class CompilingLaunch {
 public:
  CompilingLaunch();
  ~CompilingLaunch();
  CompilingLaunch(const CompilingLaunch&) = delete;
  CompilingLaunch& operator=(const CompilingLaunch&) = delete;
};

/// Marks the calling thread as one whose builds no launch waits for: once exit() has begun, it enters no compiler.
void build_ahead_on_this_thread();

/// Whether the process is on its way through exit().
bool exit_has_begun();

/// For a thread that has something built: if it is the process's main thread, exit() on it waits for compilers, half a
/// minute at most, before anything else happens. With the vendor's driver alone the application would have waited for
/// them before.
void let_compilers_end_at_exit();

/// From now on exit(), on any thread, waits for compilers (CompilerVisit and CompilingLaunch; 30 seconds at most), then
/// until no thread is inside a VendorVisit (100 ms at most: commands that take longer are not waited for). Exit
/// handlers run in reverse order of registration: call this after a driver was used, so that it runs before the
/// driver's own handlers.
void let_visits_end_at_exit();

}  // namespace skmd::icd
