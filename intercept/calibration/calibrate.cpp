// SPDX-License-Identifier: Apache-2.0
#include "intercept/calibration/calibrate.h"

#include <algorithm>
#include <set>

#include "intercept/backend/vendor/link_probe.h"
#include "intercept/calibration/calibration_constants.h"
#include "intercept/calibration/measure.h"
#include "intercept/calibration/port_probe.h"
#include "intercept/calibration/timing.h"

namespace skmd::icd::calibration {
namespace {

using namespace tuning;

using domain::Direction;
using domain::LinkCalibration;
using domain::Result;
using domain::Status;

struct Link {
  std::size_t subject = 0;
  std::shared_ptr<LinkProbe> probe;
  std::uint64_t bytes = 0;
};

class Calibration {
 public:
  Calibration(const std::vector<Subject>& subjects, const Orders& orders)
      : subjects_(subjects), orders_(orders), watch_(orders.clock, orders.seconds) {
    std::set<domain::DeviceKey> keys;
    for (std::size_t i = 0; i < subjects.size(); ++i)
      if (keys.insert(subjects[i].key).second) firsts_.push_back(i);
    plan();
  }

  Findings run() {
    for (const std::size_t i : firsts_) measure_one(i);
    for (const std::size_t i : firsts_) measure_both_directions(i);
    for (const auto& [a, b] : pairs_) measure_pair(a, b);
    for (const auto& [link, processor] : beside_) measure_beside(link, processor);
    return std::move(findings_);
  }

 private:
  [[nodiscard]] const DeviceDescription& description(std::size_t i) const { return subjects_[i].device->description(); }
  [[nodiscard]] bool is_processor(std::size_t i) const { return description(i).kind == DeviceKind::cpu; }

  /// What will be measured together, and what everything weighs.
  void plan() {
    std::set<std::pair<domain::DeviceKey, domain::DeviceKey>> seen;
    for (std::size_t a = 0; a < subjects_.size(); ++a)
      for (std::size_t b = a + 1; b < subjects_.size(); ++b)
        if (description(a).discrete && description(b).discrete &&
            seen.insert(std::minmax(subjects_[a].key, subjects_[b].key)).second)
          pairs_.emplace_back(a, b);
    for (const std::size_t link : firsts_)
      for (const std::size_t processor : firsts_)
        if (link != processor && description(link).discrete && is_processor(processor))
          beside_.emplace_back(link, processor);
    weight_left_ = static_cast<double>(firsts_.size()) * (kDeviceWeight + 2 * kLinkWeight) +
                   2 * static_cast<double>(pairs_.size() + beside_.size()) * kTogetherWeight;
  }

  /// Its share of what is left; what others did not use is left, too.
  Effort effort_of(double weight, const std::string& what) {
    Effort effort;
    effort.clock = orders_.clock;
    effort.seconds = weight_left_ > 0 ? watch_.left() * weight / weight_left_ : 0.0;
    weight_left_ -= weight;
    effort.step = orders_.seconds < kQuick ? 4 : 2;
    effort.tick = [this, what] { tell(what); };
    tell(what);
    return effort;
  }
  void tell(const std::string& what) {
    orders_.progress(std::clamp(watch_.gone() / std::max(orders_.seconds, 1e-9), 0.0, 1.0), what);
  }
  void note(std::size_t i, const std::string& what, const domain::Error& error) {
    findings_.problems.push_back(description(i).name + ": " + what + ": " + error.reason);
  }

  void measure_one(std::size_t i) {
    Effort effort = effort_of(kDeviceWeight, description(i).name);
    effort.step = 2;  // a cache is not found between sizes that are far apart
    effort.most_bytes = memory_for(*subjects_[i].device, orders_.seconds < kQuick ? kMaxReadQuick : kMaxRead);
    const auto probe = probe_of(subjects_[i].device, orders_.salt);
    auto measured = measure_device(*probe, effort);
    if (!measured) return note(i, "its kernels", measured.error());
    measured->device = subjects_[i].key;
    measured->host_cores = is_processor(i);
    findings_.devices.push_back(std::move(*measured));
  }

  /// Made when first needed; null with a problem noted.
  Link* link_of(std::size_t i) {
    const auto known = std::find_if(links_.begin(), links_.end(), [&](const auto& link) { return link->subject == i; });
    if (known != links_.end()) return (*known)->probe ? known->get() : nullptr;
    auto link = std::make_unique<Link>();
    link->subject = i;
    link->bytes = memory_for(*subjects_[i].device, kMaxTransfer);
    auto probe = subjects_[i].device->link_probe();
    if (probe && *probe == nullptr) probe = port_link(subjects_[i].device);
    const Status ready = probe ? (*probe)->prepare(link->bytes) : Status(probe.error());
    if (!ready)
      note(i, "its link", ready.error());
    else
      link->probe = std::move(*probe);
    links_.push_back(std::move(link));
    return links_.back()->probe ? links_.back().get() : nullptr;
  }

  void measure_both_directions(std::size_t i) {
    for (const Direction direction : {Direction::to, Direction::from}) {
      Effort effort = effort_of(kLinkWeight, "link of " + description(i).name);
      Link* const link = link_of(i);
      if (link == nullptr) continue;
      effort.most_bytes = link->bytes;
      auto measured = measure_link(*link->probe, direction, effort);
      if (!measured) {
        note(i, "its link", measured.error());
        continue;
      }
      measured->device = subjects_[i].key;
      measured->in_place = !description(i).discrete;
      findings_.links.push_back(std::move(*measured));
    }
    // What only stands for itself is not needed any more; its memory may be much.
    if (!description(i).discrete) std::erase_if(links_, [&](const auto& link) { return link->subject == i; });
  }

  /// The link that was measured for the device or its equal.
  LinkCalibration* found_for(std::size_t i, Direction direction) {
    for (LinkCalibration& link : findings_.links)
      if (link.device == subjects_[i].key && link.direction == direction) return &link;
    return nullptr;
  }
  static Contender mover(Link& link, const LinkCalibration& measured) {
    const ProbedTransfer transfer = best_way(measured, std::min(kTogether, link.bytes));
    return [&link, transfer]() -> Result<double> {
      if (Status moved = link.probe->transfer(transfer); !moved) return moved.error();
      return static_cast<double>(transfer.bytes);
    };
  }

  void measure_pair(std::size_t a, std::size_t b) {
    for (const Direction direction : {Direction::to, Direction::from}) {
      const Effort effort =
          effort_of(kTogetherWeight, "links of " + description(a).name + " and " + description(b).name);
      Link *const one = link_of(a), *const other = link_of(b);
      LinkCalibration *const first = found_for(a, direction), *const second = found_for(b, direction);
      if (one == nullptr || other == nullptr || first == nullptr || second == nullptr) continue;
      const auto rates = measure_together(mover(*one, *first), mover(*other, *second), effort.clock, effort.seconds);
      if (!rates) {
        note(a, "its link beside that of " + description(b).name, rates.error());
        continue;
      }
      first->beside_links.push_back({description(b).name, rates->first_per_second, rates->second_per_second});
      if (first != second)
        second->beside_links.push_back({description(a).name, rates->second_per_second, rates->first_per_second});
    }
  }

  void measure_beside(std::size_t i, std::size_t processor) {
    const auto probe = probe_of(subjects_[processor].device, orders_.salt);
    const std::uint64_t bytes = memory_for(*subjects_[processor].device, kTogether * 4);
    const Status ready = probe->prepare(bytes);
    if (!ready) note(processor, "its kernels", ready.error());
    const Contender reader = [&]() -> Result<double> {
      if (Status read = probe->read(bytes, 1); !read) return read.error();
      return static_cast<double>(bytes);
    };
    for (const Direction direction : {Direction::to, Direction::from}) {
      const Effort effort =
          effort_of(kTogetherWeight, "link of " + description(i).name + " beside " + description(processor).name);
      Link* const link = link_of(i);
      LinkCalibration* const measured = found_for(i, direction);
      if (!ready || link == nullptr || measured == nullptr) continue;
      const auto rates = measure_together(mover(*link, *measured), reader, effort.clock, effort.seconds);
      if (!rates)
        note(i, "its link beside " + description(processor).name, rates.error());
      else
        measured->beside_kernels.push_back(
            {description(processor).name, rates->first_per_second, rates->second_per_second});
    }
  }

  const std::vector<Subject>& subjects_;
  const Orders& orders_;
  const Stopwatch watch_;
  std::vector<std::size_t> firsts_;  // of each key
  std::vector<std::pair<std::size_t, std::size_t>> pairs_, beside_;
  double weight_left_ = 0.0;
  std::vector<std::unique_ptr<Link>> links_;
  Findings findings_;
};

}  // namespace

Findings calibrate(const std::vector<Subject>& subjects, const Orders& orders) {
  return Calibration(subjects, orders).run();
}

}  // namespace skmd::icd::calibration
