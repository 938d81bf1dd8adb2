// SPDX-License-Identifier: Apache-2.0
// skmd-profile predict: how long a launch would take that was never made, and how it would be divided.
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>

#include "partitioner/model/what_if.h"
#include "partitioner/plan/completion_curves.h"
#include "profiler/commands/calibrated.h"
#include "profiler/commands/command.h"

namespace skmd::profiler {
namespace {

using nlohmann::json;

struct Options {
  std::string kernel, global, local, groups;
  std::vector<std::string> scalars, bytes;
};

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Two numbers with `between` between them.
template <class A, class B>
bool parse_pair(const std::string& text, char between, A& first, B& second) {
  const std::size_t at = text.find(between);
  if (at == std::string::npos) return false;
  return parse(std::string_view(text).substr(0, at), first) && parse(std::string_view(text).substr(at + 1), second);
}

domain::Error malformed(const std::string& option, const std::string& text, const std::string& form) {
  return {-1, option + " " + text + " is not of the form " + form};
}

domain::Status parse_sizes(const std::string& option, const std::string& text, std::vector<std::uint64_t>& sizes) {
  for (const std::string& part : parts_of(text)) {
    std::uint64_t size = 0;
    if (!parse(part, size)) return malformed(option, text, "X, X,Y or X,Y,Z");
    sizes.push_back(size);
  }
  return {};
}

domain::Result<domain::LaunchChange> change_of(const Options& options) {
  domain::LaunchChange change;
  if (const auto read = parse_sizes("--global", options.global, change.global); !read) return read.error();
  if (const auto read = parse_sizes("--local", options.local, change.local); !read) return read.error();
  for (const std::string& text : options.scalars) {
    domain::ScalarArgument& scalar = change.scalars.emplace_back();
    if (!parse_pair(text, '=', scalar.index, scalar.value)) return malformed("--arg", text, "INDEX=INTEGER");
  }
  for (const std::string& text : options.bytes) {
    domain::BufferArgument& buffer = change.buffers.emplace_back();
    if (!parse_pair(text, '=', buffer.index, buffer.bytes)) return malformed("--bytes", text, "INDEX=BYTES");
  }
  if (!options.groups.empty()) {
    domain::GroupSpan span;
    if (!parse_pair(options.groups, ':', span.first, span.last))
      return malformed("--groups", options.groups, "FIRST:LAST");
    change.groups = span;
  }
  return change;
}

std::string extent(const domain::Extent3& sizes, std::uint32_t dims) {
  std::string text;
  for (std::uint32_t d = 0; d < dims && d < 3; ++d) text += (d > 0 ? "x" : "") + std::to_string(sizes[d]);
  return text;
}

struct Answer {
  std::vector<domain::DeviceTimes> devices;
  std::vector<std::string> sources;  // of each device
  domain::Outlook outlook;
  std::uint64_t groups = 0;
  std::string why;
};

std::string why_of(const domain::KnownKernel& known, const domain::ProfileSample& launch,
                   const domain::WorkEstimate& work, const domain::Outlook& outlook,
                   const std::vector<std::string>& unknown_devices) {
  const domain::NdRange &asked = launch.range, &largest = known.largest->range;
  const bool same =
      asked == largest && launch.scalars == known.largest->scalars && launch.buffers == known.largest->buffers;
  std::string why = extent(asked.global, asked.work_dim) + " work-items in groups of " +
                    extent(asked.local, asked.work_dim) +
                    (same ? ", the largest known launch"
                          : ", otherwise as the largest known launch, of " + extent(largest.global, largest.work_dim));
  if (!work.how.empty()) why += "; " + work.how;
  std::size_t taking_part = 0;
  for (const std::uint64_t groups : outlook.automatic.groups) taking_part += groups > 0 ? 1 : 0;
  if (taking_part == 1) why += "; auto keeps it whole: " + std::string(domain::name(outlook.reason));
  if (known.largest->data_decides_work)
    why += "; values in memory decide how long its groups work, so that other data may take another time";
  why += "; times are the kernel's, without moving or joining bytes";
  if (!known.left_out.empty()) why += "; " + known.left_out;
  for (const std::string& device : unknown_devices) why += "; it was never measured on " + device;
  return why;
}

json plan_json(const domain::PlanOutlook& plan) { return {{"groups", plan.groups}, {"seconds", plan.seconds}}; }

json document_of(const Answer& answer) {
  json devices = json::array();
  for (std::size_t d = 0; d < answer.devices.size(); ++d)
    devices.push_back({{"device", answer.devices[d].device.name},
                       {"seconds", answer.outlook.devices[d].seconds},
                       {"low", answer.outlook.devices[d].low},
                       {"high", answer.outlook.devices[d].high},
                       {"source", answer.sources[d]}});
  return {{"version", 1},
          {"groups", answer.groups},
          {"devices", devices},
          {"plans",
           {{"auto", plan_json(answer.outlook.automatic)},
            {"linear", plan_json(answer.outlook.linear)},
            {"paper", answer.outlook.paper ? plan_json(*answer.outlook.paper) : json(nullptr)},
            {"single", plan_json(answer.outlook.single)}}},
          {"why", answer.why}};
}

void print_plan(const char* name, const domain::PlanOutlook& plan, const Answer& answer) {
  std::printf("  %-7s %.4g s:", name, plan.seconds);
  const char* between = " ";
  for (std::size_t d = 0; d < plan.groups.size(); ++d) {
    if (plan.groups[d] == 0) continue;
    std::printf("%s%llu on %s", between, static_cast<unsigned long long>(plan.groups[d]),
                answer.devices[d].device.name.c_str());
    between = ", ";
  }
  std::printf("\n");
}

void print_text(const Answer& answer, const std::string& kernel) {
  std::printf("%s, %llu groups: %s\n", kernel.c_str(), static_cast<unsigned long long>(answer.groups),
              answer.why.c_str());
  for (std::size_t d = 0; d < answer.devices.size(); ++d) {
    const domain::TimePrediction& time = answer.outlook.devices[d];
    std::printf("  %s: %.4g s, four times in five %.4g to %.4g (%s)\n", answer.devices[d].device.name.c_str(),
                time.seconds, time.low, time.high, answer.sources[d].c_str());
  }
  print_plan("auto", answer.outlook.automatic, answer);
  print_plan("linear", answer.outlook.linear, answer);
  if (answer.outlook.paper) print_plan("paper", *answer.outlook.paper, answer);
  print_plan("single", answer.outlook.single, answer);
}

/// Names of devices that have samples of other kernels only.
std::vector<std::string> never_measured(const std::vector<KernelOnDevice>& contents, const Answer& answer) {
  std::vector<std::string> names;
  for (const KernelOnDevice& entry : contents) {
    const auto is_it = [&](const domain::DeviceTimes& device) { return device.device.name == entry.device.name; };
    const auto known = std::find(names.begin(), names.end(), entry.device.name);
    if (known == names.end() && std::none_of(answer.devices.begin(), answer.devices.end(), is_it))
      names.push_back(entry.device.name);
  }
  return names;
}

void add_devices(const domain::KnownKernel& known, const std::vector<KernelOnDevice>& contents, const BoundsOf& bounds,
                 Answer& answer) {
  for (const domain::SampleGroup& group : known.devices) {
    if (answer.devices.size() == domain::kMaxLines) break;
    std::vector<domain::Point> points;
    for (const domain::ProfileSample* sample : group.samples) points.push_back(domain::point_of(*sample));
    auto model = domain::fit(points, {domain::ModelKind::arctan, group.device.units, bounds(group.device)});
    if (!model) continue;
    const auto entry = std::find_if(contents.begin(), contents.end(), [&](const KernelOnDevice& other) {
      return other.kernel == group.kernel && other.device == group.device;
    });
    answer.devices.push_back({group.device, std::move(*model)});
    answer.sources.push_back(entry == contents.end() ? "measured" : entry->origin);
  }
}

int bad_usage(const std::string& reason) {
  std::fprintf(stderr, "skmd-profile: predict: %s\n", reason.c_str());
  return kBadUsage;
}

int run(const ProfileOptions& general, const Options& options) {
  const auto change = change_of(options);
  if (!change) return bad_usage(change.error().reason);
  const auto database = open_database(general, ProfileDatabase::Mode::read_only);
  if (!database) return fail(general, database.error().reason);
  const auto contents = database->contents();
  if (!contents) return fail(general, contents.error().reason);
  SampleFilter filter;
  filter.kernel = options.kernel;
  const auto samples = database->samples(filter);
  if (!samples) return fail(general, samples.error().reason);
  const domain::KnownKernel known = domain::known_kernel(*samples);
  if (known.largest == nullptr) {
    std::vector<std::string> names;
    for (const KernelOnDevice& entry : *contents)
      if (entry.samples > 0) names.push_back(entry.kernel.name);
    return fail(general, samples->empty() ? unknown("kernel", options.kernel, names)
                                          : "kernel \"" + options.kernel + "\" has no samples but first uses");
  }
  const auto launch = domain::changed(*known.largest, *change);
  if (!launch && launch.error().code == domain::kNoSuchArgument) return fail(general, launch.error().reason);
  if (!launch) return bad_usage(launch.error().reason);
  const domain::WorkEstimate work = domain::estimate_work(known.samples, *launch);
  const auto bounds = stored_bounds(*database);
  if (!bounds) return fail(general, bounds.error().reason);
  Answer answer;
  add_devices(known, *contents, *bounds, answer);
  if (answer.devices.empty()) return fail(general, "no sample of \"" + options.kernel + "\" can be fitted to");
  answer.groups = launch->span.size();
  answer.outlook = domain::outlook(answer.devices, *launch, work);
  answer.why = why_of(known, *launch, work, answer.outlook, never_measured(*contents, answer));
  if (known.devices.size() > domain::kMaxLines)
    answer.why += "; of " + std::to_string(known.devices.size()) + " devices only the first " +
                  std::to_string(domain::kMaxLines) + " are asked";
  if (general.as_json)
    print(document_of(answer));
  else
    print_text(answer, options.kernel);
  return kDone;
}

}  // namespace

std::function<int()> make_predict(CLI::App& app, const ProfileOptions& general) {
  app.description(
      "how long a launch would take on each known device, and how it would be divided; what is not given is "
      "that of the largest known launch");
  const auto options = std::make_shared<Options>();
  app.add_option("--kernel", options->kernel, "the kernel's name")->required();
  app.add_option("--global", options->global, "work-items in each dimension: X, X,Y or X,Y,Z");
  app.add_option("--local", options->local, "work-items of a group in each dimension");
  app.add_option("--arg", options->scalars, "INDEX=INTEGER: the value of an integer argument");
  app.add_option("--bytes", options->bytes, "INDEX=BYTES: the size of a buffer argument");
  app.add_option("--groups", options->groups, "FIRST:LAST: only these groups, LAST not included");
  return [&general, options] { return run(general, *options); };
}

}  // namespace skmd::profiler
