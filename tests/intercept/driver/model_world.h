// SPDX-License-Identifier: Apache-2.0
// Buffers beside plain arrays: every operation is enqueued and, at once, done to the arrays. Conflicting operations are
// ordered by events alone, so that they may run on any queue.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace skmd::test {

using Words = std::vector<std::uint32_t>;

/// Half-open range of words of one buffer.
struct Slice {
  std::size_t buffer = 0, first = 0, count = 0;
  [[nodiscard]] std::size_t byte_offset() const { return first * 4; }
  [[nodiscard]] std::size_t bytes() const { return count * 4; }
};

class ModelWorld {
 public:
  static constexpr std::size_t kBuffers = 5;
  static constexpr std::size_t kWords = 32768;  // a power of two; more bytes than fills and copies leave to host memory
  static constexpr std::size_t kLocal = 64;

  explicit ModelWorld(unsigned seed) : random(seed) {}
  ModelWorld(const ModelWorld&) = delete;
  ModelWorld& operator=(const ModelWorld&) = delete;
  ~ModelWorld();

  void open();         // platform, context, queues, buffers, kernels
  void step();         // one random operation
  void settle();       // opens all gates, finishes all queues, compares what was read
  void compare_all();  // reads every buffer whole
  std::size_t launches = 0, steps = 0;

 private:
  using Operation = void (ModelWorld::*)();
  void write();
  void read();
  void write_rect();
  void read_rect();
  void fill();
  void copy();
  void copy_rect();
  void map_and_write();
  void map_and_read();
  void through_sub_buffer();
  void launch_add();
  void launch_odd();
  void launch_reverse();
  void launch_scatter();
  void launch_in_place();

  std::size_t below(std::size_t limit) { return random() % limit; }
  Slice slice(std::size_t granule = 1);
  cl_command_queue any_queue() { return queues[below(queues.size())]; }
  /// Wait list for an operation that reads and writes these buffers; now and then with a gate that opens later.
  std::vector<cl_event> after(std::initializer_list<std::size_t> reads, std::initializer_list<std::size_t> writes);
  /// Notes the operation's event.
  void done(cl_event event, std::initializer_list<std::size_t> reads, std::initializer_list<std::size_t> writes);
  void launch(cl_kernel kernel, std::size_t items, std::initializer_list<std::size_t> reads, std::size_t write);
  Words& host(std::size_t words) { return kept.emplace_back(words); }
  void expect(const Words* got, Words want, const std::string& what);

  struct Pending {
    const Words* got;
    Words want;
    std::string what;
  };
  struct History {
    cl_event writer = nullptr;
    std::vector<cl_event> readers;
  };

  std::mt19937 random;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_program program = nullptr;
  std::vector<cl_command_queue> queues;
  std::array<cl_mem, kBuffers> buffers{};
  std::array<Words, kBuffers> model;
  std::array<History, kBuffers> history;
  cl_kernel add = nullptr, odd = nullptr, reverse = nullptr, scatter = nullptr, in_place = nullptr;
  std::deque<Words> kept;  // host memory of commands in flight
  std::vector<Pending> pending;
  std::vector<cl_event> gates, events;
  std::size_t alignment = 128;
};

}  // namespace skmd::test
