// SPDX-License-Identifier: Apache-2.0
// A connection to SQLite as an owner, for headers that must not show SQLite's own.
#pragma once

#include <memory>

struct sqlite3;

namespace skmd::profiler {

struct CloseDatabase {
  void operator()(sqlite3* handle) const;
};
using Connection = std::unique_ptr<sqlite3, CloseDatabase>;

}  // namespace skmd::profiler
