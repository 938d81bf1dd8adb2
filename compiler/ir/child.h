// SPDX-License-Identifier: Apache-2.0
// Code generation in a forked process: a crash or an endless loop there costs that code, not the program.
#pragma once

#include <functional>
#include <string>

namespace skmd::compiler {

/// A forked process that works in parallel with this one.
class Child {
 public:
  /// `work` gets a copy of all memory, and `seconds` of processor time.
  Child(const std::function<std::string()>& work, unsigned seconds);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Blocks until `work` has returned, and returns its result; "" if it did not return in time. Precondition: called at
  /// most once.
  std::string bytes();

 private:
  int reading_ = -1;
  int process_ = -1;
};

/// What `work` returned; "" if it did not return within `seconds`.
std::string bytes_from_child(const std::function<std::string()>& work, unsigned seconds);

}  // namespace skmd::compiler
