// SPDX-License-Identifier: Apache-2.0
// Values, regions and access of the commands on images.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

using Triple = std::array<size_t, 3>;
constexpr size_t kSide = World::kSide;
constexpr size_t kMax = ~size_t{0};
constexpr Triple kZero{0, 0, 0}, kSmall{4, 4, 1};

struct Place {
  const char* wrong;
  Triple origin, region;
  bool null_origin = false, null_region = false;
};

/// Of a 2D image.
const Place kPlaces[] = {
    {"too wide", {0, 0, 0}, {kSide + 1, 1, 1}},
    {"too high", {0, 0, 0}, {1, kSide + 1, 1}},
    {"beyond the right", {kSide, 0, 0}, {1, 1, 1}},
    {"beyond the bottom", {0, kSide, 0}, {1, 1, 1}},
    {"the width overflows", {1, 0, 0}, {kMax, 1, 1}},
    {"a width of 0", {0, 0, 0}, {0, 1, 1}},
    {"a height of 0", {0, 0, 0}, {1, 0, 1}},
    {"a depth of 0", {0, 0, 0}, {1, 1, 0}},
    {"a depth of 2", {0, 0, 0}, {1, 1, 2}},
    {"a slice of a 2D image", {0, 0, 1}, {1, 1, 1}},
    {"the origin is NULL", {0, 0, 0}, {1, 1, 1}, true, false},
    {"the region is NULL", {0, 0, 0}, {1, 1, 1}, false, true},
};

using At = std::function<cl_int(World&, const size_t* origin, const size_t* region)>;

void add_places(Cases& cases, const char* function, const char* side, const At& call) {
  for (const Place& place : kPlaces)
    cases.push_back({function, CL_INVALID_VALUE, std::string(side) + place.wrong,
                     [call, place](World& w) {
                       return call(w, place.null_origin ? nullptr : place.origin.data(),
                                   place.null_region ? nullptr : place.region.data());
                     },
                     Machine::with_images});
}

cl_int read(World& w, cl_mem image, const size_t* origin, const size_t* region, size_t row, size_t slice, void* to) {
  return clEnqueueReadImage(w.mine.queue, image, CL_TRUE, origin, region, row, slice, to, 0, nullptr, w.event());
}
cl_int write(World& w, cl_mem image, const size_t* origin, const size_t* region, size_t row, size_t slice, void* from) {
  return clEnqueueWriteImage(w.mine.queue, image, CL_TRUE, origin, region, row, slice, from, 0, nullptr, w.event());
}
cl_int map(World& w, cl_mem image, cl_map_flags flags, const size_t* origin, const size_t* region, size_t* row,
           size_t* slice) {
  return w.made(clEnqueueMapImage(w.mine.queue, image, CL_TRUE, flags, origin, region, row, slice, 0, nullptr,
                                  w.event(), w.code()));
}

void add_reads_and_writes(Cases& cases) {
  add_places(cases, "clEnqueueReadImage", "", [](World& w, const size_t* origin, const size_t* region) {
    return read(w, w.mine.image, origin, region, 0, 0, w.value());
  });
  add_places(cases, "clEnqueueWriteImage", "", [](World& w, const size_t* origin, const size_t* region) {
    return write(w, w.mine.image, origin, region, 0, 0, w.value());
  });
  using Transfer = cl_int (*)(World&, cl_mem, const size_t*, const size_t*, size_t, size_t, void*);
  struct Entry {
    const char* function;
    Transfer call;
    cl_mem World::*closed;
  };
  for (const Entry& entry : {Entry{"clEnqueueReadImage", read, &World::no_host_image},
                             Entry{"clEnqueueWriteImage", write, &World::no_host_image}}) {
    const auto add = [&](cl_int code, const char* wrong, std::function<cl_int(World&)> call) {
      cases.push_back({entry.function, code, wrong, std::move(call), Machine::with_images});
    };
    add(CL_INVALID_VALUE, "the pointer is NULL",
        [entry](World& w) { return entry.call(w, w.mine.image, kZero.data(), kSmall.data(), 0, 0, nullptr); });
    add(CL_INVALID_VALUE, "a row pitch of less than a row",
        [entry](World& w) { return entry.call(w, w.mine.image, kZero.data(), kSmall.data(), 8, 0, w.value()); });
    add(CL_INVALID_VALUE, "a slice pitch for a 2D image",
        [entry](World& w) { return entry.call(w, w.mine.image, kZero.data(), kSmall.data(), 0, 4096, w.value()); });
    add(CL_INVALID_VALUE, "a slice pitch of less than a slice",
        [entry](World& w) { return entry.call(w, w.image3d, kZero.data(), kSmall.data(), 0, 16, w.value()); });
    add(CL_INVALID_OPERATION, "the host has no access",
        [entry](World& w) { return entry.call(w, w.*entry.closed, kZero.data(), kSmall.data(), 0, 0, w.value()); });
  }
}

void add_maps(Cases& cases) {
  const auto add = [&](cl_int code, const char* wrong, std::function<cl_int(World&)> call) {
    cases.push_back({"clEnqueueMapImage", code, wrong, std::move(call), Machine::with_images});
  };
  add_places(cases, "clEnqueueMapImage", "", [](World& w, const size_t* origin, const size_t* region) {
    return map(w, w.mine.image, CL_MAP_READ, origin, region, w.size_ret(), w.size_ret());
  });
  add(CL_INVALID_VALUE, "the row pitch is NULL",
      [](World& w) { return map(w, w.mine.image, CL_MAP_READ, kZero.data(), kSmall.data(), nullptr, w.size_ret()); });
  add(CL_INVALID_VALUE, "the slice pitch of a volume is NULL",
      [](World& w) { return map(w, w.image3d, CL_MAP_READ, kZero.data(), kSmall.data(), w.size_ret(), nullptr); });
  add(CL_INVALID_VALUE, "an unknown flag", [](World& w) {
    return map(w, w.mine.image, cl_map_flags{1} << 20, kZero.data(), kSmall.data(), w.size_ret(), w.size_ret());
  });
  add(CL_INVALID_VALUE, "read and invalidate", [](World& w) {
    return map(w, w.mine.image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, kZero.data(), kSmall.data(), w.size_ret(),
               w.size_ret());
  });
  add(CL_INVALID_OPERATION, "the host has no access", [](World& w) {
    return map(w, w.no_host_image, CL_MAP_READ, kZero.data(), kSmall.data(), w.size_ret(), w.size_ret());
  });
}

void add_copies(Cases& cases) {
  const auto add = [&](const char* function, cl_int code, const char* wrong, std::function<cl_int(World&)> call) {
    cases.push_back({function, code, wrong, std::move(call), Machine::with_images});
  };
  const auto copy = [](World& w, cl_mem from, cl_mem to, const size_t* from_origin, const size_t* to_origin,
                       const size_t* region) {
    return clEnqueueCopyImage(w.mine.queue, from, to, from_origin, to_origin, region, 0, nullptr, w.event());
  };
  add_places(cases, "clEnqueueCopyImage", "the source ", [copy](World& w, const size_t* origin, const size_t* region) {
    return copy(w, w.mine.image, w.write_only_image, origin, kZero.data(), region);
  });
  add_places(cases, "clEnqueueCopyImage", "the target ", [copy](World& w, const size_t* origin, const size_t* region) {
    return copy(w, w.write_only_image, w.mine.image, kZero.data(), origin, region);
  });
  add("clEnqueueCopyImage", CL_IMAGE_FORMAT_MISMATCH, "other formats",
      [copy](World& w) { return copy(w, w.mine.image, w.float_image, kZero.data(), kZero.data(), kSmall.data()); });
  static constexpr Triple kNear{3, 3, 0};
  add("clEnqueueCopyImage", CL_MEM_COPY_OVERLAP, "boxes share a corner",
      [copy](World& w) { return copy(w, w.mine.image, w.mine.image, kZero.data(), kNear.data(), kSmall.data()); });
  add_places(cases, "clEnqueueCopyImageToBuffer", "", [](World& w, const size_t* origin, const size_t* region) {
    return clEnqueueCopyImageToBuffer(w.mine.queue, w.mine.image, w.mine.buffer, origin, region, 0, 0, nullptr,
                                      w.event());
  });
  add_places(cases, "clEnqueueCopyBufferToImage", "", [](World& w, const size_t* origin, const size_t* region) {
    return clEnqueueCopyBufferToImage(w.mine.queue, w.mine.buffer, w.mine.image, 0, origin, region, 0, nullptr,
                                      w.event());
  });
  for (const size_t offset : {World::kBytes - 8, kMax - 8}) {
    add("clEnqueueCopyImageToBuffer", CL_INVALID_VALUE, "beyond the buffer's end", [offset](World& w) {
      return clEnqueueCopyImageToBuffer(w.mine.queue, w.mine.image, w.mine.buffer, kZero.data(), kSmall.data(), offset,
                                        0, nullptr, w.event());
    });
    add("clEnqueueCopyBufferToImage", CL_INVALID_VALUE, "beyond the buffer's end", [offset](World& w) {
      return clEnqueueCopyBufferToImage(w.mine.queue, w.mine.buffer, w.mine.image, offset, kZero.data(), kSmall.data(),
                                        0, nullptr, w.event());
    });
  }
  add_places(cases, "clEnqueueFillImage", "", [](World& w, const size_t* origin, const size_t* region) {
    return clEnqueueFillImage(w.mine.queue, w.mine.image, w.value(), origin, region, 0, nullptr, w.event());
  });
  add("clEnqueueFillImage", CL_INVALID_VALUE, "the colour is NULL", [](World& w) {
    return clEnqueueFillImage(w.mine.queue, w.mine.image, nullptr, kZero.data(), kSmall.data(), 0, nullptr, w.event());
  });
}

}  // namespace

void add_image_command_cases(Cases& cases) {
  add_reads_and_writes(cases);
  add_maps(cases);
  add_copies(cases);
}

}  // namespace skmd::test
