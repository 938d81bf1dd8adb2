// SPDX-License-Identifier: Apache-2.0
// Values, ranges and access of the commands on buffers.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

constexpr size_t kEnd = World::kBytes;
constexpr size_t kMax = ~size_t{0};
using Triple = std::array<size_t, 3>;

struct WrongRange {
  const char* wrong;
  size_t offset, size;
};
constexpr WrongRange kRanges[] = {{"one byte beyond the end", 0, kEnd + 1},
                                  {"begins beyond the end", kEnd + 1, 0},
                                  {"the end overflows", 64, kMax - 32}};

void add_linear(Cases& cases) {
  const auto read = [](World& w, cl_mem buffer, size_t offset, size_t size, void* pointer) {
    return clEnqueueReadBuffer(w.mine.queue, buffer, CL_TRUE, offset, size, pointer, 0, nullptr, w.event());
  };
  const auto write = [](World& w, cl_mem buffer, size_t offset, size_t size, const void* pointer) {
    return clEnqueueWriteBuffer(w.mine.queue, buffer, CL_TRUE, offset, size, pointer, 0, nullptr, w.event());
  };
  const auto map = [](World& w, cl_mem buffer, cl_map_flags flags, size_t offset, size_t size) {
    return w.made(
        clEnqueueMapBuffer(w.mine.queue, buffer, CL_TRUE, flags, offset, size, 0, nullptr, w.event(), w.code()));
  };
  for (const WrongRange& wrong : kRanges) {
    cases.push_back({"clEnqueueReadBuffer", CL_INVALID_VALUE, wrong.wrong,
                     [read, wrong](World& w) { return read(w, w.mine.buffer, wrong.offset, wrong.size, w.value()); }});
    cases.push_back({"clEnqueueWriteBuffer", CL_INVALID_VALUE, wrong.wrong, [write, wrong](World& w) {
                       return write(w, w.mine.buffer, wrong.offset, wrong.size, w.value());
                     }});
    cases.push_back({"clEnqueueMapBuffer", CL_INVALID_VALUE, wrong.wrong,
                     [map, wrong](World& w) { return map(w, w.mine.buffer, CL_MAP_READ, wrong.offset, wrong.size); }});
  }
  cases.push_back({"clEnqueueReadBuffer", CL_INVALID_VALUE, "beyond the end of a sub-buffer",
                   [read](World& w) { return read(w, w.sub_buffer, 0, kEnd / 2 + 1, w.value()); }});
  cases.push_back({"clEnqueueReadBuffer", CL_INVALID_VALUE, "the pointer is NULL",
                   [read](World& w) { return read(w, w.mine.buffer, 0, 64, nullptr); }});
  cases.push_back({"clEnqueueWriteBuffer", CL_INVALID_VALUE, "the pointer is NULL",
                   [write](World& w) { return write(w, w.mine.buffer, 0, 64, nullptr); }});
  cases.push_back({"clEnqueueReadBuffer", CL_INVALID_OPERATION, "the host may only write",
                   [read](World& w) { return read(w, w.write_only_host, 0, 64, w.value()); }});
  cases.push_back({"clEnqueueWriteBuffer", CL_INVALID_OPERATION, "the host may only read",
                   [write](World& w) { return write(w, w.read_only_host, 0, 64, w.value()); }});
  cases.push_back({"clEnqueueMapBuffer", CL_INVALID_VALUE, "size 0",
                   [map](World& w) { return map(w, w.mine.buffer, CL_MAP_READ, 0, 0); }});
  for (const cl_map_flags flags : {cl_map_flags{1} << 20, cl_map_flags{CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION},
                                   cl_map_flags{CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION}})
    cases.push_back({"clEnqueueMapBuffer", CL_INVALID_VALUE, "flags " + std::to_string(flags),
                     [map, flags](World& w) { return map(w, w.mine.buffer, flags, 0, 64); }});
  cases.push_back({"clEnqueueMapBuffer", CL_INVALID_OPERATION, "the host may only write",
                   [map](World& w) { return map(w, w.write_only_host, CL_MAP_READ, 0, 64); }});
  for (const cl_map_flags flags : {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION})
    cases.push_back({"clEnqueueMapBuffer", CL_INVALID_OPERATION,
                     "the host may only read, flags " + std::to_string(flags),
                     [map, flags](World& w) { return map(w, w.read_only_host, flags, 0, 64); }});
  // A mapping that is in the way, by another view of the same bytes.
  cases.push_back(
      {"clEnqueueMapBuffer", CL_INVALID_OPERATION, "already mapped for writing", [map](World& w) {
         cl_int made = 1;
         void* first =
             clEnqueueMapBuffer(w.mine.queue, w.sub_buffer, CL_TRUE, CL_MAP_WRITE, 32, 64, 0, nullptr, nullptr, &made);
         EXPECT_EQ(made, CL_SUCCESS);
         const cl_int code = map(w, w.mine.buffer, CL_MAP_WRITE, 0, 64);
         EXPECT_EQ(clEnqueueUnmapMemObject(w.mine.queue, w.sub_buffer, first, 0, nullptr, nullptr), CL_SUCCESS);
         EXPECT_EQ(clFinish(w.mine.queue), CL_SUCCESS);
         return code;
       }});
}

void add_unmap(Cases& cases) {
  const auto unmap = [](World& w, cl_mem memory, std::ptrdiff_t shift) {
    cl_int made = 1;
    auto* mapped = static_cast<char*>(
        clEnqueueMapBuffer(w.mine.queue, w.mine.buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &made));
    EXPECT_EQ(made, CL_SUCCESS);
    const cl_int code = clEnqueueUnmapMemObject(w.mine.queue, memory, mapped + shift, 0, nullptr, w.event());
    EXPECT_EQ(clEnqueueUnmapMemObject(w.mine.queue, w.mine.buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(w.mine.queue), CL_SUCCESS);
    return code;
  };
  cases.push_back({"clEnqueueUnmapMemObject", CL_INVALID_VALUE, "inside a mapping",
                   [unmap](World& w) { return unmap(w, w.mine.buffer, 4); }});
  cases.push_back({"clEnqueueUnmapMemObject", CL_INVALID_VALUE, "mapped through another object",
                   [unmap](World& w) { return unmap(w, w.sub_buffer, 0); }});
  cases.push_back({"clEnqueueUnmapMemObject", CL_INVALID_VALUE, "the pointer is NULL", [](World& w) {
                     return clEnqueueUnmapMemObject(w.mine.queue, w.mine.buffer, nullptr, 0, nullptr, w.event());
                   }});
  cases.push_back({"clEnqueueUnmapMemObject", CL_INVALID_VALUE, "not mapped", [](World& w) {
                     return clEnqueueUnmapMemObject(w.mine.queue, w.mine.buffer, w.value(), 0, nullptr, w.event());
                   }});
}

struct WrongRect {
  const char* wrong;
  Triple origin, region;
  size_t row, slice;
};
constexpr WrongRect kRects[] = {
    {"a region of no bytes", {0, 0, 0}, {0, 1, 1}, 0, 0},
    {"a region of no rows", {0, 0, 0}, {1, 0, 1}, 0, 0},
    {"a region of no slices", {0, 0, 0}, {1, 1, 0}, 0, 0},
    {"a row pitch of less than a row", {0, 0, 0}, {8, 2, 1}, 4, 0},
    {"a slice pitch of less than a slice", {0, 0, 0}, {8, 2, 2}, 8, 8},
    {"a slice pitch that is no multiple", {0, 0, 0}, {8, 2, 2}, 8, 20},
    {"beyond the end", {1, 0, 0}, {kEnd, 1, 1}, 0, 0},
    {"rows beyond the end", {0, 0, 0}, {64, kEnd / 64 + 1, 1}, 64, 0},
    {"the origin overflows", {kMax, kMax, kMax}, {1, 1, 1}, 0, 0},
    {"pitches overflow", {0, 1, 1}, {1, 2, 2}, kMax / 2, 0},
};

void add_rectangles(Cases& cases) {
  static constexpr Triple kZero{0, 0, 0};
  const auto read = [](World& w, cl_mem buffer, const size_t* origin, const size_t* host, const size_t* region,
                       size_t row, size_t slice, void* pointer) {
    return clEnqueueReadBufferRect(w.mine.queue, buffer, CL_TRUE, origin, host, region, row, slice, 0, 0, pointer, 0,
                                   nullptr, w.event());
  };
  const auto write = [](World& w, cl_mem buffer, const size_t* origin, const size_t* host, const size_t* region,
                        size_t row, size_t slice, void* pointer) {
    return clEnqueueWriteBufferRect(w.mine.queue, buffer, CL_TRUE, origin, host, region, row, slice, 0, 0, pointer, 0,
                                    nullptr, w.event());
  };
  const auto both = [&](const char* wrong, cl_int code, auto call) {
    cases.push_back({"clEnqueueReadBufferRect", code, wrong, [=](World& w) { return call(w, read); }});
    cases.push_back({"clEnqueueWriteBufferRect", code, wrong, [=](World& w) { return call(w, write); }});
  };
  for (const WrongRect& wrong : kRects) {
    both(wrong.wrong, CL_INVALID_VALUE, [wrong](World& w, auto call) {
      return call(w, w.mine.buffer, wrong.origin.data(), kZero.data(), wrong.region.data(), wrong.row, wrong.slice,
                  w.value());
    });
    cases.push_back({"clEnqueueCopyBufferRect", CL_INVALID_VALUE, wrong.wrong, [wrong](World& w) {
                       return clEnqueueCopyBufferRect(w.mine.queue, w.mine.buffer, w.second_buffer, kZero.data(),
                                                      wrong.origin.data(), wrong.region.data(), 0, 0, wrong.row,
                                                      wrong.slice, 0, nullptr, w.event());
                     }});
  }
  static constexpr Triple kSmall{4, 4, 1};
  both("the pointer is NULL", CL_INVALID_VALUE, [](World& w, auto call) {
    return call(w, w.mine.buffer, kZero.data(), kZero.data(), kSmall.data(), size_t{0}, size_t{0}, nullptr);
  });
  both("the origin is NULL", CL_INVALID_VALUE, [](World& w, auto call) {
    return call(w, w.mine.buffer, nullptr, kZero.data(), kSmall.data(), size_t{0}, size_t{0}, w.value());
  });
  both("the host's origin is NULL", CL_INVALID_VALUE, [](World& w, auto call) {
    return call(w, w.mine.buffer, kZero.data(), nullptr, kSmall.data(), size_t{0}, size_t{0}, w.value());
  });
  both("the region is NULL", CL_INVALID_VALUE, [](World& w, auto call) {
    return call(w, w.mine.buffer, kZero.data(), kZero.data(), nullptr, size_t{0}, size_t{0}, w.value());
  });
  cases.push_back({"clEnqueueReadBufferRect", CL_INVALID_OPERATION, "the host may only write", [read](World& w) {
                     return read(w, w.write_only_host, kZero.data(), kZero.data(), kSmall.data(), 0, 0, w.value());
                   }});
  cases.push_back({"clEnqueueWriteBufferRect", CL_INVALID_OPERATION, "the host may only read", [write](World& w) {
                     return write(w, w.read_only_host, kZero.data(), kZero.data(), kSmall.data(), 0, 0, w.value());
                   }});
}

void add_copies(Cases& cases) {
  const auto copy = [](World& w, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size) {
    return clEnqueueCopyBuffer(w.mine.queue, from, to, from_offset, to_offset, size, 0, nullptr, w.event());
  };
  for (const WrongRange& wrong : kRanges) {
    cases.push_back(
        {"clEnqueueCopyBuffer", CL_INVALID_VALUE, std::string("the source ") + wrong.wrong,
         [copy, wrong](World& w) { return copy(w, w.mine.buffer, w.second_buffer, wrong.offset, 0, wrong.size); }});
    cases.push_back(
        {"clEnqueueCopyBuffer", CL_INVALID_VALUE, std::string("the target ") + wrong.wrong,
         [copy, wrong](World& w) { return copy(w, w.mine.buffer, w.second_buffer, 0, wrong.offset, wrong.size); }});
  }
  for (const size_t to : {size_t{0}, size_t{63}})
    cases.push_back({"clEnqueueCopyBuffer", CL_MEM_COPY_OVERLAP, "onto itself, to " + std::to_string(to),
                     [copy, to](World& w) { return copy(w, w.mine.buffer, w.mine.buffer, 0, to, 64); }});
  // Rectangles: pitches inside one buffer, and overlaps.
  const auto rect = [](World& w, cl_mem from, cl_mem to, const Triple& target, size_t source_row, size_t target_row) {
    static constexpr Triple kZero{0, 0, 0}, kRegion{8, 8, 1};
    return clEnqueueCopyBufferRect(w.mine.queue, from, to, kZero.data(), target.data(), kRegion.data(), source_row, 0,
                                   target_row, 0, 0, nullptr, w.event());
  };
  cases.push_back({"clEnqueueCopyBufferRect", CL_INVALID_VALUE, "other pitches inside one buffer", [rect](World& w) {
                     return rect(w, w.mine.buffer, w.mine.buffer, {0, 32, 0}, 16, 32);
                   }});
  cases.push_back({"clEnqueueCopyBufferRect", CL_MEM_COPY_OVERLAP, "rectangles share a corner", [rect](World& w) {
                     return rect(w, w.mine.buffer, w.mine.buffer, {7, 7, 0}, 16, 16);
                   }});
  cases.push_back({"clEnqueueCopyBufferRect", CL_MEM_COPY_OVERLAP, "onto itself", [rect](World& w) {
                     return rect(w, w.sub_buffer, w.sub_buffer, {0, 0, 0}, 16, 16);
                   }});
}

struct WrongFill {
  const char* wrong;
  size_t pattern, offset, size;
};

void add_fills(Cases& cases) {
  for (const WrongFill& wrong :
       {WrongFill{"a pattern of 0 bytes", 0, 0, 64}, WrongFill{"a pattern of 3 bytes", 3, 0, 66},
        WrongFill{"a pattern of 256 bytes", 256, 0, 512}, WrongFill{"an offset between patterns", 4, 2, 64},
        WrongFill{"a size of broken patterns", 4, 0, 62}, WrongFill{"beyond the end", 4, kEnd, 4},
        WrongFill{"the end overflows", 4, 64, kMax - 3}})
    cases.push_back({"clEnqueueFillBuffer", CL_INVALID_VALUE, wrong.wrong, [wrong](World& w) {
                       return clEnqueueFillBuffer(w.mine.queue, w.mine.buffer, w.value(), wrong.pattern, wrong.offset,
                                                  wrong.size, 0, nullptr, w.event());
                     }});
  cases.push_back({"clEnqueueFillBuffer", CL_INVALID_VALUE, "the pattern is NULL", [](World& w) {
                     return clEnqueueFillBuffer(w.mine.queue, w.mine.buffer, nullptr, 4, 0, 64, 0, nullptr, w.event());
                   }});
}

void add_migrations(Cases& cases) {
  const auto migrate = [](World& w, cl_uint count, const cl_mem* list, cl_mem_migration_flags flags) {
    return clEnqueueMigrateMemObjects(w.mine.queue, count, list, flags, 0, nullptr, w.event());
  };
  cases.push_back({"clEnqueueMigrateMemObjects", CL_INVALID_VALUE, "no objects",
                   [migrate](World& w) { return migrate(w, 0, &w.mine.buffer, 0); }});
  cases.push_back({"clEnqueueMigrateMemObjects", CL_INVALID_VALUE, "the list is NULL",
                   [migrate](World& w) { return migrate(w, 1, nullptr, 0); }});
  cases.push_back({"clEnqueueMigrateMemObjects", CL_INVALID_VALUE, "an unknown flag",
                   [migrate](World& w) { return migrate(w, 1, &w.mine.buffer, 1 << 20); }});
}

void CL_CALLBACK never(void*) { ADD_FAILURE() << "a refused native kernel was called"; }

void add_native_kernels(Cases& cases) {
  struct Native {
    const char* wrong;
    bool function, arguments;
    size_t bytes;
    cl_uint count;
    bool list, locations;
    std::ptrdiff_t where;
  };
  for (const Native& n : {Native{"the function is NULL", false, true, 8, 1, true, true, 0},
                          Native{"no arguments but a size", true, false, 8, 0, false, false, 0},
                          Native{"no arguments but objects", true, false, 0, 1, true, true, 0},
                          Native{"arguments of 0 bytes", true, true, 0, 0, false, false, 0},
                          Native{"the objects are NULL", true, true, 8, 1, false, true, 0},
                          Native{"the places are NULL", true, true, 8, 1, true, false, 0},
                          Native{"0 objects with a list", true, true, 8, 0, true, false, 0},
                          Native{"0 objects with places", true, true, 8, 0, false, true, 0},
                          Native{"a place that straddles the end", true, true, 8, 1, true, true, 4},
                          Native{"a place before the arguments", true, true, 8, 1, true, true, -8}})
    cases.push_back({"clEnqueueNativeKernel", CL_INVALID_VALUE, n.wrong, [n](World& w) {
                       void* arguments[1] = {nullptr};
                       const void* location = reinterpret_cast<char*>(arguments) + n.where;
                       return clEnqueueNativeKernel(w.mine.queue, n.function ? never : nullptr,
                                                    n.arguments ? arguments : nullptr, n.bytes, n.count,
                                                    n.list ? &w.mine.buffer : nullptr,
                                                    n.locations ? &location : nullptr, 0, nullptr, w.event());
                     }});
}

}  // namespace

void add_transfer_cases(Cases& cases) {
  add_linear(cases);
  add_unmap(cases);
  add_rectangles(cases);
  add_copies(cases);
  add_fills(cases);
  add_migrations(cases);
  add_native_kernels(cases);
}

}  // namespace skmd::test
