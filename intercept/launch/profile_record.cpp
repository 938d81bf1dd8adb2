// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/profile_record.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>

#include "intercept/launch/decision.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/model/evaluation.h"
#include "partitioner/model/group_work.h"
#include "partitioner/model/profile_sink.h"

namespace skmd::icd {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
  return hash;
}

/// Samples that differ in none of these tell the model about the same.
std::uint64_t kind_of(const Launch& launch, const SliceWork& slice, bool first_use) {
  std::uint64_t kind = mixed(launch.kernel->id(), slice.device);
  kind = mixed(kind, launch.range.group_total());
  kind = mixed(kind, static_cast<std::uint64_t>(std::bit_width(slice.span.size())));
  return mixed(kind, first_use ? 1 : 0);
}

/// Integers by the width of their bytes; other values say nothing of the amount of work.
std::optional<std::int64_t> integer_of(const std::vector<std::byte>& bytes, const domain::Parameter& parameter) {
  const std::string& type = parameter.type_name;
  if (type.find("float") != std::string::npos || type.find("double") != std::string::npos ||
      type.find("half") != std::string::npos)
    return std::nullopt;
  if (bytes.size() != 1 && bytes.size() != 2 && bytes.size() != 4 && bytes.size() != 8) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  const bool is_unsigned = type.starts_with("u") || type == "size_t" || type == "bool";
  const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes.size());
  if (is_unsigned) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

void add_arguments(domain::ProfileSample& sample, const Launch& launch, const domain::GroupWork& work) {
  const domain::KernelTraits& traits = launch.kernel->traits();
  for (std::uint32_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    if (const auto* buffer = std::get_if<BufferView>(&argument)) {
      sample.buffers.push_back({i, buffer->size});
    } else if (const auto* image = std::get_if<ImageView>(&argument)) {
      sample.buffers.push_back({i, image->size});  // without its geometry: what depends on that stays unknown
    } else if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) {
      const auto integer = i < traits.parameters.size() ? integer_of(*value, traits.parameters[i]) : std::nullopt;
      if (integer) sample.scalars.push_back({i, *integer});
    }
  }
  sample.data_decides_work = launch.kernel->opaque() || (traits.facts & domain::kFactDataDecidesWork) != 0;
  sample.group_operations = work.operations;
  sample.group_bytes = work.bytes;
}

}  // namespace

domain::GroupWork work_of_launch(const Launch& launch) {
  const domain::KernelTraits& traits = launch.kernel->traits();
  if (launch.arguments.size() != traits.parameters.size() || launch.kernel->opaque()) return {};
  std::vector<domain::ArgumentView> views(traits.parameters.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    if (const auto* buffer = std::get_if<BufferView>(&argument))
      views[i] = {true, buffer->size + buffer->before, {}, buffer->before};
    else if (const auto* value = std::get_if<std::vector<std::byte>>(&argument))
      views[i].value = *value;
  }
  return domain::group_work(traits, launch.range, views);
}

domain::ProfileSample profile_sample(const Machine& machine, const Launch& launch, const domain::GroupWork& work,
                                     const SliceWork& slice, const MeasuredSlice& measured) {
  domain::ProfileSample sample;
  const domain::KernelTraits& traits = launch.kernel->traits();
  sample.kernel = {launch.kernel->program_hash(), traits.name, form_of(machine, traits, slice.device)};
  if (slice.device < machine.profile_keys.size()) sample.device = machine.profile_keys[slice.device];
  sample.tag = machine.settings.profile_tag;
  sample.range = launch.range;
  sample.span = slice.span;
  std::vector<domain::Box> boxes;
  domain::boxes_of(slice.span, launch.range.group_counts(), boxes);
  sample.boxes = static_cast<std::uint32_t>(boxes.size());
  add_arguments(sample, launch, work);
  sample.kernel_ns = measured.kernel_ns;
  sample.to_ns = measured.to_ns;
  sample.from_ns = measured.from_ns;
  sample.first_use = measured.first_use;
  sample.date = static_cast<std::int64_t>(std::time(nullptr));
  return sample;
}

domain::Point point_of_launch(const Launch& launch, const domain::GroupWork& work) {
  domain::ProfileSample sample;
  sample.range = launch.range;
  sample.span = {0, launch.range.group_total()};
  add_arguments(sample, launch, work);
  return domain::point_of(sample);
}

bool runs_elsewhere(const Launch& launch, std::uint32_t device) {
  const auto native = launch.kernel->native(device);
  return native && (*native)->runs_elsewhere();
}

void keep_sample(const Machine& machine, const domain::ProfileSample& sample, std::uint64_t kind) {
  machine.profile->add(sample, kind);
  if (!machine.observer->listens()) return;
  const domain::SinkProgress progress = machine.profile->progress();
  machine.observer->profile_written(progress.written, progress.problem);
}

void record_profile(const Machine& machine, const Launch& launch, LaunchShape& shape, const SliceWork& slice,
                    const MeasuredSlice& measured) {
  // In profiling mode the same groups were timed on copies; the application's own launch may be the first to touch its
  // memory, and pay for its pages.
  if (machine.profiling != nullptr || machine.profile == nullptr) return;
  const std::uint64_t kind = kind_of(launch, slice, measured.first_use);
  const double seconds = machine.settings.profile_every_launch ? std::numeric_limits<double>::infinity()
                                                               : static_cast<double>(measured.kernel_ns) * 1e-9;
  if (!machine.profile->wants(kind, seconds) || runs_elsewhere(launch, slice.device)) return;
  keep_sample(machine, profile_sample(machine, launch, shape.work(launch), slice, measured), kind);
}

void record_rounds(const Machine& machine, const Launch& launch, LaunchShape& shape,
                   const LaunchRounds::Measured& rounds) {
  if (machine.profiling != nullptr || machine.profile == nullptr || runs_elsewhere(launch, rounds.device)) return;
  SliceWork whole;
  whole.device = rounds.device;
  whole.span = {0, launch.range.group_total()};
  domain::ProfileSample sample = profile_sample(machine, launch, shape.work(launch), whole,
                                                {static_cast<std::uint64_t>(rounds.seconds * 1e9), 0, 0, false});
  sample.kernel.form = domain::kRoundsForm;
  sample.warm = rounds.by_themselves;
  sample.passed_over = static_cast<std::uint32_t>(std::min<std::uint64_t>(rounds.rounds - 1, UINT32_MAX));
  keep_sample(machine, sample, domain::kNoKind);
}

}  // namespace skmd::icd
