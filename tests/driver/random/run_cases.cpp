// SPDX-License-Identifier: Apache-2.0
// An ordinary OpenCL application: carries out case files (kernels, buffers, commands; see cases.py) and prints one line
// for every result that a program could see.
// usage: random_cases [--dump FOLDER] CASE…
#include "tests/driver/random/buffers.h"

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/driver/random/program_source.h"

namespace {

using Box = std::array<std::size_t, 3>;    // origin or region: bytes, rows, slices
using Pitch = std::array<std::size_t, 2>;  // of a row, of a slice

template <std::size_t kCount>
std::istream& operator>>(std::istream& in, std::array<std::size_t, kCount>& values) {
  for (auto& value : values) in >> value;
  return in;
}

struct Reading {
  std::string label;
  std::vector<unsigned char> data;
};

class Case {
 public:
  explicit Case(std::string name, std::string dump) : name_(std::move(name)), dump_(std::move(dump)) {}
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  ~Case() {
    for (auto& queue : queues_)
      if (queue != nullptr) clFinish(queue);
    for (auto event : events_) clReleaseEvent(event);
    for (auto buffer = buffers_.rbegin(); buffer != buffers_.rend(); ++buffer) release(context_, *buffer);
    for (auto& [name, kernel] : kernels_)
      if (kernel != nullptr) clReleaseKernel(kernel);
    if (program_ != nullptr) clReleaseProgram(program_);
    for (auto& queue : queues_)
      if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context_ != nullptr) clReleaseContext(context_);
  }

  void run(std::istream& in);

 private:
  static const std::map<std::string, void (Case::*)(std::istream&)> kSteps;
  void open();
  void add_queues(std::istream& in);
  void build(std::istream& in);
  void add_buffer(std::istream& in);
  void add_part(std::istream& in);
  void launch(std::istream& in);
  void set_argument(cl_kernel kernel, cl_uint index, std::istream& in);
  void write(std::istream& in);
  void map(std::istream& in);
  unsigned char* add_reading(const std::string& label, std::size_t bytes);
  void read(std::istream& in);
  void copy(std::istream& in);
  void write_rect(std::istream& in);
  void read_rect(std::istream& in);
  void copy_rect(std::istream& in);
  void fill(std::istream& in);
  void finish();

  /// The queue and the numbers of the commands to wait for.
  cl_command_queue queue(std::istream& in) {
    unsigned index = 0, count = 0, number = 0;
    in >> index >> count;
    waits_.clear();
    for (unsigned i = 0; i < count; ++i) {
      in >> number;
      waits_.push_back(events_.at(number));
    }
    return queues_.at(index);
  }
  cl_uint waits() const { return static_cast<cl_uint>(waits_.size()); }
  Place place(cl_command_queue on) const { return {on, waits(), wait_list()}; }
  const cl_event* wait_list() const { return waits_.empty() ? nullptr : waits_.data(); }
  void then(cl_event event, cl_command_queue queue) {
    events_.push_back(event);
    check(clFlush(queue), "clFlush");
  }

  std::string name_, dump_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  std::array<cl_command_queue, 3> queues_{};
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
  std::vector<Buffer> buffers_;
  std::vector<cl_event> events_;  // of all commands, in their order
  std::vector<cl_event> waits_;
  std::vector<std::unique_ptr<Reading>> readings_;
  std::vector<std::unique_ptr<std::vector<unsigned char>>> sources_;
};

void Case::open() {
  cl_platform_id platform = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
  cl_int status = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
  check(status, "clCreateContext");
}

void Case::add_queues(std::istream& in) {
  std::string order;
  in >> order;
  const cl_command_queue_properties properties = order == "in_order" ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  for (auto& queue : queues_) {
    cl_int status = CL_SUCCESS;
    queue = clCreateCommandQueue(context_, device_, properties, &status);
    check(status, "clCreateCommandQueue");
  }
}

void Case::build(std::istream& in) {
  std::size_t bytes = 0;
  in >> bytes;
  in.ignore();
  std::string source(bytes, '\0');
  in.read(source.data(), static_cast<std::streamsize>(bytes));
  program_ = skmd::test::built_program(context_, device_, source);
}

void Case::add_buffer(std::istream& in) {
  std::size_t bytes = 0;
  std::string flags;
  Content content;
  in >> bytes >> flags >> content;
  buffers_.push_back(make_buffer(context_, queues_.front(), bytes, flags, content));
}

void Case::add_part(std::istream& in) {
  std::size_t parent = 0;
  cl_buffer_region region{};
  in >> parent >> region.origin >> region.size;
  buffers_.push_back(make_part(buffers_.at(parent), region));
}

void Case::set_argument(cl_kernel kernel, cl_uint index, std::istream& in) {
  std::string kind;
  in >> kind;
  if (kind == "buffer") {
    std::size_t number = 0;
    in >> number;
    ::set_argument(kernel, index, buffers_.at(number));
  } else if (kind == "local") {
    std::size_t bytes = 0;
    in >> bytes;
    check(clSetKernelArg(kernel, index, bytes, nullptr), "clSetKernelArg");
  } else {
    std::size_t bytes = 0;
    in >> bytes;
    std::vector<unsigned char> value(bytes);
    for (auto& byte : value) {
      unsigned number = 0;
      in >> number;
      byte = static_cast<unsigned char>(number);
    }
    check(clSetKernelArg(kernel, index, bytes, value.data()), "clSetKernelArg");
  }
}

void Case::launch(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::string name;
  cl_uint dims = 0, arguments = 0;
  std::size_t offset[3], global[3], local[3];
  in >> name >> dims;
  for (auto* triple : {offset, global, local}) in >> triple[0] >> triple[1] >> triple[2];
  in >> arguments;
  cl_int status = CL_SUCCESS;
  // One object for all launches: a launch that waits must not see the arguments of the next.
  cl_kernel& kernel = kernels_[name];
  if (kernel == nullptr) kernel = clCreateKernel(program_, name.c_str(), &status);
  check(status, "clCreateKernel");
  for (cl_uint i = 0; i < arguments; ++i) set_argument(kernel, i, in);
  cl_event event = nullptr;
  status = clEnqueueNDRangeKernel(on, kernel, dims, offset, global, local[0] == 0 ? nullptr : local, waits(),
                                  wait_list(), &event);
  check(status, "clEnqueueNDRangeKernel");
  then(event, on);
}

void Case::write(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  Content content;
  in >> number >> offset >> bytes >> content;
  sources_.push_back(std::make_unique<std::vector<unsigned char>>(bytes));
  make(content, sources_.back()->data(), bytes);
  then(::write(place(on), buffers_.at(number), offset, bytes, sources_.back()->data()), on);
}

void Case::map(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  std::string kind;
  Content content;
  in >> number >> offset >> bytes >> kind >> content;
  const cl_map_flags flags = kind == "read"         ? CL_MAP_READ
                             : kind == "write"      ? CL_MAP_WRITE
                             : kind == "invalidate" ? CL_MAP_WRITE_INVALIDATE_REGION
                                                    : CL_MAP_READ | CL_MAP_WRITE;
  unsigned char* const mapped = ::map(place(on), buffers_.at(number), flags, offset, bytes);
  if ((flags & CL_MAP_READ) != 0) std::cout << "map " << std::hex << hash(mapped, bytes) << std::dec << "\n";
  // What a map for writing leaves alone has to keep its old bytes.
  if (kind != "read") make(content, mapped, kind == "write" ? bytes / 16 * 8 : bytes);
  then(unmap(on, buffers_.at(number), mapped), on);
}

unsigned char* Case::add_reading(const std::string& label, std::size_t bytes) {
  readings_.push_back(std::make_unique<Reading>(Reading{label, std::vector<unsigned char>(bytes)}));
  return readings_.back()->data.data();
}

void Case::read(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  in >> number >> offset >> bytes;
  auto* to = add_reading("buffer " + std::to_string(number) + " from " + std::to_string(offset), bytes);
  then(::read(place(on), buffers_.at(number), offset, bytes, to), on);
}

void Case::read_rect(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t number = 0;
  Box origin{}, region{};
  Pitch pitch{};
  in >> number >> origin >> region >> pitch;
  auto* to = add_reading("rows of buffer " + std::to_string(number), region[0] * region[1] * region[2]);
  const Box start{};
  cl_event event = nullptr;
  check(clEnqueueReadBufferRect(on, buffers_.at(number).memory, CL_FALSE, origin.data(), start.data(), region.data(),
                                pitch[0], pitch[1], 0, 0, to, waits(), wait_list(), &event),
        "clEnqueueReadBufferRect");
  then(event, on);
}

void Case::write_rect(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t number = 0;
  Box origin{}, region{};
  Pitch pitch{};
  Content content;
  in >> number >> origin >> region >> pitch >> content;
  sources_.push_back(std::make_unique<std::vector<unsigned char>>(region[0] * region[1] * region[2]));
  make(content, sources_.back()->data(), sources_.back()->size());
  const Box start{};
  cl_event event = nullptr;
  check(clEnqueueWriteBufferRect(on, buffers_.at(number).memory, CL_FALSE, origin.data(), start.data(), region.data(),
                                 pitch[0], pitch[1], 0, 0, sources_.back()->data(), waits(), wait_list(), &event),
        "clEnqueueWriteBufferRect");
  then(event, on);
}

void Case::copy_rect(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t from = 0, to = 0;
  Box from_origin{}, to_origin{}, region{};
  Pitch from_pitch{}, to_pitch{};
  in >> from >> to >> from_origin >> to_origin >> region >> from_pitch >> to_pitch;
  cl_event event = nullptr;
  check(clEnqueueCopyBufferRect(on, buffers_.at(from).memory, buffers_.at(to).memory, from_origin.data(),
                                to_origin.data(), region.data(), from_pitch[0], from_pitch[1], to_pitch[0], to_pitch[1],
                                waits(), wait_list(), &event),
        "clEnqueueCopyBufferRect");
  then(event, on);
}

void Case::copy(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t from = 0, to = 0, from_offset = 0, to_offset = 0, bytes = 0;
  in >> from >> to >> from_offset >> to_offset >> bytes;
  then(::copy(place(on), buffers_.at(from), buffers_.at(to), from_offset, to_offset, bytes), on);
}

void Case::fill(std::istream& in) {
  const cl_command_queue on = queue(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  Content content;
  in >> number >> offset >> bytes >> content;
  std::vector<unsigned char> pattern(content.size);
  make(content, pattern.data(), pattern.size());
  then(::fill(place(on), buffers_.at(number), pattern, offset, bytes), on);
}

void Case::finish() {
  for (auto& queue : queues_) check(clFinish(queue), "clFinish");
  cl_int status = CL_COMPLETE;
  for (auto event : events_) {
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
    if (status != CL_COMPLETE) throw std::runtime_error("a command ended with " + std::to_string(status));
  }
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const auto& data = readings_[i]->data;
    std::cout << readings_[i]->label << ": " << std::hex << hash(data.data(), data.size()) << std::dec << "\n";
    if (dump_.empty()) continue;
    std::ofstream file(dump_ + "/" + std::to_string(i), std::ios::binary);
    file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  }
}

const std::map<std::string, void (Case::*)(std::istream&)> Case::kSteps = {{"source", &Case::build},
                                                                           {"queues", &Case::add_queues},
                                                                           {"buffer", &Case::add_buffer},
                                                                           {"part", &Case::add_part},
                                                                           {"launch", &Case::launch},
                                                                           {"write", &Case::write},
                                                                           {"map", &Case::map},
                                                                           {"read", &Case::read},
                                                                           {"copy", &Case::copy},
                                                                           {"fill", &Case::fill},
                                                                           {"read_rect", &Case::read_rect},
                                                                           {"write_rect", &Case::write_rect},
                                                                           {"copy_rect", &Case::copy_rect}};

void Case::run(std::istream& in) {
  open();
  std::string word;
  while (in >> word) {
    const auto step = kSteps.find(word);
    if (step == kSteps.end()) throw std::runtime_error("unknown command " + word);
    (this->*step->second)(in);
  }
  finish();
}

}  // namespace

int main(int argc, char** argv) {
  std::string dump;
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--dump") {
      dump = argv[++i];
      continue;
    }
    std::cout << "case " << name << std::endl;
    try {
      std::ifstream file(name, std::ios::binary);
      Case(name, dump).run(file);
    } catch (const std::exception& error) {
      std::cout << "error " << error.what() << "\n";
      ++failures;
    }
    std::cout << "end" << std::endl;
  }
  return failures == 0 ? 0 : 1;
}
