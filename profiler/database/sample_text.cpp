// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/sample_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/client/hash.h"
#include "profiler/database/line_reader.h"

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
  json buffers = json::array(), scalars = json::array();
  for (const auto& buffer : sample.buffers) buffers.push_back({buffer.index, buffer.bytes});
  for (const auto& scalar : sample.scalars) scalars.push_back({scalar.index, scalar.value});
  json line{{"program", sample.kernel.program},
            {"kernel", sample.kernel.name},
            {"form", sample.kernel.form},
            {"platform", sample.device.platform},
            {"device", sample.device.name},
            {"driver", sample.device.driver},
            {"units", sample.device.units},
            {"tag", sample.tag},
            {"dims", sample.range.work_dim},
            {"offset", sample.range.offset},
            {"global", sample.range.global},
            {"local", sample.range.local},
            {"first", sample.span.first},
            {"last", sample.span.last},
            {"boxes", sample.boxes},
            {"buffers", buffers},
            {"scalars", scalars},
            {"group_operations", sample.group_operations},
            {"group_bytes", sample.group_bytes},
            {"kernel_ns", sample.kernel_ns},
            {"to_ns", sample.to_ns},
            {"from_ns", sample.from_ns},
            {"warm", sample.warm},
            {"first_use", sample.first_use},
            {"commit", sample.commit},
            {"date", sample.date}};
  // Fields that came later are left out where they say nothing: lines of before, by which samples are known, stay as
  // they are.
  if (sample.data_decides_work) line["data_decides_work"] = true;
  if (sample.passed_over != 0) line[kPassedOver] = sample.passed_over;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
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
  if (!is_launch(sample.range)) return Error{0, "global and local are no NDRange"};
  if (sample.span.empty() || sample.span.last > sample.range.group_total())
    return Error{
        0, "first and last are no span of the launch's " + std::to_string(sample.range.group_total()) + " groups"};
  return sample;
}

}  // namespace skmd::profiler
