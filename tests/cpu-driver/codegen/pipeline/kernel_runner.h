// SPDX-License-Identifier: Apache-2.0
// Kernels from source to results on this machine's processor, for tests, by instruction set and width.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cpu-driver/runtime/span_library.h"

namespace skmd::cpu::test {

/// One way of making code.
struct Way {
  std::string isa;
  unsigned width;
};
inline std::string name_of(const Way& way) { return way.isa + "_" + std::to_string(way.width); }
/// For GoogleTest, which prints bytes otherwise.
inline void PrintTo(const Way& way, std::ostream* out) { *out << name_of(way); }

/// Every way whose code this machine runs.
std::vector<Way> every_way();
/// Of those, what a suite's tests run: of each instruction set the width that is chosen by itself and some of the
/// others, which ones follows from the suite's name. The suites together have all of them, as scripts/extended.sh has
/// for each (SKMD_TEST_WAYS=every): a way takes half a second a test, most of it the compiler's.
std::vector<Way> ways_of(const std::string& suite);
/// One of each kind of them.
std::vector<Way> few_ways();

/// `from` and the numbers behind it.
inline std::vector<int> counting(std::size_t size, int from) {
  std::vector<int> values(size);
  std::iota(values.begin(), values.end(), from);
  return values;
}

/// A launch's geometry.
struct Shape {
  std::array<std::uint64_t, 3> groups{1, 1, 1};
  std::array<std::uint64_t, 3> local{1, 1, 1};
  std::array<std::uint64_t, 3> offset{0, 0, 0};
  std::uint64_t dims = 1;

  [[nodiscard]] std::uint64_t group_items() const { return local[0] * local[1] * local[2]; }
  [[nodiscard]] std::uint64_t all_groups() const { return groups[0] * groups[1] * groups[2]; }
  [[nodiscard]] std::uint64_t items() const { return group_items() * all_groups(); }
};
inline Shape line(std::uint64_t groups, std::uint64_t local) { return {{groups, 1, 1}, {local, 1, 1}, {0, 0, 0}, 1}; }

/// What a kernel is called with.
class Arguments {
 public:
  template <class T>
  Arguments& buffer(std::vector<T>& values) {
    arguments_.push_back({reinterpret_cast<std::byte*>(values.data()), nullptr, values.size() * sizeof(T)});
    return *this;
  }
  Arguments& memory(void* bytes, std::uint64_t size) {
    arguments_.push_back({static_cast<std::byte*>(bytes), nullptr, size});
    return *this;
  }
  template <class T>
  Arguments& value(const T& given) {
    auto& bytes = values_.emplace_back(std::make_unique<std::vector<std::byte>>((sizeof(T) + 15) / 16 * 16));
    __builtin_memcpy(bytes->data(), &given, sizeof given);
    arguments_.push_back({bytes->data(), nullptr, bytes->size()});
    return *this;
  }
  /// `bytes` is given as it is.
  Arguments& buffer(std::byte* bytes, std::uint64_t size) {
    arguments_.push_back({bytes, nullptr, size});
    return *this;
  }
  Arguments& local(std::uint64_t bytes) {
    arguments_.push_back({nullptr, nullptr, bytes});
    locals_.push_back(arguments_.size() - 1);
    return *this;
  }

 private:
  friend class Program;
  std::vector<SpanArgument> arguments_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> values_;
  std::vector<std::size_t> locals_;
};

class Program {
 public:
  /// A failure of the test if there is no code for one of the kernels; then run() does nothing. `options`: of the
  /// build, as a shell takes them. `checked`: accesses are checked.
  Program(const std::string& source, const Way& way, const std::string& options = "", bool checked = false);

  /// All groups of `shape`, in spans of up to `span` groups.
  void run(const std::string& kernel, const Shape& shape, const Arguments& arguments, std::uint64_t span = ~0ull);
  /// From now on, no launch has memory for groups side by side.
  void run_groups_alone() { side_by_side_ = false; }
  /// What the last run() of a checked program found, in words; "": nothing.
  [[nodiscard]] const std::string& failed() const { return failed_; }
  /// The global id of the work-item that it found first.
  [[nodiscard]] const std::array<std::uint64_t, 3>& failed_item() const { return failed_item_; }
  [[nodiscard]] KernelFacts facts(const std::string& kernel) const;
  /// What kernels have printed since the last call.
  std::string take_text() { return std::exchange(text_, {}); }
  [[nodiscard]] bool is_checked(const std::string& kernel) const {
    return library_ != nullptr && library_->kernel(kernel).sites != nullptr;
  }
  [[nodiscard]] bool good() const { return library_ != nullptr; }

 private:
  std::unique_ptr<SpanLibrary> library_;
  std::string text_;
  std::string failed_;
  std::array<std::uint64_t, 3> failed_item_{};
  bool side_by_side_ = true;
};

}  // namespace skmd::cpu::test
