// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/sample_text.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/client/hash.h"

namespace skmd::profiler {
namespace {

using domain::Error;
using domain::ProfileSample;
using nlohmann::json;

/// True: a whole number that T holds. The parser keeps numbers above INT64_MAX as unsigned, and would wrap them.
template <class T>
bool fits(const json& value) {
  if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
  return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
}

/// Reads fields; keeps the first thing that is wrong.
class Reader {
 public:
  Reader(const json& object, std::string& problem) : object_(object), problem_(problem) {}

  void read(const char* key, std::string& to) {
    if (const json* value = find(key)) value->is_string() ? void(to = value->get<std::string>()) : wrong(key, "text");
  }
  void read(const char* key, bool& to) {
    if (const json* value = find(key))
      value->is_boolean() ? void(to = value->get<bool>()) : wrong(key, "true or false");
  }
  void read(const char* key, double& to) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>()) || value->get<double>() < 0)
      return wrong(key, "a number from 0");
    to = value->get<double>();
  }
  void read(const char* key, std::uint64_t& to) {
    if (const json* value = find(key))
      value->is_number_unsigned() ? void(to = value->get<std::uint64_t>()) : wrong(key, "a whole number from 0");
  }
  void read(const char* key, std::uint32_t& to) {
    std::uint64_t wide = to;
    read(key, wide);
    wide <= std::numeric_limits<std::uint32_t>::max() ? void(to = static_cast<std::uint32_t>(wide))
                                                      : wrong(key, "below 2^32");
  }
  void read(const char* key, std::int64_t& to) {
    if (const json* value = find(key))
      fits<std::int64_t>(*value) ? void(to = value->get<std::int64_t>()) : wrong(key, "a whole number of 64 bits");
  }
  template <std::size_t N>
  void read(const char* key, std::array<std::uint64_t, N>& to) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array() || value->size() != N) return wrong(key, "a list of three numbers");
    for (std::size_t i = 0; i < N; ++i) {
      if (!(*value)[i].is_number_unsigned()) return wrong(key, "a list of three numbers");
      to[i] = (*value)[i].get<std::uint64_t>();
    }
  }
  /// Pairs of an argument's index and a value.
  template <class T, class V>
  void read_pairs(const char* key, std::vector<T>& to, V T::*field) {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_array()) return wrong(key, "a list");
    for (const json& pair : *value) {
      if (!pair.is_array() || pair.size() != 2 || !fits<std::uint32_t>(pair[0]) || !fits<V>(pair[1]))
        return wrong(key, "pairs of an argument's index and a number");
      T entry;
      entry.index = pair[0].get<std::uint32_t>();
      entry.*field = pair[1].get<V>();
      to.push_back(entry);
    }
  }

 private:
  const json* find(const char* key) {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  void wrong(const char* key, const char* meant) {
    if (problem_.empty()) problem_ = std::string(key) + " is " + excerpt_of(object_[key]) + "; expected " + meant;
  }

  const json& object_;
  std::string& problem_;
};

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
  const json line{{"program", sample.kernel.program},
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
                  {"data_decides_work", sample.data_decides_work},
                  {"kernel_ns", sample.kernel_ns},
                  {"to_ns", sample.to_ns},
                  {"from_ns", sample.from_ns},
                  {"warm", sample.warm},
                  {"first_use", sample.first_use},
                  {"commit", sample.commit},
                  {"date", sample.date}};
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
