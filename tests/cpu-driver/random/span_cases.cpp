// SPDX-License-Identifier: Apache-2.0
// Carries out a case file (tests/driver/random/cases.py) by span code alone: no OpenCL, one command after the other.
// For each artifact, made of the case's program, prints `code ARTIFACT` and then what random_cases prints for the case.
// Artifacts joined by + are used together: kernels that have code in those behind the first, which are yielding
// (cpu-driver/yield_facts.h), stop at each of their yield points, and go on by the code of the next of these.
// usage: span_cases CASE ARTIFACT[+YIELDING…]…
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "cpu-driver/runtime/span_library.h"
#include "tests/cpu-driver/random/memory.h"
#include "tests/cpu-driver/random/stopping.h"
#include "tests/driver/random/content.h"

namespace {

using namespace skmd::cpu;
using namespace skmd::cpu::test;

constexpr std::uint64_t kMaxNullLocal = 8;  // items along an edge of a group, where the program leaves the size open

using Box = std::array<std::size_t, 3>;    // origin or region: bytes, rows, slices
using Pitch = std::array<std::size_t, 2>;  // of a row, of a slice

template <std::size_t kCount>
std::istream& operator>>(std::istream& in, std::array<std::size_t, kCount>& values) {
  for (auto& value : values) in >> value;
  return in;
}

unsigned char* bytes_of(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }

struct View {
  std::byte* data;
  std::size_t bytes;
};

class Case {
 public:
  using Libraries = std::vector<std::unique_ptr<SpanLibrary>>;
  explicit Case(const Libraries& libraries) : libraries_(libraries) {}
  void run(std::istream& in);

 private:
  static const std::map<std::string, void (Case::*)(std::istream&)> kSteps;
  void source(std::istream& in);
  void queues(std::istream& in);
  void buffer(std::istream& in);
  void part(std::istream& in);
  void launch(std::istream& in);
  void write(std::istream& in);
  void map(std::istream& in);
  void read(std::istream& in);
  void copy(std::istream& in);
  void fill(std::istream& in);
  void read_rect(std::istream& in);
  void write_rect(std::istream& in);
  void copy_rect(std::istream& in);

  static void skip_order(std::istream& in) {
    unsigned queue = 0, count = 0, number = 0;
    in >> queue >> count;
    while (count-- > 0) in >> number;
  }
  View place(std::size_t number, std::size_t offset, std::size_t bytes) const {
    const View& view = views_.at(number);
    if (offset + bytes > view.bytes) throw std::runtime_error("a command leaves its buffer");
    return {view.data + offset, bytes};
  }
  void answer(const std::string& label, const unsigned char* data, std::size_t bytes) {
    std::ostringstream line;
    line << label << ": " << std::hex << hash(data, bytes) << "\n";
    answers_ += line.str();
  }
  void run_kernel(const std::string& name, const SpanFrame& geometry, std::vector<SpanArgument> arguments,
                  const std::vector<std::size_t>& locals) const;
  void run_stopping(const std::string& name, const SpanFrame& geometry, std::vector<SpanArgument> arguments,
                    const std::vector<std::size_t>& locals);
  static SpanFrame read_geometry(std::istream& in);

  const Libraries& libraries_;
  std::uint64_t stops_ = 0, stopped_groups_ = 0;
  std::deque<Guarded> buffers_;
  std::vector<View> views_;
  std::string answers_;  // of reads; those of maps come at once, as from random_cases
};

void Case::source(std::istream& in) {
  std::size_t bytes = 0;
  in >> bytes;
  in.ignore(static_cast<std::streamsize>(bytes) + 1);
}

void Case::queues(std::istream& in) {
  std::string order;
  in >> order;
}

void Case::buffer(std::istream& in) {
  std::size_t bytes = 0;
  std::string flags;
  Content content;
  in >> bytes >> flags >> content;
  const Guarded& made = buffers_.emplace_back(bytes);
  if (content.kind != "none") make(content, bytes_of(made.data()), bytes);
  views_.push_back({made.data(), bytes});
}

void Case::part(std::istream& in) {
  std::size_t parent = 0, origin = 0, bytes = 0;
  in >> parent >> origin >> bytes;
  views_.push_back(place(parent, origin, bytes));
}

SpanFrame Case::read_geometry(std::istream& in) {
  SpanFrame frame;
  in >> frame.work_dim;
  for (auto* triple : {frame.global_offset, frame.global_size, frame.local_size})
    in >> triple[0] >> triple[1] >> triple[2];
  const bool open = frame.local_size[0] == 0;
  for (unsigned d = 0; d < 3; ++d) {
    if (d >= frame.work_dim) frame.global_offset[d] = 0, frame.global_size[d] = 1, frame.local_size[d] = 1;
    if (open && d < frame.work_dim) frame.local_size[d] = std::gcd(frame.global_size[d], kMaxNullLocal);
    frame.group_count[d] = frame.global_size[d] / frame.local_size[d];
  }
  return frame;
}

void Case::launch(std::istream& in) {
  skip_order(in);
  std::string name;
  in >> name;
  const SpanFrame frame = read_geometry(in);
  std::size_t count = 0;
  in >> count;
  std::vector<SpanArgument> arguments(count);
  std::deque<Guarded> values;
  std::vector<std::size_t> locals;
  for (SpanArgument& argument : arguments) {
    std::string kind;
    std::size_t number = 0;
    in >> kind >> number;
    if (kind == "buffer") {
      argument.bytes = views_.at(number).data;
      argument.size = views_.at(number).bytes;
    } else if (kind == "local") {
      argument.size = number;
      locals.push_back(static_cast<std::size_t>(&argument - arguments.data()));
    } else {
      const Guarded& value = values.emplace_back(up(number, 16));
      for (std::size_t i = 0; i < number; ++i) {
        unsigned byte = 0;
        in >> byte;
        value.data()[i] = static_cast<std::byte>(byte);
      }
      argument.bytes = value.data();
      argument.size = value.size();
    }
  }
  if (libraries_.size() > 1 && libraries_[1]->kernel(name).run != nullptr)
    run_stopping(name, frame, std::move(arguments), locals);
  else
    run_kernel(name, frame, std::move(arguments), locals);
  for (const Guarded& memory : buffers_)
    if (!memory.intact()) throw std::runtime_error(name + " wrote outside a buffer");
}

/// In three spans, as if others did the rest meanwhile.
void Case::run_kernel(const std::string& name, const SpanFrame& geometry, std::vector<SpanArgument> arguments,
                      const std::vector<std::size_t>& locals) const {
  const KernelCode code = libraries_.front()->kernel(name);
  if (code.run == nullptr) throw std::runtime_error(name + " has no code");
  SpanFrame frame = geometry;
  std::uint64_t place = code.facts.local_bytes;
  for (const std::size_t local : locals) {
    place = up(place, kScratchAlignment);
    arguments[local].bytes = reinterpret_cast<std::byte*>(place);
    place += arguments[local].size;
  }
  frame.arguments = arguments.data();
  frame.items_offset = up(place, kScratchAlignment);
  const std::uint64_t items = up(frame.local_size[0], code.facts.width) * frame.local_size[1] * frame.local_size[2];
  std::uint64_t scratch_bytes = frame.items_offset + code.facts.fixed_bytes + items * code.facts.item_bytes;
  if (code.facts.lane_groups != 0 && frame.items_offset != 0) {
    frame.lane_groups = code.facts.lane_groups;
    frame.lanes_offset = up(scratch_bytes, kScratchAlignment);
    frame.lane_bytes = frame.items_offset;
    scratch_bytes = frame.lanes_offset + frame.lane_groups * (2 * frame.lane_bytes + kBetweenLanes);
  }
  const Guarded around(scratch_bytes + 2 * kReadAroundScratch);
  std::byte* const scratch = around.data() + kReadAroundScratch;
  std::memset(around.data(), kUnset, around.size());
  const std::uint64_t groups = frame.group_count[0] * frame.group_count[1] * frame.group_count[2];
  const std::array<std::uint64_t, 4> bounds = {0, groups / 3, groups / 3 + groups / 2, groups};
  for (std::size_t span = 0; span < 3; ++span)
    if (bounds[span] != bounds[span + 1]) code.run(&frame, bounds[span], bounds[span + 1], scratch);
  const auto is_unset = [](std::byte value) { return value == std::byte{kUnset}; };
  if (!around.intact() || !std::all_of(around.data(), scratch, is_unset) ||
      !std::all_of(scratch + scratch_bytes, around.data() + around.size(), is_unset))
    throw std::runtime_error(name + " wrote outside its scratch memory");
}

/// Stopped at every yield point, and gone on from there by other code.
void Case::run_stopping(const std::string& name, const SpanFrame& geometry, std::vector<SpanArgument> arguments,
                        const std::vector<std::size_t>& locals) {
  constexpr std::uint64_t kMaxStops = 1000000;  // of a group: more means that it does not come on
  std::vector<Stopping> ways;
  for (std::size_t i = 1; i < libraries_.size(); ++i) {
    ways.emplace_back(libraries_[i]->kernel(name), geometry, arguments, locals);
    if (ways.back().code.yields.schema != ways.front().code.yields.schema)
      throw std::runtime_error(name + ": states of two codes differ");
  }
  const std::uint64_t items = geometry.local_size[0] * geometry.local_size[1] * geometry.local_size[2];
  const std::uint64_t groups = geometry.group_count[0] * geometry.group_count[1] * geometry.group_count[2];
  for (std::uint64_t group = 0; group < groups; ++group) {
    GroupState state = begin_group(group, ways.front().code.yields, items);
    std::uint64_t stops = 0;
    while (!ways[(group + stops) % ways.size()].run(state))
      if (++stops == kMaxStops) throw std::runtime_error(name + " does not come to its end");
    stops_ += stops;
    stopped_groups_ += stops != 0 ? 1 : 0;
  }
}

void Case::write(std::istream& in) {
  skip_order(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  Content content;
  in >> number >> offset >> bytes >> content;
  make(content, bytes_of(place(number, offset, bytes).data), bytes);
}

void Case::map(std::istream& in) {
  skip_order(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  std::string kind;
  Content content;
  in >> number >> offset >> bytes >> kind >> content;
  unsigned char* mapped = bytes_of(place(number, offset, bytes).data);
  if (kind != "write" && kind != "invalidate")
    std::cout << "map " << std::hex << hash(mapped, bytes) << std::dec << "\n";
  if (kind != "read") make(content, mapped, kind == "write" ? bytes / 16 * 8 : bytes);
}

void Case::read(std::istream& in) {
  skip_order(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  in >> number >> offset >> bytes;
  answer("buffer " + std::to_string(number) + " from " + std::to_string(offset),
         bytes_of(place(number, offset, bytes).data), bytes);
}

void Case::copy(std::istream& in) {
  skip_order(in);
  std::size_t from = 0, to = 0, from_offset = 0, to_offset = 0, bytes = 0;
  in >> from >> to >> from_offset >> to_offset >> bytes;
  std::memmove(place(to, to_offset, bytes).data, place(from, from_offset, bytes).data, bytes);
}

void Case::fill(std::istream& in) {
  skip_order(in);
  std::size_t number = 0, offset = 0, bytes = 0;
  Content content;
  in >> number >> offset >> bytes >> content;
  std::vector<unsigned char> pattern(content.size);
  make(content, pattern.data(), pattern.size());
  unsigned char* to = bytes_of(place(number, offset, bytes).data);
  for (std::size_t i = 0; i < bytes; ++i) to[i] = pattern[i % pattern.size()];
}

/// Calls `row` with where each row starts: in one place, in another.
template <typename Row>
void each_row(const Box& region, const Box& from, Pitch from_pitch, const Box& to, Pitch to_pitch, const Row& row) {
  const auto complete = [&](Pitch& pitch) {
    if (pitch[0] == 0) pitch[0] = region[0];
    if (pitch[1] == 0) pitch[1] = pitch[0] * region[1];
  };
  complete(from_pitch);
  complete(to_pitch);
  const auto at = [](const Box& origin, const Pitch& pitch, std::size_t y, std::size_t z) {
    return origin[0] + (origin[1] + y) * pitch[0] + (origin[2] + z) * pitch[1];
  };
  for (std::size_t z = 0; z < region[2]; ++z)
    for (std::size_t y = 0; y < region[1]; ++y) row(at(from, from_pitch, y, z), at(to, to_pitch, y, z));
}

void Case::read_rect(std::istream& in) {
  skip_order(in);
  std::size_t number = 0;
  Box origin{}, region{};
  Pitch pitch{};
  in >> number >> origin >> region >> pitch;
  std::vector<unsigned char> result(region[0] * region[1] * region[2]);
  each_row(region, origin, pitch, {}, {}, [&](std::size_t from, std::size_t to) {
    std::memcpy(result.data() + to, place(number, from, region[0]).data, region[0]);
  });
  answer("rows of buffer " + std::to_string(number), result.data(), result.size());
}

void Case::write_rect(std::istream& in) {
  skip_order(in);
  std::size_t number = 0;
  Box origin{}, region{};
  Pitch pitch{};
  Content content;
  in >> number >> origin >> region >> pitch >> content;
  std::vector<unsigned char> values(region[0] * region[1] * region[2]);
  make(content, values.data(), values.size());
  each_row(region, {}, {}, origin, pitch, [&](std::size_t from, std::size_t to) {
    std::memcpy(place(number, to, region[0]).data, values.data() + from, region[0]);
  });
}

void Case::copy_rect(std::istream& in) {
  skip_order(in);
  std::size_t from_number = 0, to_number = 0;
  Box from_origin{}, to_origin{}, region{};
  Pitch from_pitch{}, to_pitch{};
  in >> from_number >> to_number >> from_origin >> to_origin >> region >> from_pitch >> to_pitch;
  each_row(region, from_origin, from_pitch, to_origin, to_pitch, [&](std::size_t from, std::size_t to) {
    std::memmove(place(to_number, to, region[0]).data, place(from_number, from, region[0]).data, region[0]);
  });
}

const std::map<std::string, void (Case::*)(std::istream&)> Case::kSteps = {{"source", &Case::source},
                                                                           {"queues", &Case::queues},
                                                                           {"buffer", &Case::buffer},
                                                                           {"part", &Case::part},
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
  for (std::string word; in >> word;) {
    const auto step = kSteps.find(word);
    if (step == kSteps.end()) throw std::runtime_error("unknown command " + word);
    (this->*step->second)(in);
  }
  std::cout << answers_;
  if (libraries_.size() > 1) std::cout << "stops " << stops_ << " of " << stopped_groups_ << " groups\n";
  std::cout << std::flush;
}

int run_with(const std::string& case_file, const std::string& artifacts) {
  Case::Libraries libraries;
  try {
    std::istringstream names(artifacts);
    for (std::string name; std::getline(names, name, '+');) {
      std::ifstream file(name, std::ios::binary);
      std::stringstream code;
      code << file.rdbuf();
      auto library = SpanLibrary::load(code.str(), "");
      if (!library) throw std::runtime_error(library.error().reason);
      libraries.push_back(std::move(*library));
    }
    std::ifstream in(case_file, std::ios::binary);
    if (!in) throw std::runtime_error("no case");
    Case(libraries).run(in);
  } catch (const std::exception& error) {
    std::cout << "error " << error.what() << std::endl;
    return 1;
  }
  return 0;
}

}  // namespace

/// Each artifact in a process of its own: code that faults ends only that.
int main(int argc, char** argv) {
  int failures = argc < 3 ? 1 : 0;
  for (int i = 2; i < argc; ++i) {
    std::cout << "code " << argv[i] << std::endl;
    const pid_t child = fork();
    if (child == 0) _exit(run_with(argv[1], argv[i]));
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) std::cout << "error signal " << WTERMSIG(status) << std::endl;
    failures += status != 0 ? 1 : 0;
  }
  return failures == 0 ? 0 : 1;
}
