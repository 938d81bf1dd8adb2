// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>

#include "cpu-driver/host_target.h"
#include "cpu-driver/runtime/failed_check.h"
#include "partitioner/base/fnv.h"

namespace skmd::cpu::test {

namespace {

std::string code_of(const std::string& source, const Way& way, const std::string& options, bool checked) {
  static int number = 0;
  const std::string file =
      testing::TempDir() + "/kernel_" + std::to_string(::getpid()) + "_" + std::to_string(++number) + ".cl";
  std::ofstream(file) << source;
  const std::string command = std::string(SKMD_TEST_COMPILER " --kernel-code --isa ") + way.isa + " --width " +
                              std::to_string(way.width) + (checked ? " --check " : " ") + file + " " + options;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string code;
  char chunk[4096];
  for (std::size_t got = 0; pipe != nullptr && (got = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;)
    code.append(chunk, got);
  const bool ended_well = pipe != nullptr && ::pclose(pipe) == 0;
  ::unlink(file.c_str());
  return ended_well ? code : std::string();
}

std::uint64_t up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// With fences before and behind it that must stay as they are.
class Scratch {
 public:
  explicit Scratch(std::uint64_t bytes)
      : bytes_(bytes),
        start_(static_cast<std::byte*>(::operator new(bytes + 2 * kFence, std::align_val_t(kScratchAlignment)))) {
    std::memset(start_, kGarbage, bytes + 2 * kFence);
  }
  ~Scratch() { ::operator delete(start_, std::align_val_t(kScratchAlignment)); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] std::byte* get() const { return start_ + kFence; }
  [[nodiscard]] bool intact() const {
    const auto is_garbage = [](std::byte b) { return b == std::byte{kGarbage}; };
    return std::all_of(start_, get(), is_garbage) && std::all_of(get() + bytes_, get() + bytes_ + kFence, is_garbage);
  }

 private:
  static constexpr std::uint64_t kFence = kReadAroundScratch;
  static constexpr std::uint8_t kGarbage = 0xA5;
  std::uint64_t bytes_;
  std::byte* start_;
};

}  // namespace

std::vector<Way> every_way() {
  std::vector<Way> ways;
  const auto add = [&](const char* isa) {
    for (const unsigned width : {0u, 1u, 2u, 4u, 8u, 16u, 32u}) ways.push_back({isa, width});
  };
  add("sse");
  if (may_use(SpanTarget::x86_64_v3)) add("avx2");
  if (may_use(SpanTarget::x86_64_v4)) add("avx512");
  if (may_use(SpanTarget::x86_64_v4_vbmi)) ways.push_back({"avx512vbmi", 0});
  return ways;
}

std::vector<Way> ways_of(const std::string& suite) {
  std::vector<Way> ways = every_way();
  const char* const wanted = std::getenv("SKMD_TEST_WAYS");
  if (wanted != nullptr && std::string(wanted) == "every") return ways;
  // One of three widths for each set, so that three sets have all six of them; with fewer sets more for each.
  const unsigned sets = may_use(SpanTarget::x86_64_v4) ? 3 : may_use(SpanTarget::x86_64_v3) ? 2 : 1;
  const std::uint32_t first = domain::fnv(suite);  // by which the suites with many tests part
  const auto is_left_out = [&](const Way& way) {
    if (way.width == 0) return false;
    const unsigned set = way.isa == "sse" ? 0 : way.isa == "avx2" ? 1 : 2;
    const auto width = static_cast<unsigned>(std::countr_zero(way.width));
    return (first + set + width) % sets != 0;
  };
  ways.erase(std::remove_if(ways.begin(), ways.end(), is_left_out), ways.end());
  return ways;
}

std::vector<Way> few_ways() {
  std::vector<Way> ways;
  for (const Way& way : every_way())
    if (way.width == 0 || way.width == 1 || (way.isa == "avx512" && way.width == 4)) ways.push_back(way);
  return ways;
}

Program::Program(const std::string& source, const Way& way, const std::string& options, bool checked) {
  auto loaded = SpanLibrary::load(code_of(source, way, options, checked), "");
  EXPECT_TRUE(loaded.ok()) << name_of(way) << ": " << loaded.error().reason;
  if (loaded) library_ = std::move(*loaded);
}

KernelFacts Program::facts(const std::string& kernel) const {
  return library_ == nullptr ? KernelFacts{} : library_->kernel(kernel).facts;
}

void Program::run(const std::string& kernel, const Shape& shape, const Arguments& given, std::uint64_t span) {
  if (library_ == nullptr) return;
  const KernelCode code = library_->kernel(kernel);
  ASSERT_NE(code.run, nullptr) << kernel;
  SpanFrame frame;
  frame.work_dim = shape.dims;
  for (unsigned d = 0; d < 3; ++d) {
    frame.global_offset[d] = shape.offset[d];
    frame.global_size[d] = shape.groups[d] * shape.local[d];
    frame.group_count[d] = shape.groups[d];
    frame.local_size[d] = shape.local[d];
  }
  std::vector<SpanArgument> arguments = given.arguments_;
  std::uint64_t place = code.facts.local_bytes;
  for (const std::size_t local : given.locals_) {
    place = up(place, kScratchAlignment);
    arguments[local].bytes = reinterpret_cast<std::byte*>(place);
    place += arguments[local].size;
  }
  frame.arguments = arguments.data();
  frame.items_offset = up(place, kScratchAlignment);
  const std::uint64_t items = up(shape.local[0], code.facts.width) * shape.local[1] * shape.local[2];
  const std::uint64_t alone = frame.items_offset + code.facts.fixed_bytes + items * code.facts.item_bytes;
  if (side_by_side_ && frame.items_offset != 0) {
    frame.lane_groups = code.facts.lane_groups;
    frame.lanes_offset = up(alone, kScratchAlignment);
    frame.lane_bytes = frame.items_offset;
  }
  const Scratch scratch(
      frame.lane_groups == 0 ? alone : frame.lanes_offset + frame.lane_groups * (2 * frame.lane_bytes + kBetweenLanes));
  CheckReport report;
  frame.report = &report;
  const std::uint64_t groups = shape.all_groups();
  std::optional<Printer> printer;
  if (code.prints != nullptr) printer.emplace(*code.prints, [this](std::string_view text) { text_ += text; });
  for (std::uint64_t first = 0; first < groups;) {
    const std::uint64_t last = first + std::min(span, groups - first);
    std::optional<Printer::Piece> piece;
    if (printer) piece.emplace(*printer, first);
    code.run(&frame, first, last, scratch.get());
    first = last;
  }
  if (printer) printer->finish();
  failed_ = report.count == 0 ? "" : failed_check(kernel, code.sites, report);
  std::copy(std::begin(report.item), std::end(report.item), failed_item_.begin());
  EXPECT_TRUE(scratch.intact()) << kernel << " wrote outside its memory";
}

}  // namespace skmd::cpu::test
