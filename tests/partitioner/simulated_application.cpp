// SPDX-License-Identifier: Apache-2.0
#include "tests/partitioner/simulated_application.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace skmd::domain::test {

World::World(std::vector<TrueDevice> devices, const Application& application, std::uint64_t seed, double noise)
    : devices_(std::move(devices)),
      rounds_(application.buffers.size()),
      reads_(application.buffers.size()),
      users_(application.buffers.size()),
      random_(seed),
      noise_(noise) {
  for (const TrueDevice& device : devices_) full_speed_.push_back(device.speed);
  for (const std::uint64_t bytes : application.buffers) {
    maps_.emplace_back(bytes);
    maps_.back().written(kHostSpace, ByteRange{0, bytes});
  }
}

double World::noisy() {
  if (noise_ == 0.0) return 1.0;
  constexpr std::uint64_t kSpikes = 100;  // one in so many
  const double spike = random_() % kSpikes == 0 ? 1.0 : 0.0;
  return std::exp(noise_ * normal_(random_)) + spike;
}

RangeSet World::range_of(const TrueLaunch& launch, const Use& use, const GroupSpan& span) const {
  const double bytes = static_cast<double>(maps_[use.buffer].bytes()) * use.part;
  const auto place = [&](std::uint64_t group) {
    return static_cast<std::uint64_t>(bytes * static_cast<double>(group) / static_cast<double>(launch.groups));
  };
  return use.whole ? ByteRange{0, place(launch.groups)} : ByteRange{place(span.first), place(span.last)};
}

double World::sending(std::uint32_t device, std::uint64_t bytes) const {
  const TrueDevice& d = devices_[device];
  return bytes == 0 ? 0.0 : d.link_latency + static_cast<double>(bytes) / d.to;
}

double World::gather(std::size_t buffer, const RangeSet& ranges) {
  std::vector<std::uint64_t> from(devices_.size());
  ResidencyMap& map = maps_[buffer];
  const RangeSet missing = map.missing(kHostSpace, ranges);
  for (const ResidencyMap::Piece& piece : map.pieces(missing))
    for (std::uint32_t d = 0; d < devices_.size(); ++d)
      if ((piece.valid >> space_of(d) & 1) != 0) {
        from[d] += piece.range.size();
        break;
      }
  map.copied(kHostSpace, missing);
  double slowest = 0.0;
  for (std::uint32_t d = 0; d < devices_.size(); ++d)
    if (from[d] != 0)
      slowest = std::max(slowest, devices_[d].link_latency + static_cast<double>(from[d]) / devices_[d].from);
  return slowest;
}

double World::upload(const TrueLaunch& launch, const Slice& slice) {
  const SpaceId space = space_of(slice.device);
  if (space == kHostSpace) return 0.0;
  double seconds = 0.0;
  for (const Use& use : launch.uses) {
    if (!use.reads) continue;
    ResidencyMap& map = maps_[use.buffer];
    const RangeSet missing = map.missing(space, range_of(launch, use, slice.span));
    seconds += sending(slice.device, missing.bytes());
    map.copied(space, missing);
  }
  return seconds;
}

double World::running(const TrueLaunch& launch, const Slice& slice) const {
  const TrueDevice& d = devices_[slice.device];
  const double groups = std::max(static_cast<double>(slice.span.size()), d.width);
  return d.overhead +
         groups / static_cast<double>(launch.groups) * launch.seconds / (d.speed * launch.suits[slice.device]);
}

double World::write(std::size_t buffer) {
  ResidencyMap& map = maps_[buffer];
  const RangeSet all = ByteRange{0, map.bytes()};
  const auto& users = users_[buffer];
  const bool known = rounds_[buffer].steady() || (users.size() == 1 && !devices_[users[0].first].in_place);
  rounds_[buffer].wrote(map.bytes());
  map.written(kHostSpace, all);
  if (!known || map.bytes() < kDirect) return static_cast<double>(map.bytes()) / kHostCopy;
  double slowest = 0.0;
  RangeSet sent, here = all;
  for (const auto& [device, ranges] : users) {
    if (devices_[device].in_place) continue;
    slowest = std::max(slowest, sending(device, ranges.bytes()));
    map.copied(space_of(device), ranges);
    here.remove(ranges);
  }
  for (const auto& [device, ranges] : users)
    if (devices_[device].in_place) here.add(ranges);
  map.withdrawn(kHostSpace, all.difference(here));
  return slowest + static_cast<double>(here.bytes()) / kHostCopy;
}

double World::read(std::size_t buffer) {
  reads_[buffer].read(maps_[buffer].bytes(), maps_[buffer].bytes(), true);
  const RangeSet all = ByteRange{0, maps_[buffer].bytes()};
  const std::uint64_t here = all.bytes() - maps_[buffer].missing_bytes(kHostSpace, all);
  const double seconds = static_cast<double>(here) / kHostCopy;
  return seconds + gather(buffer, all);
}

Ended World::launch(const TrueLaunch& launch, const std::vector<Slice>& slices) {
  Ended ended;
  for (const Use& use : launch.uses) {
    reads_[use.buffer].launched();
    const bool first = rounds_[use.buffer].launched(maps_[use.buffer].bytes());
    if (!first) continue;
    users_[use.buffer].clear();
    if (use.reads)
      for (const Slice& slice : slices)
        users_[use.buffer].emplace_back(slice.device, range_of(launch, use, slice.span));
  }
  double gathered = 0.0;
  for (const Slice& slice : slices)
    for (const Use& use : launch.uses) {
      if (!use.reads) continue;
      const RangeSet range = range_of(launch, use, slice.span);
      const RangeSet missing = maps_[use.buffer].missing(space_of(slice.device), range);
      if (!missing.empty()) gathered = std::max(gathered, gather(use.buffer, missing));
    }
  for (const Slice& slice : slices) {
    double moving = gathered + upload(launch, slice);
    const std::pair<std::uint64_t, std::uint32_t> key{launch.kernel, slice.device};
    if (std::find(used_.begin(), used_.end(), key) == used_.end()) {
      used_.push_back(key);
      ended.first_uses |= std::uint64_t{1} << slice.device;
      moving += devices_[slice.device].first_use;
    }
    const double clean = running(launch, slice);
    ended.running.push_back(clean * noisy());
    ended.seconds = std::max(ended.seconds, moving + ended.running.back());
    ended.expected = std::max(ended.expected, moving + clean);
  }
  for (const Use& use : launch.uses)
    for (const Slice& slice : slices)
      if (use.writes)
        maps_[use.buffer].written(space_of(slice.device),
                                  range_of(launch, {use.buffer, false, true, false, use.part}, slice.span));
  const double joined = slices.size() > 1 ? kSplitSeconds + launch.joining : 0.0;
  ended.seconds += joined;
  ended.expected += joined;
  return ended;
}

Moving World::bytes_to(const TrueLaunch& launch, std::uint32_t device, const GroupSpan& span) const {
  Moving moving;
  for (const Use& use : launch.uses) {
    if (!use.reads) continue;
    const ResidencyMap& map = maps_[use.buffer];
    const RangeSet needed = range_of(launch, use, span);
    if (!rounds_[use.buffer].recurs(map.bytes()))
      moving.linked += map.moved_bytes(space_of(device), needed);
    else
      (devices_[device].in_place ? moving.copied : moving.linked) +=
          needed.bytes() / rounds_[use.buffer].launches_per_round();
  }
  return moving;
}

std::uint64_t World::bytes_awaited(const TrueLaunch& launch, std::uint32_t device) const {
  std::uint64_t bytes = 0;
  for (const Use& use : launch.uses)
    if (use.reads && !rounds_[use.buffer].recurs(maps_[use.buffer].bytes()))
      bytes += maps_[use.buffer].moved_bytes(space_of(device), range_of(launch, use, {0, launch.groups}));
  return bytes;
}

Moving World::bytes_from(const TrueLaunch& launch, std::uint32_t device, const GroupSpan& span) const {
  Moving moving;
  for (const Use& use : launch.uses) {
    if (!use.writes) continue;
    const icd::ReadBacks& reads = reads_[use.buffer];
    const std::uint64_t bytes = range_of(launch, {use.buffer, false, true, false, use.part}, span).bytes();
    if (!devices_[device].in_place)
      moving.linked += bytes / reads.launches_per_read();
    else if (reads.copied())
      moving.copied += bytes / reads.launches_per_read();
  }
  return moving;
}

std::uint32_t World::read_rhythm(const TrueLaunch& launch) const {
  std::uint32_t rhythm = 0;
  for (const Use& use : launch.uses)
    rhythm = rhythm * 31 + static_cast<std::uint32_t>(std::bit_width(reads_[use.buffer].launches_per_read()));
  return rhythm;
}

double play(World& world, const Application& application, Decider& decider, std::size_t first, std::size_t last,
            const std::function<void(const TrueLaunch&, const Ended&)>& each) {
  double seconds = 0.0;
  for (std::size_t round = first; round < last; ++round) {
    for (const Step& step : application.rounds[round % application.rounds.size()]) {
      if (step.kind != Step::launch) {
        const double moving = step.kind == Step::write ? world.write(step.index) : world.read(step.index);
        decider.passed(moving);
        seconds += moving;
        continue;
      }
      const TrueLaunch& launch = application.launches[step.index];
      const std::vector<Slice> slices = decider.decide(world, launch);
      const Ended ended = world.launch(launch, slices);
      decider.ended(launch, slices, ended);
      seconds += ended.expected;
      if (each) each(launch, ended);
    }
  }
  return seconds;
}

FixedDecider::FixedDecider(const Application& application, const Shares& shares) : application_(application) {
  for (std::size_t k = 0; k < application.launches.size(); ++k) {
    std::vector<Slice>& slices = slices_.emplace_back();
    const std::uint64_t groups = application.launches[k].groups;
    double sum = 0.0;
    std::uint64_t at = 0;
    std::uint32_t last = 0;
    for (std::uint32_t d = 0; d < shares[k].size(); ++d)
      if (shares[k][d] > 0) last = d;
    for (std::uint32_t d = 0; d <= last; ++d) {
      sum += shares[k][d];
      const auto end = d == last ? groups : static_cast<std::uint64_t>(sum * static_cast<double>(groups) + 0.5);
      if (end <= at) continue;
      slices.push_back({d, {at, end}});
      at = end;
    }
  }
}

std::size_t FixedDecider::index_of(const TrueLaunch& launch) const {
  return static_cast<std::size_t>(&launch - application_.launches.data());
}

namespace {

/// Descends from some plans to the best ones near them.
class FixedSearch {
 public:
  FixedSearch(const std::vector<TrueDevice>& devices, const Application& application)
      : devices_(devices), application_(application) {}

  BestFixed run() {
    const std::size_t n = devices_.size();
    std::vector<BestFixed> starts;
    for (std::size_t d = 0; d < n; ++d) {
      std::vector<double> one(n);
      one[d] = 1.0;
      starts.push_back(tried(FixedDecider::Shares(application_.launches.size(), one)));
    }
    starts.push_back(tried(
        FixedDecider::Shares(application_.launches.size(), std::vector<double>(n, 1.0 / static_cast<double>(n)))));
    FixedDecider::Shares by_speed;
    for (const TrueLaunch& launch : application_.launches) {
      std::vector<double>& shares = by_speed.emplace_back(n);
      double sum = 0.0;
      for (std::size_t d = 0; d < n; ++d) sum += shares[d] = devices_[d].speed * launch.suits[d];
      for (double& share : shares) share /= sum;
    }
    starts.push_back(tried(by_speed));
    std::sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    starts.resize(2);
    for (BestFixed& start : starts) descend(start);
    return starts[0].seconds < starts[1].seconds ? starts[0] : starts[1];
  }

 private:
  BestFixed tried(FixedDecider::Shares shares) const {
    World world(devices_, application_, 0, 0.0);
    FixedDecider decider(application_, shares);
    const std::size_t period = application_.rounds.size();
    const std::size_t warm = (4 + period - 1) / period * period;  // until rounds recur
    play(world, application_, decider, 0, warm);
    const double seconds = play(world, application_, decider, warm, warm + period) / static_cast<double>(period);
    return {seconds, std::move(shares)};
  }

  bool moved(BestFixed& best, std::size_t first, std::size_t last, std::size_t from, std::size_t to,
             double step) const {
    FixedDecider::Shares shares = best.shares;
    bool changed = false;
    for (std::size_t k = first; k < last; ++k) {
      const double part = std::min(step, shares[k][from]);
      changed = changed || part > 0;
      shares[k][from] = part < step ? 0.0 : shares[k][from] - part;
      shares[k][to] += part;
    }
    if (!changed) return false;
    BestFixed next = tried(std::move(shares));
    if (!(next.seconds < best.seconds * (1 - 1e-6))) return false;
    best = std::move(next);
    return true;
  }

  /// Of one launch, or of all of them alike.
  bool improved(BestFixed& best, double step) const {
    const std::size_t n = devices_.size();
    const std::size_t count = application_.launches.size();
    bool better = false;
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to) {
        if (from == to) continue;
        while (moved(best, 0, count, from, to, step)) better = true;
        for (std::size_t k = 0; count > 1 && k < count; ++k)
          while (moved(best, k, k + 1, from, to, step)) better = true;
      }
    return better;
  }

  void descend(BestFixed& best) const {
    for (const double step : {0.3, 0.1, 0.03, 0.01})
      while (improved(best, step)) {
      }
  }

  const std::vector<TrueDevice>& devices_;
  const Application& application_;
};

}  // namespace

BestFixed best_fixed(const std::vector<TrueDevice>& devices, const Application& application) {
  return FixedSearch(devices, application).run();
}

}  // namespace skmd::domain::test
