// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/plot.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "partitioner/model/evaluation.h"
#include "profiler/child.h"
#include "profiler/commands/commands_constants.h"

namespace skmd::profiler {
namespace {

using domain::ProfileSample;
using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kPython = "/usr/bin/python3";
constexpr int kNoMatplotlib = 3;  // the script's exit status

/// Of what a launch's curve is made: samples that differ in none of these are of one curve.
using Size = std::tuple<std::uint64_t, domain::Extent3, domain::Extent3, std::vector<domain::BufferArgument>,
                        std::vector<domain::ScalarArgument>>;

Size size_of(const ProfileSample& sample) {
  return {sample.range.group_total(), sample.range.global, sample.range.local, sample.buffers, sample.scalars};
}

std::string label_of(const ProfileSample& sample) {
  std::string label;
  for (std::uint32_t d = 0; d < sample.range.work_dim && d < 3; ++d)
    label += (d > 0 ? "x" : "") + std::to_string(sample.range.global[d]);
  double bytes = 0.0;
  for (const domain::BufferArgument& buffer : sample.buffers) bytes += static_cast<double>(buffer.bytes);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), " work-items, %.3g MB", bytes / 1e6);
  return label + text.data();
}

json curve_of(const domain::TimeModel& model, const ProfileSample& launch) {
  json curve = json::array();
  const auto total = static_cast<double>(launch.range.group_total());
  std::uint64_t before = 0;
  for (int i = 0; i < tuning::kCurvePoints; ++i) {
    ProfileSample part = launch;
    part.span = {0, static_cast<std::uint64_t>(std::llround(std::pow(total, i / (tuning::kCurvePoints - 1.0))))};
    if (part.span.last == before) continue;
    before = part.span.last;
    part.boxes = 1;
    const domain::TimePrediction at = domain::predict(model, domain::point_of(part));
    curve.push_back({part.span.size(), at.seconds, at.low, at.high});
  }
  return curve;
}

json panel_of(const domain::SampleGroup& group, const domain::Bounds& bounds) {
  std::vector<domain::Point> points;
  std::map<Size, std::vector<const ProfileSample*>> launches;
  for (const ProfileSample* sample : group.samples) {
    points.push_back(domain::point_of(*sample));
    launches[size_of(*sample)].push_back(sample);
  }
  const auto model = domain::fit(points, {domain::ModelKind::arctan, group.device.units, bounds});
  json list = json::array();
  for (const auto& [size, samples] : launches) {
    json measured = json::array();
    for (const ProfileSample* sample : samples)
      measured.push_back({sample->span.size(), static_cast<double>(sample->kernel_ns) * 1e-9});
    list.push_back({{"groups", std::get<0>(size)},
                    {"label", label_of(*samples.front())},
                    {"measured", measured},
                    {"predicted", model ? curve_of(*model, *samples.front()) : json::array()}});
  }
  return {
      {"kernel", group.kernel.name}, {"form", group.kernel.form}, {"device", group.device.name}, {"launches", list}};
}

/// Gone when this is.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "skmd-plot-XXXXXX").string();
    if (!error) descriptor_ = mkstemp(path_.data());
  }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool holds(const std::string& text) const {
    if (descriptor_ < 0) return false;
    std::ofstream out(path_, std::ios::binary);
    out << text;
    out.flush();
    return out.good();
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// ../libexec/skmd/draw_prediction.py beside the folder of this executable.
std::string script() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path path = self.parent_path().parent_path() / "libexec" / "skmd" / "draw_prediction.py";
  return !error && fs::exists(path, error) ? path.string() : "";
}

}  // namespace

json plot_json(std::span<const ProfileSample> samples, const BoundsOf& bounds) {
  std::vector<domain::SampleGroup> groups = domain::grouped(samples);
  std::size_t left_out = 0;
  if (groups.size() > tuning::kMaxPanels) {
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.samples.size() > b.samples.size(); });
    left_out = groups.size() - tuning::kMaxPanels;
    groups.resize(tuning::kMaxPanels);
  }
  json panels = json::array();
  for (const domain::SampleGroup& group : groups) panels.push_back(panel_of(group, bounds(group.device)));
  return {{"version", 1}, {"left_out", left_out}, {"panels", panels}};
}

domain::Status draw(const json& plot, const std::string& file) {
  const std::string program = script();
  if (program.empty()) return domain::Error{-1, "libexec/skmd/draw_prediction.py is not there: the picture needs it"};
  const TemporaryFile data;
  if (!data.holds(plot.dump(-1, ' ', false, json::error_handler_t::replace)))
    return domain::Error{-1, "no file can be written in the folder for temporary files (TMPDIR)"};
  const ChildResult done = run_child({kPython, "-B", program, data.path(), file});
  if (!done.failure.empty())
    return domain::Error{-1, std::string(kPython) + ": " + done.failure + ": the picture needs it"};
  if (done.status == kNoMatplotlib)
    return domain::Error{-1, "matplotlib is missing, which draws the picture: install python3-matplotlib"};
  if (done.status != 0) return domain::Error{-1, "the picture " + file + " cannot be drawn"};
  return {};
}

}  // namespace skmd::profiler
