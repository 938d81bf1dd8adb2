// SPDX-License-Identifier: Apache-2.0
// Which threads of ours may be inside a vendor's driver when the process ends.
#pragma once

namespace skmd::icd {

/// For as long as a thread of ours does work of which nobody may be waiting for the end: the application goes on when
/// its results are there, and may exit while the thread is still on its way out of the driver, which exit() takes down.
class VendorVisit {
 public:
  VendorVisit();
  ~VendorVisit();
  VendorVisit(const VendorVisit&) = delete;
  VendorVisit& operator=(const VendorVisit&) = delete;
};

/// A call of a vendor's compiler. False: it must not be made, since the process ends and nobody waits for the result.
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

/// The calling thread builds what nobody waits for: it enters no compiler once the process ends.
void build_ahead_on_this_thread();

/// Whether the process is on its way through exit().
bool exit_has_begun();

/// For a thread that has something built: if it is the process's main thread, exit() on it waits for compilers, half a
/// minute at most, before anything else happens. With the vendor's driver alone the application would have waited for
/// them before.
void let_compilers_end_at_exit();

/// From now on exit() waits until no thread is on a visit, at most a tenth of a second: who exits with work under way
/// is on its own. It waits for compilers, too, whatever thread calls it. What is registered last runs first, so this is
/// for after a driver has been used.
void let_visits_end_at_exit();

}  // namespace skmd::icd
