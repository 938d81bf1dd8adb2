// SPDX-License-Identifier: Apache-2.0
// The session's application: its objects and its steps.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <vector>

#include "tests/faults/session.h"
#include "tests/faults/world.h"

namespace skmd::test {

/// Large enough for transfers that go past host memory.
inline constexpr std::size_t kWords = 32768;
inline constexpr std::size_t kBytes = kWords * sizeof(cl_uint);
inline constexpr std::size_t kLocal = 64;
/// What our front end cannot take goes to vendors as it is.
extern const char* const kOpaque;

Words ramp(cl_uint first);

class Session {
 public:
  Outcome run();

 private:
  using Effect = World::Effect;
  bool open();
  void close();
  void open_buffers();
  cl_kernel kernel(cl_program program, const char* name);
  cl_program build(const char* source);

  void transfers();
  void launches();
  /// So often that a device gets page-locked memory for what is read.
  void often_read();
  void sub_buffers();
  void fills_copies_maps();
  void images();
  void several_queues();
  void gates();
  void binaries();
  void links();
  void opaque();
  void read_all();

  void write(cl_command_queue queue, Object& to, const Words& words, bool blocking);
  void read(cl_command_queue queue, Object& from, bool blocking);
  bool set(cl_kernel kernel, cl_uint index, const Object& object);
  void launch(cl_command_queue queue, cl_kernel kernel, Effect effect, std::vector<cl_event> after = {});
  void copy_launch(cl_command_queue queue, Object& from, Object& to);
  void count_launch(cl_command_queue queue, Object& counts);

  World world_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr, second_ = nullptr, unordered_ = nullptr;
  cl_program program_ = nullptr, opaque_program_ = nullptr, from_binary_ = nullptr;
  std::vector<cl_kernel> kernels_;
  cl_kernel copy_ = nullptr, count_ = nullptr, scatter_ = nullptr, grid_ = nullptr, image_kernel_ = nullptr;
  Object a_, b_, c_, index_;
  std::vector<Object*> objects_{&a_, &b_, &c_, &index_};
};

}  // namespace skmd::test
