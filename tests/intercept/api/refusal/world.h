// SPDX-License-Identifier: Apache-2.0
// What wrong calls are made with: one good object of every kind, their like in another context, and outputs that must
// stay as they are. The real devices are those of the stub driver, which records what reaches it.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace skmd::test {

/// Ways for a handle to be bad.
enum class Bad : unsigned { null, foreign, other_kind, released };
inline constexpr std::array kEveryBad{Bad::null, Bad::foreign, Bad::other_kind, Bad::released};
const char* name_of(Bad bad);

/// Objects of one context.
struct Objects {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;  // in order, with profiling
  cl_mem buffer = nullptr;
  cl_mem image = nullptr;  // 2D; null if the device has no images
  cl_sampler sampler = nullptr;
  cl_program program = nullptr;  // built
  cl_kernel kernel = nullptr;    // `plain`, its argument set
  cl_event event = nullptr;      // a user event that has no outcome
};

/// One object of each kind that the application has released.
using Released = Objects;

class World {
 public:
  static constexpr size_t kBytes = 4096;
  static constexpr size_t kSide = 16;

  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] bool has_images() const { return mine.image != nullptr; }

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  Objects mine, other;
  Released released;
  cl_command_queue unprofiled = nullptr;
  cl_mem sub_buffer = nullptr, second_sub_buffer = nullptr;  // of mine.buffer: they share no byte
  cl_mem second_buffer = nullptr;
  cl_mem write_only_host = nullptr, read_only_host = nullptr;  // buffers, host access restricted
  cl_mem image3d = nullptr, float_image = nullptr, write_only_image = nullptr, read_only_image = nullptr;
  cl_mem no_host_image = nullptr;
  cl_program unbuilt = nullptr, compiled = nullptr, failed = nullptr;
  cl_kernel unset = nullptr;                      // `plain`, its argument not set
  cl_kernel every = nullptr;                      // `every`: one argument of each kind
  cl_kernel required = nullptr;                   // reqd_work_group_size(8, 1, 1)
  cl_kernel local = nullptr;                      // one __local argument, not set
  cl_event complete = nullptr, broken = nullptr;  // a user event that ended well, one that failed
  cl_event marker = nullptr;                      // of an unprofiled queue, ended

  /// A bad handle of that type.
  template <class Handle>
  Handle bad(Bad how);

  // Outputs that a refused call leaves alone; each call arms what it hands out.
  cl_event* event() { return &event_; }
  cl_uint* count() { return &count_; }
  size_t* size_ret() { return &size_; }
  void* value() { return value_.data(); }
  template <class T>
  T* array() {
    return reinterpret_cast<T*>(value_.data());
  }
  static constexpr size_t kValueBytes = 512;
  cl_int* code() { return &code_; }
  /// The code of a call that must give no handle, and must say why in errcode_ret.
  template <class Handle>
  cl_int made(Handle handle) {
    EXPECT_EQ(handle, nullptr);
    EXPECT_NE(code_, kNoCode) << "errcode_ret is not set";
    return code_;
  }

  /// Before a call and after it: sentinels, reference counts, contents, states.
  void arm();
  void expect_untouched() const;
  [[nodiscard]] std::vector<std::string> snapshot() const;
  void add_bytes(std::vector<std::string>& lines) const;

 private:
  static constexpr cl_int kNoCode = 123456;
  static constexpr cl_uint kNoCount = 0x5A5A5A5A;

  void make_objects(Objects& objects);
  void make_images();
  void make_programs();
  void release(Objects& objects);

  alignas(64) std::array<unsigned char, kValueBytes> value_{};
  cl_event event_ = nullptr;
  cl_uint count_ = 0;
  size_t size_ = 0;
  cl_int code_ = 0;
  std::array<void*, 16> foreign_{};
};

}  // namespace skmd::test
