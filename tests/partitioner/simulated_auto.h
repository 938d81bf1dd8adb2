// SPDX-License-Identifier: Apache-2.0
// `auto` in a simulated world: what intercept/launch/decide_launch.cpp does, in short.
#pragma once

#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "intercept/launch/decision_constants.h"
#include "partitioner/model/known_times.h"
#include "partitioner/model/round_times.h"
#include "partitioner/model/shared_rounds.h"
#include "partitioner/plan/planning_budget.h"
#include "partitioner/plan/prediction.h"
#include "tests/partitioner/simulated_application.h"

namespace skmd::domain::test {

class AutoDecider : public Decider {
 public:
  AutoDecider(const std::vector<TrueDevice>& devices, std::size_t shapes) : model_(told(devices)), shapes_(shapes) {
    for (const TrueDevice& device : devices)  // only the CPU driver knows
      waited_.push_back(device.in_place ? static_cast<std::uint64_t>(device.overhead * 1e9) : 0);
  }

  /// Former processes have measured the launch's kernel on the device, and found that it takes `seconds`. Four of five
  /// such numbers are off by a factor of 1 + `error` at most.
  void know(const TrueLaunch& launch, std::uint32_t device, double seconds, double error) {
    StoredModel stored;
    stored.model.terms = {{{TermShape::groups}, seconds / static_cast<double>(launch.groups)}};
    stored.model.error = error;
    stored.model.smallest_work = 1.0;
    stored.model.largest_work = static_cast<double>(launch.groups);
    model_.store(launch.kernel, device, std::move(stored));
  }

  std::vector<Slice> decide(const World& world, const TrueLaunch& launch) override {
    Shape& shape = shapes_[launch.shape];
    decide_alone(world, launch, shape);
    shape.runs = judged(world, launch, shape);
    return shape.runs.slices;
  }

  void ended(const TrueLaunch& launch, const std::vector<Slice>& slices, const Ended& ended) override {
    const NdRange range = range_of(launch);
    Shape& shape = shapes_[launch.shape];
    const Plan& plan = shape.runs;
    const PointOf point = point_of(launch, shape);
    now_ += ended.seconds;
    if (plan.exploring)
      shape.rounds.interrupted();
    else
      shape.rounds.ended(devices_of(plan), now_, last_ == launch.shape);
    last_ = launch.shape;
    const bool split = slices.size() > 1;
    std::uint64_t id = 0;
    for (const Slice& slice : slices) id = plan_id(id, slice);
    for (std::size_t i = 0; i < slices.size(); ++i)
      model_.learn({launch.kernel, slices[i].device, range, slices[i].span,
                    static_cast<std::uint64_t>(ended.running[i] * 1e9), (ended.first_uses >> slices[i].device & 1) != 0,
                    point, waited_[slices[i].device]});
    if (plan.alone_seconds > 0)
      model_.launched({launch.kernel, range, plan.alone_seconds, split ? ended.seconds : 0.0, split, plan.exploring,
                       split ? ended.first_uses : 0, plan.alone_round_seconds, id});
  }

  void passed(double seconds) override { now_ += seconds; }

 private:
  static constexpr double kPlanning = 60e-6;  // seconds, three devices
  static constexpr double kLooking = 1e-6;    // seconds

  /// DecisionBasis.
  struct Basis {
    bool known = false;
    bool barred = false;
    std::vector<double> groups_per_second;
    std::vector<std::uint64_t> missing_bytes;
    std::uint32_t read_rhythm = 0;
  };
  struct Shape {
    bool decided = false;
    Plan plan;  // as the model wants it
    Plan runs;  // instead of it
    Basis basis;
    RoundTimes rounds;
    std::vector<RoundTimes::Candidate> candidates;
    std::vector<AloneBounds> alone_bounds;
    unsigned changes = 0;
    std::map<RoundTimes::Devices, Plan> followed;
    PlanningBudget budget;
    std::uint64_t launches_followed = 0;
    Point point;
  };

  static std::vector<DeviceModel> told(const std::vector<TrueDevice>& devices) {
    std::vector<DeviceModel> models;
    for (const TrueDevice& device : devices) models.push_back(device.told);
    return models;
  }
  static NdRange range_of(const TrueLaunch& launch) {
    constexpr std::uint64_t kItems = 64;
    return {1, {0, 0, 0}, {launch.groups * kItems, 1, 1}, {kItems, 1, 1}};
  }

  static PointOf point_of(const TrueLaunch& launch, Shape& shape) {
    shape.point.groups = shape.point.launch_groups = static_cast<double>(launch.groups);
    return [&shape]() -> const Point& { return shape.point; };
  }
  DeviceModel predicted(const TrueLaunch& launch, Shape& shape, std::uint32_t device) const {
    return model_.predict(launch.kernel, device, range_of(launch), point_of(launch, shape));
  }

  void decide_alone(const World& world, const TrueLaunch& launch, Shape& shape) {
    const Experience experience = model_.experience(launch.kernel, range_of(launch));
    if (std::exchange(shape.changes, experience.changes) != experience.changes) shape.rounds = {};
    if (shape.decided && !worth_a_look(shape, world, experience.split_barred)) return;
    Basis now = basis_of(world, launch, shape, experience.split_barred);
    if (shape.decided && stands(shape.basis, now)) return;
    plan(world, launch, shape, experience);
    now.known = !shape.plan.unsettled && !shape.plan.exploring;
    shape.basis = std::move(now);
    if (!shape.plan.exploring) shape.followed[devices_of(shape.plan)] = shape.plan;
  }

  static RoundTimes::Devices devices_of(const Plan& plan) {
    RoundTimes::Devices devices = 0;
    for (const Slice& slice : plan.slices) devices |= RoundTimes::Devices{1} << slice.device;
    return devices;
  }

  /// What is followed instead of what the model wants, judged by rounds.
  Plan judged(const World& world, const TrueLaunch& launch, Shape& shape) {
    using Role = SharedRounds::Role;
    const Role role = shared_rounds_.launched(launch.shape + 1, world.recurs(launch), shape.alone_bounds);
    auto candidates = role == Role::leader ? shared_rounds_.candidates() : std::vector<RoundTimes::Candidate>();
    candidates.insert(candidates.end(), shape.candidates.begin(), shape.candidates.end());
    const auto instead = role == Role::follower && shared_rounds_.bound() ? shared_rounds_.bound()
                         : shape.plan.exploring                           ? shape.rounds.instead_of_exploring()
                                                : shape.rounds.instead_of(devices_of(shape.plan), candidates);
    if (role == Role::leader) shared_rounds_.led(instead.value_or(devices_of(shape.plan)), instead.has_value());
    if (!instead) return shape.plan;
    if (const auto found = shape.followed.find(*instead); found != shape.followed.end()) return found->second;
    if (!std::has_single_bit(*instead)) return shape.plan;
    Plan whole;
    whole.slices = {{static_cast<std::uint32_t>(std::countr_zero(*instead)), {0, launch.groups}}};
    return whole;
  }

  static bool worth_a_look(Shape& shape, const World& world, bool barred) {
    const double seconds = shape.plan.predicted_seconds;
    shape.budget.launched(seconds);
    if (!(seconds > 0) || shape.plan.exploring || shape.basis.barred != barred) return true;
    const double look =
        static_cast<double>(world.devices().size()) * kLooking / 4 + (shape.basis.known ? 0.0 : icd::tuning::kAsking);
    ++shape.launches_followed;
    if (!shape.budget.affords(look)) return false;
    shape.budget.spend(look);
    return true;
  }

  [[nodiscard]] Basis basis_of(const World& world, const TrueLaunch& launch, Shape& shape, bool barred) const {
    Basis basis;
    basis.barred = barred;
    basis.read_rhythm = world.read_rhythm(launch);
    for (std::uint32_t d = 0; d < world.devices().size(); ++d) {
      basis.groups_per_second.push_back(predicted(launch, shape, d).groups_per_second);
      const Moving moving = world.bytes_to(launch, d, {0, launch.groups});
      basis.missing_bytes.push_back(moving.linked + moving.copied);
    }
    return basis;
  }

  static bool stands(const Basis& then, const Basis& now) {
    if (!then.known || then.barred != now.barred || then.missing_bytes != now.missing_bytes ||
        then.read_rhythm != now.read_rhythm)
      return false;
    for (std::size_t d = 0; d < now.groups_per_second.size(); ++d)
      if (std::fabs(now.groups_per_second[d] - then.groups_per_second[d]) >
          icd::tuning::kRateNoise * then.groups_per_second[d])
        return false;
    return true;
  }

  void plan(const World& world, const TrueLaunch& launch, Shape& shape, const Experience& experience) {
    std::vector<DeviceModel> models;
    for (std::uint32_t d = 0; d < world.devices().size(); ++d) {
      models.push_back(predicted(launch, shape, d));
      models.back().bytes_to_per_second = world.devices()[d].to;
      models.back().bytes_from_per_second = world.devices()[d].from;
    }
    PartitionRequest request;
    request.groups = launch.groups;
    request.devices = models;
    request.host_bytes_per_second = World::kHostCopy;
    request.split_seconds = World::kSplitSeconds;
    request.planning_seconds = kPlanning;
    request.may_search = shape.budget.affords(kPlanning);
    request.experience = experience;
    bool searched = false;
    request.bytes_to = [&](std::uint32_t d, const GroupSpan& span) {
      searched = searched || span.size() != launch.groups;
      return world.bytes_to(launch, d, span);
    };
    request.bytes_from = [&](std::uint32_t d, const GroupSpan& span) { return world.bytes_from(launch, d, span); };
    request.bytes_awaited = [&](std::uint32_t d) { return world.bytes_awaited(launch, d); };
    Plan before = shape.plan;
    before.missed.launches += std::exchange(shape.launches_followed, 0);
    if (shape.decided) request.previous = &before;
    shape.plan = partition(request);
    shape.decided = true;
    shape.candidates.clear();
    for (std::uint32_t d = 0; d < models.size(); ++d)
      if (is_measured(models[d]))
        shape.candidates.push_back({RoundTimes::Devices{1} << d, finish_seconds(request, d, {0, launch.groups})});
    shape.alone_bounds = alone_bounds(request);
    if (searched) shape.budget.spend(kPlanning);
  }

  KnownTimes model_;
  std::vector<std::uint64_t> waited_;  // nanoseconds that each device takes to begin, as far as it tells
  std::vector<Shape> shapes_;
  SharedRounds shared_rounds_;
  double now_ = 0.0;
  std::size_t last_ = 0;  // shape that ended
};

}  // namespace skmd::domain::test
