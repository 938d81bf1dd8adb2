// SPDX-License-Identifier: Apache-2.0
// The operations of ModelWorld: each is enqueued and done to the arrays.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/intercept/driver/model_world.h"

namespace skmd::test {

namespace {

cl_uint size_of(const std::vector<cl_event>& list) { return static_cast<cl_uint>(list.size()); }
const cl_event* data_of(const std::vector<cl_event>& list) { return list.empty() ? nullptr : list.data(); }

/// A rectangle of words inside a buffer seen as rows of kPitch words.
constexpr std::size_t kPitch = 128;
struct Box {
  std::size_t x, y, width, height;
  [[nodiscard]] std::array<std::size_t, 3> origin() const { return {x * 4, y, 0}; }
  [[nodiscard]] std::array<std::size_t, 3> region() const { return {width * 4, height, 1}; }
  template <class Visit>
  void visit(Visit&& visit) const {
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t column = 0; column < width; ++column)
        visit((y + row) * kPitch + x + column, row * width + column);
  }
};

Box random_box(std::mt19937& random) {
  Box box{};
  box.x = random() % kPitch;
  box.y = random() % (ModelWorld::kWords / kPitch);
  box.width = 1 + random() % (kPitch - box.x);
  box.height = 1 + random() % std::min<std::size_t>(16, ModelWorld::kWords / kPitch - box.y);
  return box;
}

constexpr std::size_t kZero[3] = {0, 0, 0};

}  // namespace

void ModelWorld::write() {
  const Slice s = slice();
  Words& source = host(s.count);
  // Often what is there already, or nearly.
  const bool again = below(3) == 0;
  if (again) std::copy_n(model[s.buffer].begin() + static_cast<std::ptrdiff_t>(s.first), s.count, source.begin());
  for (auto& word : source)
    if (!again || below(4 * s.count) == 0) word = static_cast<std::uint32_t>(random());
  const auto list = after({}, {s.buffer});
  const bool blocking = gates.empty() && below(3) == 0;  // else this thread could not open the gates
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueWriteBuffer(any_queue(), buffers[s.buffer], blocking, s.byte_offset(), s.bytes(), source.data(),
                                 size_of(list), data_of(list), &event),
            CL_SUCCESS);
  done(event, {}, {s.buffer});
  std::copy(source.begin(), source.end(), model[s.buffer].begin() + static_cast<std::ptrdiff_t>(s.first));
}

void ModelWorld::read() {
  const Slice s = slice();
  Words& target = host(s.count);
  const auto list = after({s.buffer}, {});
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueReadBuffer(any_queue(), buffers[s.buffer], CL_FALSE, s.byte_offset(), s.bytes(), target.data(),
                                size_of(list), data_of(list), &event),
            CL_SUCCESS);
  done(event, {s.buffer}, {});
  const auto first = model[s.buffer].begin() + static_cast<std::ptrdiff_t>(s.first);
  expect(&target, Words(first, first + static_cast<std::ptrdiff_t>(s.count)), "read");
}

void ModelWorld::write_rect() {
  const std::size_t buffer = below(kBuffers);
  const Box box = random_box(random);
  Words& source = host(box.width * box.height);
  for (auto& word : source) word = static_cast<std::uint32_t>(random());
  const auto list = after({}, {buffer});
  cl_event event = nullptr;
  ASSERT_EQ(
      clEnqueueWriteBufferRect(any_queue(), buffers[buffer], CL_FALSE, box.origin().data(), kZero, box.region().data(),
                               kPitch * 4, 0, 0, 0, source.data(), size_of(list), data_of(list), &event),
      CL_SUCCESS);
  done(event, {}, {buffer});
  box.visit([&](std::size_t at, std::size_t index) { model[buffer][at] = source[index]; });
}

void ModelWorld::read_rect() {
  const std::size_t buffer = below(kBuffers);
  const Box box = random_box(random);
  Words& target = host(box.width * box.height);
  const auto list = after({buffer}, {});
  cl_event event = nullptr;
  ASSERT_EQ(
      clEnqueueReadBufferRect(any_queue(), buffers[buffer], CL_FALSE, box.origin().data(), kZero, box.region().data(),
                              kPitch * 4, 0, 0, 0, target.data(), size_of(list), data_of(list), &event),
      CL_SUCCESS);
  done(event, {buffer}, {});
  Words want(target.size());
  box.visit([&](std::size_t at, std::size_t index) { want[index] = model[buffer][at]; });
  expect(&target, std::move(want), "rectangular read");
}

void ModelWorld::fill() {
  const Slice s = slice();
  const auto pattern = static_cast<std::uint32_t>(random());
  const auto list = after({}, {s.buffer});
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueFillBuffer(any_queue(), buffers[s.buffer], &pattern, 4, s.byte_offset(), s.bytes(), size_of(list),
                                data_of(list), &event),
            CL_SUCCESS);
  done(event, {}, {s.buffer});
  std::fill_n(model[s.buffer].begin() + static_cast<std::ptrdiff_t>(s.first), s.count, pattern);
}

void ModelWorld::copy() {
  const Slice from = slice();
  const std::size_t to = (from.buffer + 1 + below(kBuffers - 1)) % kBuffers;
  const std::size_t target = below(kWords - from.count + 1);
  const auto list = after({from.buffer}, {to});
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueCopyBuffer(any_queue(), buffers[from.buffer], buffers[to], from.byte_offset(), target * 4,
                                from.bytes(), size_of(list), data_of(list), &event),
            CL_SUCCESS);
  done(event, {from.buffer}, {to});
  std::copy_n(model[from.buffer].begin() + static_cast<std::ptrdiff_t>(from.first), from.count,
              model[to].begin() + static_cast<std::ptrdiff_t>(target));
}

void ModelWorld::copy_rect() {
  const std::size_t from = below(kBuffers);
  const std::size_t to = (from + 1 + below(kBuffers - 1)) % kBuffers;
  const Box box = random_box(random);
  const std::size_t row = below(kWords / kPitch - box.height + 1);
  const std::size_t target[3] = {0, row, 0};
  const auto list = after({from}, {to});
  cl_event event = nullptr;
  ASSERT_EQ(
      clEnqueueCopyBufferRect(any_queue(), buffers[from], buffers[to], box.origin().data(), target, box.region().data(),
                              kPitch * 4, 0, kPitch * 4, 0, size_of(list), data_of(list), &event),
      CL_SUCCESS);
  done(event, {from}, {to});
  box.visit([&](std::size_t at, std::size_t index) {
    model[to][(row + index / box.width) * kPitch + index % box.width] = model[from][at];
  });
}

void ModelWorld::map_and_write() {
  const Slice s = slice();
  const bool invalidate = below(2) == 0;
  // The application waits for its map: gates would never open before it.
  settle();
  cl_int status = CL_SUCCESS;
  auto* words = static_cast<std::uint32_t*>(clEnqueueMapBuffer(
      any_queue(), buffers[s.buffer], CL_TRUE, invalidate ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_WRITE,
      s.byte_offset(), s.bytes(), 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  for (std::size_t i = 0; i < s.count; ++i) {
    // A plain write map keeps what is not written.
    if (!invalidate && i % 3 != 0) continue;
    words[i] = static_cast<std::uint32_t>(random());
    model[s.buffer][s.first + i] = words[i];
  }
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueUnmapMemObject(any_queue(), buffers[s.buffer], words, 0, nullptr, &event), CL_SUCCESS);
  done(event, {}, {s.buffer});
}

void ModelWorld::map_and_read() {
  const Slice s = slice();
  settle();
  cl_int status = CL_SUCCESS;
  auto* words = static_cast<std::uint32_t*>(clEnqueueMapBuffer(
      any_queue(), buffers[s.buffer], CL_TRUE, CL_MAP_READ, s.byte_offset(), s.bytes(), 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_TRUE(std::equal(words, words + s.count, model[s.buffer].begin() + static_cast<std::ptrdiff_t>(s.first)))
      << "step " << steps << ": map of buffer " << s.buffer;
  cl_event event = nullptr;
  ASSERT_EQ(clEnqueueUnmapMemObject(any_queue(), buffers[s.buffer], words, 0, nullptr, &event), CL_SUCCESS);
  done(event, {s.buffer}, {});
}

void ModelWorld::launch(cl_kernel kernel, std::size_t items, std::initializer_list<std::size_t> reads,
                        std::size_t write) {
  const auto list = after(reads, {write});
  const std::size_t local = kLocal;
  cl_event event = nullptr;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(any_queue(), kernel, 1, nullptr, &items, &local, size_of(list), data_of(list), &event),
      CL_SUCCESS);
  done(event, reads, {write});
  ++launches;
}

void ModelWorld::through_sub_buffer() {
  const std::size_t granule = std::max(alignment / 4, kLocal);
  const Slice s = slice(granule);
  const cl_buffer_region region{s.byte_offset(), s.bytes()};
  cl_int status = CL_SUCCESS;
  cl_mem child = clCreateSubBuffer(buffers[s.buffer], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(in_place, 0, sizeof child, &child), CL_SUCCESS);
  launch(in_place, s.count, {}, s.buffer);
  clReleaseMemObject(child);  // the launch keeps it
  for (std::size_t i = 0; i < s.count; ++i) {
    auto& word = model[s.buffer][s.first + i];
    word = word * 1664525u + 1013904223u;
  }
}

void ModelWorld::launch_in_place() {
  const std::size_t buffer = below(kBuffers);
  const std::size_t items = kLocal * (1 + below(kWords / kLocal));
  clSetKernelArg(in_place, 0, sizeof(cl_mem), &buffers[buffer]);
  launch(in_place, items, {}, buffer);
  for (std::size_t i = 0; i < items; ++i) model[buffer][i] = model[buffer][i] * 1664525u + 1013904223u;
}

void ModelWorld::launch_add() {
  const std::size_t y = below(kBuffers);
  const std::size_t x = below(kBuffers);
  const std::size_t items = kLocal * (1 + below(kWords / kLocal));
  const auto first = static_cast<cl_uint>(below(kWords - items + 1));
  const auto factor = static_cast<cl_uint>(random());
  clSetKernelArg(add, 0, sizeof(cl_mem), &buffers[y]);
  clSetKernelArg(add, 1, sizeof(cl_mem), &buffers[x]);
  clSetKernelArg(add, 2, sizeof factor, &factor);
  clSetKernelArg(add, 3, sizeof first, &first);
  launch(add, items, {x}, y);
  for (std::size_t i = first; i < first + items; ++i) model[y][i] += factor * model[x][i];
}

void ModelWorld::launch_odd() {
  const std::size_t y = below(kBuffers);
  const std::size_t x = (y + 1 + below(kBuffers - 1)) % kBuffers;
  const std::size_t items = kLocal * (1 + below(kWords / kLocal));
  clSetKernelArg(odd, 0, sizeof(cl_mem), &buffers[y]);
  clSetKernelArg(odd, 1, sizeof(cl_mem), &buffers[x]);
  launch(odd, items, {x}, y);
  for (std::size_t i = 0; i < items; ++i)
    if ((model[x][i] & 1u) != 0) model[y][i] = model[x][i] + 1;
}

void ModelWorld::launch_reverse() {
  const std::size_t y = below(kBuffers);
  const std::size_t x = (y + 1 + below(kBuffers - 1)) % kBuffers;
  const std::size_t items = kLocal * (1 + below(kWords / kLocal));
  const auto n = static_cast<cl_uint>(items);
  clSetKernelArg(reverse, 0, sizeof(cl_mem), &buffers[y]);
  clSetKernelArg(reverse, 1, sizeof(cl_mem), &buffers[x]);
  clSetKernelArg(reverse, 2, sizeof n, &n);
  launch(reverse, items, {x}, y);
  for (std::size_t i = 0; i < items; ++i) model[y][items - 1 - i] = model[x][i] ^ 0x5A5A5A5Au;
}

void ModelWorld::launch_scatter() {
  const std::size_t y = below(kBuffers);
  const std::size_t items = kLocal * (1 + below(kWords / kLocal));
  // Odd factors and a power of two: no two items write one word.
  const auto factor = static_cast<cl_uint>(2 * below(1000) + 1);
  const auto n = static_cast<cl_uint>(kWords);
  clSetKernelArg(scatter, 0, sizeof(cl_mem), &buffers[y]);
  clSetKernelArg(scatter, 1, sizeof n, &n);
  clSetKernelArg(scatter, 2, sizeof factor, &factor);
  launch(scatter, items, {}, y);
  for (std::uint32_t i = 0; i < items; ++i) model[y][i * factor % n] = i;
}

}  // namespace skmd::test
