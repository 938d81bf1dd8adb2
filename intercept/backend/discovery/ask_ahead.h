// SPDX-License-Identifier: Apache-2.0
// PoCL's answers, asked for in another process while this one loads the other drivers. Two drivers are not loaded at
// once in one process: PoCL calls setenv() while it is loaded, and the other may read the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "intercept/backend/vendor/vendor_driver.h"

namespace skmd::icd {

/// Makes the question about the driver of `icd_file`, on the calling thread, before a driver is loaded. Asking it
/// starts another process, which keeps the answers where FactsStore finds them, and blocks until that has answered or
/// failed, which is silent; it is asked on a thread of its own. Both throw nothing but std::bad_alloc.
using AskDriver = std::function<std::function<void()>(const std::string& icd_file)>;

/// Whether no other of `files` may name the library of `file`: only the library itself could tell that it is one.
bool names_alone(const std::vector<IcdFile>& files, const IcdFile& file);

/// The file whose driver is worth asking while others are loaded: the first that names PoCL's library, where another
/// driver is loaded before it and there is a processor to do it meanwhile. Drivers are loaded in the order of `files`.
std::optional<IcdFile> worth_asking(const std::vector<IcdFile>& files, const std::string& own_library,
                                    unsigned processors);

/// A question under way. Used by one thread.
class AskedAhead {
 public:
  /// Asks about `file`, if there is one, on a thread; where none can be had nothing is asked.
  AskedAhead(std::optional<IcdFile> file, const AskDriver& ask);
  ~AskedAhead() { wait(); }
  AskedAhead(const AskedAhead&) = delete;
  AskedAhead& operator=(const AskedAhead&) = delete;

  /// True if it was asked about `file`; blocks until the other process has answered or failed.
  bool asked(const IcdFile& file);

 private:
  void wait();

  std::optional<IcdFile> file_;
  std::thread thread_;
};

}  // namespace skmd::icd
