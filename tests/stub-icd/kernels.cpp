// SPDX-License-Identifier: Apache-2.0
// What the kernels of kernels.h compute, on the host. A hidden record behind the arguments is ignored.
#include <cstring>

#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

/// A kernel's arguments by position. Leaving a buffer, or a null pointer, ends the kernel as a fault on a device does.
class Arguments {
 public:
  explicit Arguments(const std::vector<Argument>& list) : list_(list) {}

  template <class T>
  T* element(std::size_t argument, std::size_t index) {
    cl_mem memory = argument < list_.size() ? list_[argument].memory : nullptr;
    if (memory == nullptr || index >= memory->bytes / sizeof(T)) {
      fault_ = true;
      return nullptr;
    }
    return reinterpret_cast<T*>(memory->data) + index;
  }
  template <class T>
  T value(std::size_t argument) {
    T result{};
    if (argument >= list_.size() || list_[argument].bytes.size() != sizeof(T)) {
      fault_ = true;
    } else {
      std::memcpy(&result, list_[argument].bytes.data(), sizeof(T));
    }
    return result;
  }
  std::vector<cl_ulong> words(std::size_t argument) const {
    if (argument >= list_.size()) return {};
    std::vector<cl_ulong> words(list_[argument].bytes.size() / sizeof(cl_ulong));
    std::memcpy(words.data(), list_[argument].bytes.data(), words.size() * sizeof(cl_ulong));
    return words;
  }
  void fail() { fault_ = true; }
  [[nodiscard]] bool fault() const { return fault_; }

 private:
  const std::vector<Argument>& list_;
  bool fault_ = false;
};

using Item = void (*)(Arguments&, std::size_t x, std::size_t y);

void add(Arguments& args, std::size_t i, std::size_t) {
  const auto* a = args.element<float>(0, i);
  const auto* b = args.element<float>(1, i);
  auto* c = args.element<float>(2, i);
  if (!args.fault()) *c = *a + *b;
}

void axpy(Arguments& args, std::size_t i, std::size_t) {
  auto* y = args.element<float>(0, i);
  const auto* x = args.element<float>(1, i);
  const auto a = args.value<float>(2);
  if (!args.fault()) *y = a * *x + *y;
}

void copy(Arguments& args, std::size_t i, std::size_t) {
  const auto* from = args.element<cl_uint>(0, i);
  auto* to = args.element<cl_uint>(1, i);
  if (!args.fault()) *to = *from;
}

void fill(Arguments& args, std::size_t i, std::size_t) {
  auto* out = args.element<cl_uint>(0, i);
  const auto value = args.value<cl_uint>(1);
  if (!args.fault()) *out = value;
}

void count(Arguments& args, std::size_t i, std::size_t) {
  if (auto* counter = args.element<cl_uint>(0, i); counter != nullptr) *counter += 1;
}

void scatter(Arguments& args, std::size_t i, std::size_t) {
  const auto* index = args.element<cl_uint>(1, i);
  if (index == nullptr) return;
  if (auto* out = args.element<cl_uint>(0, *index); out != nullptr) *out = static_cast<cl_uint>(i);
}

void grid(Arguments& args, std::size_t x, std::size_t y) {
  const auto width = args.value<cl_uint>(1);
  auto* out = args.element<cl_uint>(0, y * width + x);
  if (!args.fault()) *out = static_cast<cl_uint>(1000 * y + x);
}

void histogram(Arguments& args, std::size_t i, std::size_t) {
  const auto* value = args.element<cl_uint>(1, i);
  if (value == nullptr) return;
  if (auto* bin = args.element<cl_uint>(0, *value % 256); bin != nullptr) *bin += 1;
}

/// The merge kernel of `scatter` (compiler/client/merge_record.h).
void merge_scatter(Arguments& args, std::size_t thread, std::size_t) {
  constexpr std::size_t kLocal = 10, kFirst = 13, kLast = 14, kOut = 15, kIndex = 17;  // words of the record
  const std::vector<cl_ulong> record = args.words(4);
  if (record.size() <= kIndex + 1) return args.fail();
  const std::size_t i = record[kFirst] * record[kLocal] + thread;
  if (i >= record[kLast] * record[kLocal]) return;
  const auto* index = args.element<cl_uint>(2, record[kIndex] / sizeof(cl_uint) + i);
  if (index == nullptr || (*index + std::size_t{1}) * sizeof(cl_uint) > record[kOut + 1]) return args.fail();
  const std::size_t place = record[kOut] / sizeof(cl_uint) + *index;
  auto* out = args.element<cl_uint>(0, place);
  const auto* result = args.element<cl_uint>(1, place);
  if (!args.fault()) *out = *result;
}

struct Known {
  const char* name;
  Item item;
};

constexpr Known kKnown[] = {
    {"skmd_merge_stub_scatter", merge_scatter},
    {"stub_add", add},
    {"stub_axpy", axpy},
    {"stub_copy", copy},
    {"stub_fill", fill},
    {"stub_count", count},
    {"stub_scatter", scatter},
    {"stub_grid", grid},
    {"stub_histogram", histogram},
};

}  // namespace

cl_int run_kernel(const std::string& name, const std::vector<Argument>& arguments, const Range& range) {
  for (const Known& known : kKnown) {
    if (name.find(known.name) == std::string::npos) continue;
    Arguments args(arguments);
    for (std::size_t z = 0; z < range.global[2]; ++z) {
      for (std::size_t y = 0; y < range.global[1]; ++y) {
        for (std::size_t x = 0; x < range.global[0] && !args.fault(); ++x) {
          known.item(args, range.offset[0] + x, range.offset[1] + y);
        }
      }
    }
    return args.fault() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
  }
  return CL_SUCCESS;
}

}  // namespace stub
