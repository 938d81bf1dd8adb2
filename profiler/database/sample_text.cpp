// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/sample_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/client/hash.h"
#include "profiler/database/former_names.h"
#include "profiler/database/line_reader.h"
#include "profiler/database/line_writer.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::ProfileSample;
using nlohmann::json;

/// What NdRange demands, and a number of groups that does not overflow.
bool is_launch(const domain::NdRange& range) {
  if (range.work_dim < 1 || range.work_dim > 3) return false;
  std::uint64_t groups = 1;
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (range.local[dim] == 0 || range.global[dim] % range.local[dim] != 0) return false;
    if (dim >= range.work_dim && (range.global[dim] != 1 || range.local[dim] != 1 || range.offset[dim] != 0))
      return false;
    if (__builtin_mul_overflow(groups, range.global[dim] / range.local[dim], &groups)) return false;
  }
  return std::in_range<std::int64_t>(groups);  // what a column of the database holds
}

void read_launch(Reader& reader, ProfileSample& sample) {
  reader.read("dims", sample.range.work_dim);
  reader.read("offset", sample.range.offset);
  reader.read("global", sample.range.global);
  reader.read("local", sample.range.local);
  reader.read("first", sample.span.first);
  reader.read("last", sample.span.last);
  reader.read("boxes", sample.boxes);
  reader.read_pairs("buffers", sample.buffers, &domain::BufferArgument::bytes);
  reader.read_pairs("scalars", sample.scalars, &domain::ScalarArgument::value);
  reader.read("group_operations", sample.group_operations);
  reader.read("group_bytes", sample.group_bytes);
  reader.read("data_decides_work", sample.data_decides_work);
}

}  // namespace

std::string excerpt_of(const json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80);
}

std::string line_of(const ProfileSample& sample) {
  LineWriter line;
  line.add("boxes", sample.boxes);
  line.add_pairs("buffers", sample.buffers, &domain::BufferArgument::bytes);
  line.add("commit", sample.commit);
  // Fields that came later are left out where they say nothing: lines of before, by which samples are known, stay as
  // they are.
  if (sample.data_decides_work) line.add("data_decides_work", true);
  line.add("date", sample.date);
  line.add("device", sample.device.name);
  line.add("dims", sample.range.work_dim);
  line.add("driver", sample.device.driver);
  line.add("first", sample.span.first);
  line.add("first_use", sample.first_use);
  line.add("form", sample.kernel.form);
  line.add("from_ns", sample.from_ns);
  line.add("global", sample.range.global);
  line.add("group_bytes", sample.group_bytes);
  line.add("group_operations", sample.group_operations);
  line.add("kernel", sample.kernel.name);
  line.add("kernel_ns", sample.kernel_ns);
  line.add("last", sample.span.last);
  line.add("local", sample.range.local);
  line.add("offset", sample.range.offset);
  if (sample.passed_over != 0) line.add(kPassedOver, sample.passed_over);
  line.add("platform", sample.device.platform);
  line.add("program", sample.kernel.program);
  line.add_pairs("scalars", sample.scalars, &domain::ScalarArgument::value);
  line.add("tag", sample.tag);
  line.add("to_ns", sample.to_ns);
  line.add("units", sample.device.units);
  line.add("warm", sample.warm);
  return line.take();
}

std::string digest_of(const std::string& line) { return compiler::content_hash(line); }

domain::Result<ProfileSample> sample_of(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return Error{0, "this is no JSON object: " + std::string(line.substr(0, 80))};
  ProfileSample sample;
  std::string problem;
  Reader reader(object, problem);
  reader.read("program", sample.kernel.program);
  reader.read("kernel", sample.kernel.name);
  reader.read("form", sample.kernel.form);
  reader.read("platform", sample.device.platform);
  reader.read("device", sample.device.name);
  reader.read("driver", sample.device.driver);
  reader.read("units", sample.device.units);
  reader.read("tag", sample.tag);
  read_launch(reader, sample);
  reader.read("kernel_ns", sample.kernel_ns);
  reader.read("to_ns", sample.to_ns);
  reader.read("from_ns", sample.from_ns);
  reader.read("warm", sample.warm);
  reader.read("first_use", sample.first_use);
  reader.read("commit", sample.commit);
  reader.read("date", sample.date);
  reader.read(kPassedOver, sample.passed_over);
  if (!problem.empty()) return Error{0, problem};
  if (sample.kernel.name.empty()) return Error{0, "kernel is missing"};
  if (sample.device.name.empty()) return Error{0, "device is missing"};
  sample.device = todays(std::move(sample.device));
  if (!is_launch(sample.range)) return Error{0, "global and local are no NDRange"};
  if (sample.span.empty() || sample.span.last > sample.range.group_total())
    return Error{
        0, "first and last are no span of the launch's " + std::to_string(sample.range.group_total()) + " groups"};
  return sample;
}

}  // namespace skmd::profiler
