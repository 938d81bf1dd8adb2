// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/plan_text.h"

#include <algorithm>
#include <cstdio>

#include "partitioner/plan/phases.h"
#include "partitioner/plan/prediction.h"

namespace skmd::domain {
namespace {

template <class... Values>
std::string printed(const char* format, Values... values) {
  char text[160];
  const int length = std::snprintf(text, sizeof text, format, values...);
  return {text, length < 0 ? 0 : std::min<std::size_t>(static_cast<std::size_t>(length), sizeof text - 1)};
}

constexpr double kMilliseconds = 1e3;  // in a second

std::string device_text(const PartitionRequest& request, std::uint32_t device) {
  const DeviceModel& model = request.devices[device];
  if (!model.eligible) return printed("; %u: not eligible", device);
  if (!is_measured(model)) return printed("; %u: not measured", device);
  const GroupSpan all{0, request.groups};
  const Phases phases = PhaseCosts(request).of(device, all);
  return printed("; %u: alone %.3f before + %.3f + %.3f behind + %.3f copies, measured on %.3g groups, error %.2f",
                 device, phases.before * kMilliseconds, (phases.arriving + phases.running) * kMilliseconds,
                 phases.after * kMilliseconds, phases.copying * kMilliseconds,
                 static_cast<double>(model.measured_groups), model.relative_error);
}

}  // namespace

std::string text_of(const PartitionRequest& request, const Plan& plan) {
  std::string text = plan.exploring ? "to learn:" : plan.slices.size() > 1 ? "split:" : "whole:";
  for (const Slice& slice : plan.slices)
    text += printed(" %u: %llu", slice.device, static_cast<unsigned long long>(slice.span.size()));
  text += printed(", predicted %.3f ms, alone %.3f of %.3f", plan.predicted_seconds * kMilliseconds,
                  plan.alone_seconds * kMilliseconds, plan.alone_round_seconds * kMilliseconds);
  if (plan.unsettled) text += ", unsettled";
  if (request.experience.split_barred) text += ", splits barred";
  text += printed(", lost %.3f of %.3f", request.experience.lost_seconds * kMilliseconds,
                  request.experience.seconds * kMilliseconds);
  if (!request.may_search) return text + ", no search";
  for (std::uint32_t device = 0; device < request.devices.size(); ++device) text += device_text(request, device);
  return text;
}

}  // namespace skmd::domain
