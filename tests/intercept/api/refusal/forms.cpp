// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/refusal/forms.h"

namespace skmd::test {
namespace {

constexpr size_t kOrigin[3] = {0, 0, 0};
constexpr size_t kRegion[3] = {4, 4, 1};
constexpr size_t kItems = 16;
constexpr size_t kHalf = World::kBytes / 2;

void CL_CALLBACK never(void*) { ADD_FAILURE() << "a refused native kernel was called"; }

// The good call of each function, with the memory objects left open.
cl_int read(World& w, cl_mem m, const Tail& t) {
  return clEnqueueReadBuffer(t.queue, m, t.blocking, 0, 64, w.value(), t.count, t.list, t.event);
}
cl_int write(World& w, cl_mem m, const Tail& t) {
  return clEnqueueWriteBuffer(t.queue, m, t.blocking, 0, 64, w.value(), t.count, t.list, t.event);
}
cl_int read_rect(World& w, cl_mem m, const Tail& t) {
  return clEnqueueReadBufferRect(t.queue, m, t.blocking, kOrigin, kOrigin, kRegion, 0, 0, 0, 0, w.value(), t.count,
                                 t.list, t.event);
}
cl_int write_rect(World& w, cl_mem m, const Tail& t) {
  return clEnqueueWriteBufferRect(t.queue, m, t.blocking, kOrigin, kOrigin, kRegion, 0, 0, 0, 0, w.value(), t.count,
                                  t.list, t.event);
}
cl_int copy(cl_mem from, cl_mem to, const Tail& t) {
  return clEnqueueCopyBuffer(t.queue, from, to, 0, kHalf, 64, t.count, t.list, t.event);
}
cl_int copy_rect(cl_mem from, cl_mem to, const Tail& t) {
  return clEnqueueCopyBufferRect(t.queue, from, to, kOrigin, kOrigin, kRegion, 0, 0, 0, 0, t.count, t.list, t.event);
}
cl_int fill(cl_mem m, const Tail& t) {
  const cl_uint pattern = 1;
  return clEnqueueFillBuffer(t.queue, m, &pattern, sizeof pattern, 0, 64, t.count, t.list, t.event);
}
cl_int map(World& w, cl_mem m, const Tail& t) {
  return w.made(clEnqueueMapBuffer(t.queue, m, t.blocking, CL_MAP_READ, 0, 64, t.count, t.list, t.event, w.code()));
}
cl_int map_image(World& w, cl_mem m, const Tail& t) {
  return w.made(clEnqueueMapImage(t.queue, m, t.blocking, CL_MAP_READ, kOrigin, kRegion, w.size_ret(), w.size_ret(),
                                  t.count, t.list, t.event, w.code()));
}
cl_int read_image(World& w, cl_mem m, const Tail& t) {
  return clEnqueueReadImage(t.queue, m, t.blocking, kOrigin, kRegion, 0, 0, w.value(), t.count, t.list, t.event);
}
cl_int write_image(World& w, cl_mem m, const Tail& t) {
  return clEnqueueWriteImage(t.queue, m, t.blocking, kOrigin, kRegion, 0, 0, w.value(), t.count, t.list, t.event);
}
cl_int copy_image(cl_mem from, cl_mem to, const Tail& t) {
  static constexpr size_t kElsewhere[3] = {8, 8, 0};
  return clEnqueueCopyImage(t.queue, from, to, kOrigin, kElsewhere, kRegion, t.count, t.list, t.event);
}
cl_int fill_image(cl_mem m, const Tail& t) {
  const cl_float color[4] = {1, 1, 1, 1};
  return clEnqueueFillImage(t.queue, m, color, kOrigin, kRegion, t.count, t.list, t.event);
}
cl_int image_to_buffer(cl_mem from, cl_mem to, const Tail& t) {
  return clEnqueueCopyImageToBuffer(t.queue, from, to, kOrigin, kRegion, 0, t.count, t.list, t.event);
}
cl_int buffer_to_image(cl_mem from, cl_mem to, const Tail& t) {
  return clEnqueueCopyBufferToImage(t.queue, from, to, 0, kOrigin, kRegion, t.count, t.list, t.event);
}
cl_int migrate(cl_mem m, const Tail& t) {
  return clEnqueueMigrateMemObjects(t.queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, t.count, t.list, t.event);
}
cl_int unmap(World& w, cl_mem m, const Tail& t) {
  return clEnqueueUnmapMemObject(t.queue, m, w.value(), t.count, t.list, t.event);
}
cl_int native(cl_mem m, const Tail& t) {
  void* arguments[1] = {nullptr};
  const void* location = arguments;
  return clEnqueueNativeKernel(t.queue, never, arguments, sizeof arguments, 1, &m, &location, t.count, t.list, t.event);
}

}  // namespace

const std::vector<Form>& every_form() {
  constexpr Machine kAny = Machine::any, kImages = Machine::with_images;
  static const auto* const forms = new std::vector<Form>{
      {"clEnqueueReadBuffer", kAny, true, [](World& w, const Tail& t) { return read(w, w.mine.buffer, t); }},
      {"clEnqueueWriteBuffer", kAny, true, [](World& w, const Tail& t) { return write(w, w.mine.buffer, t); }},
      {"clEnqueueReadBufferRect", kAny, true, [](World& w, const Tail& t) { return read_rect(w, w.mine.buffer, t); }},
      {"clEnqueueWriteBufferRect", kAny, true, [](World& w, const Tail& t) { return write_rect(w, w.mine.buffer, t); }},
      {"clEnqueueCopyBuffer", kAny, false,
       [](World& w, const Tail& t) { return copy(w.mine.buffer, w.second_buffer, t); }},
      {"clEnqueueCopyBufferRect", kAny, false,
       [](World& w, const Tail& t) { return copy_rect(w.mine.buffer, w.second_buffer, t); }},
      {"clEnqueueFillBuffer", kAny, false, [](World& w, const Tail& t) { return fill(w.mine.buffer, t); }},
      {"clEnqueueMapBuffer", kAny, true, [](World& w, const Tail& t) { return map(w, w.mine.buffer, t); }},
      {"clEnqueueMapImage", kImages, true, [](World& w, const Tail& t) { return map_image(w, w.mine.image, t); }},
      {"clEnqueueReadImage", kImages, true, [](World& w, const Tail& t) { return read_image(w, w.mine.image, t); }},
      {"clEnqueueWriteImage", kImages, true, [](World& w, const Tail& t) { return write_image(w, w.mine.image, t); }},
      {"clEnqueueCopyImage", kImages, false,
       [](World& w, const Tail& t) { return copy_image(w.mine.image, w.mine.image, t); }},
      {"clEnqueueFillImage", kImages, false, [](World& w, const Tail& t) { return fill_image(w.mine.image, t); }},
      {"clEnqueueCopyImageToBuffer", kImages, false,
       [](World& w, const Tail& t) { return image_to_buffer(w.mine.image, w.mine.buffer, t); }},
      {"clEnqueueCopyBufferToImage", kImages, false,
       [](World& w, const Tail& t) { return buffer_to_image(w.mine.buffer, w.mine.image, t); }},
      {"clEnqueueMigrateMemObjects", kAny, false, [](World& w, const Tail& t) { return migrate(w.mine.buffer, t); }},
      {"clEnqueueUnmapMemObject", kAny, false, [](World& w, const Tail& t) { return unmap(w, w.mine.buffer, t); }},
      {"clEnqueueNativeKernel", kAny, false, [](World& w, const Tail& t) { return native(w.mine.buffer, t); }},
      {"clEnqueueMarkerWithWaitList", kAny, false,
       [](World&, const Tail& t) { return clEnqueueMarkerWithWaitList(t.queue, t.count, t.list, t.event); }},
      {"clEnqueueBarrierWithWaitList", kAny, false,
       [](World&, const Tail& t) { return clEnqueueBarrierWithWaitList(t.queue, t.count, t.list, t.event); }},
      {"clEnqueueNDRangeKernel", kAny, false,
       [](World& w, const Tail& t) {
         return clEnqueueNDRangeKernel(t.queue, w.mine.kernel, 1, nullptr, &kItems, nullptr, t.count, t.list, t.event);
       }},
      {"clEnqueueTask", kAny, false,
       [](World& w, const Tail& t) { return clEnqueueTask(t.queue, w.mine.kernel, t.count, t.list, t.event); }},
  };
  return *forms;
}

const std::vector<MemoryForm>& every_memory_form() {
  constexpr Machine kAny = Machine::any, kImages = Machine::with_images;
  const auto tail = [](World& w) { return Tail{w.mine.queue, 0, nullptr, w.event(), CL_TRUE}; };
  static const auto* const forms = new std::vector<MemoryForm>{
      {"clEnqueueReadBuffer", "the buffer", kAny, false, false,
       [=](World& w, cl_mem m) { return read(w, m, tail(w)); }},
      {"clEnqueueWriteBuffer", "the buffer", kAny, false, false,
       [=](World& w, cl_mem m) { return write(w, m, tail(w)); }},
      {"clEnqueueReadBufferRect", "the buffer", kAny, false, false,
       [=](World& w, cl_mem m) { return read_rect(w, m, tail(w)); }},
      {"clEnqueueWriteBufferRect", "the buffer", kAny, false, false,
       [=](World& w, cl_mem m) { return write_rect(w, m, tail(w)); }},
      {"clEnqueueCopyBuffer", "the source", kAny, false, false,
       [=](World& w, cl_mem m) { return copy(m, w.mine.buffer, tail(w)); }},
      {"clEnqueueCopyBuffer", "the target", kAny, false, false,
       [=](World& w, cl_mem m) { return copy(w.mine.buffer, m, tail(w)); }},
      {"clEnqueueCopyBufferRect", "the source", kAny, false, false,
       [=](World& w, cl_mem m) { return copy_rect(m, w.mine.buffer, tail(w)); }},
      {"clEnqueueCopyBufferRect", "the target", kAny, false, false,
       [=](World& w, cl_mem m) { return copy_rect(w.mine.buffer, m, tail(w)); }},
      {"clEnqueueFillBuffer", "the buffer", kAny, false, false, [=](World& w, cl_mem m) { return fill(m, tail(w)); }},
      {"clEnqueueMapBuffer", "the buffer", kAny, false, false, [=](World& w, cl_mem m) { return map(w, m, tail(w)); }},
      {"clEnqueueMapImage", "the image", kImages, true, false,
       [=](World& w, cl_mem m) { return map_image(w, m, tail(w)); }},
      {"clEnqueueReadImage", "the image", kImages, true, false,
       [=](World& w, cl_mem m) { return read_image(w, m, tail(w)); }},
      {"clEnqueueWriteImage", "the image", kImages, true, false,
       [=](World& w, cl_mem m) { return write_image(w, m, tail(w)); }},
      {"clEnqueueCopyImage", "the source", kImages, true, false,
       [=](World& w, cl_mem m) { return copy_image(m, w.mine.image, tail(w)); }},
      {"clEnqueueCopyImage", "the target", kImages, true, false,
       [=](World& w, cl_mem m) { return copy_image(w.mine.image, m, tail(w)); }},
      {"clEnqueueFillImage", "the image", kImages, true, false,
       [=](World& w, cl_mem m) { return fill_image(m, tail(w)); }},
      {"clEnqueueCopyImageToBuffer", "the image", kImages, true, false,
       [=](World& w, cl_mem m) { return image_to_buffer(m, w.mine.buffer, tail(w)); }},
      {"clEnqueueCopyImageToBuffer", "the buffer", kImages, false, false,
       [=](World& w, cl_mem m) { return image_to_buffer(w.mine.image, m, tail(w)); }},
      {"clEnqueueCopyBufferToImage", "the buffer", kImages, false, false,
       [=](World& w, cl_mem m) { return buffer_to_image(m, w.mine.image, tail(w)); }},
      {"clEnqueueCopyBufferToImage", "the image", kImages, true, false,
       [=](World& w, cl_mem m) { return buffer_to_image(w.mine.buffer, m, tail(w)); }},
      {"clEnqueueMigrateMemObjects", "the object", kAny, false, true,
       [=](World& w, cl_mem m) { return migrate(m, tail(w)); }},
      {"clEnqueueUnmapMemObject", "the object", kAny, false, true,
       [=](World& w, cl_mem m) { return unmap(w, m, tail(w)); }},
      {"clEnqueueNativeKernel", "the buffer", kAny, false, false,
       [=](World& w, cl_mem m) { return native(m, tail(w)); }},
  };
  return *forms;
}

}  // namespace skmd::test
