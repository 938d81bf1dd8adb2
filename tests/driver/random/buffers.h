// SPDX-License-Identifier: Apache-2.0
// A case's buffers, and the commands on them in two forms: by object, or, where RANDOM_SVM is set, by address in shared
// virtual memory. There a buffer begins somewhere inside its allocation, and has an object over the same bytes as well.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <vector>

#include "tests/driver/random/content.h"

/// As kernels with long16 and double16 need it of CL_MEM_USE_HOST_PTR.
struct alignas(sizeof(cl_long16)) Block {
  std::array<unsigned char, sizeof(cl_long16)> bytes;
};

struct Buffer {
  cl_mem memory = nullptr;
  std::size_t bytes = 0;
  bool part = false;             // a sub-buffer
  std::vector<Block> host;       // of CL_MEM_USE_HOST_PTR
  unsigned char* svm = nullptr;  // its first byte in shared virtual memory
  void* allocation = nullptr;    // where that begins; null: it has none of its own
};

/// Where and when a command runs.
struct Place {
  cl_command_queue queue = nullptr;
  cl_uint waits = 0;
  const cl_event* wait_list = nullptr;
};

/// Throws std::runtime_error with the call's name and code.
void check(cl_int status, const char* call);

/// `flags`: "use_host" or another; `content`: of kind "none", or what the buffer holds.
Buffer make_buffer(cl_context context, cl_command_queue queue, std::size_t bytes, const std::string& flags,
                   const Content& content);
Buffer make_part(const Buffer& parent, const cl_buffer_region& region);
void release(cl_context context, Buffer& buffer);

void set_argument(cl_kernel kernel, cl_uint index, const Buffer& buffer);
cl_event write(const Place& place, const Buffer& buffer, std::size_t offset, std::size_t bytes, const void* from);
cl_event read(const Place& place, const Buffer& buffer, std::size_t offset, std::size_t bytes, void* to);
cl_event copy(const Place& place, const Buffer& from, const Buffer& to, std::size_t from_offset, std::size_t to_offset,
              std::size_t bytes);
cl_event fill(const Place& place, const Buffer& buffer, const std::vector<unsigned char>& pattern, std::size_t offset,
              std::size_t bytes);
/// Returns when the bytes are there.
unsigned char* map(const Place& place, const Buffer& buffer, cl_map_flags flags, std::size_t offset, std::size_t bytes);
cl_event unmap(cl_command_queue queue, const Buffer& buffer, void* mapped);
