// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/discovery.h"

#include <CL/cl_ext.h>

#include <algorithm>

#include "cpu-driver/host_target.h"
#include "intercept/backend/cpu/bare_host.h"
#include "intercept/backend/discovery/candidate_of.h"
#include "intercept/backend/discovery/far_device.h"
#include "intercept/backend/discovery/selectors.h"
#include "intercept/backend/discovery/survey.h"
#include "intercept/backend/port/threads.h"
#include "intercept/backend/vendor/late_device.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/vendor_device.h"
#include "intercept/backend/vendor/vendor_driver.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

using domain::Error;

FarAnswers far_answers(const VendorPlatform& platform, cl_device_id id) {
  return {answer_text(platform, id, CL_DEVICE_NAME), answer_text(platform, id, CL_DEVICE_VENDOR),
          answer_text(platform, id, CL_DEVICE_VERSION), answer_text(platform, id, CL_DRIVER_VERSION)};
}

/// Of a device in this machine. PoCL compiles for all its CPU devices with one compiler and one builtin library.
void add_arithmetic(const VendorPlatform& platform, cl_device_id id, DeviceDescription& description) {
  const std::string driver = answer_text(platform, id, CL_DRIVER_VERSION);
  if (description.kind == DeviceKind::cpu && platform.name == kPoclPlatform) {
    description.arithmetic = "pocl-cpu|" + driver;
    return;
  }
  description.vendor = answer_text(platform, id, CL_DEVICE_VENDOR);
  const bool nvidia = description.vendor == "NVIDIA Corporation";
  description.overlapping_views = !nvidia;
  description.takes_ptx = nvidia;
  description.arithmetic = driver + "|" + description.vendor + "|" + description.name;
}

/// Opens the device, or says why not.
Result<std::shared_ptr<Device>> open_vendor(const Found& found, const Candidate& candidate, bool discrete,
                                            std::shared_ptr<Mutex> turns,
                                            const std::optional<StoppableMaker>& stoppable = std::nullopt) {
  DeviceDescription description;
  description.name = candidate.name;
  description.platform = candidate.platform;
  description.kind = candidate.kind;
  description.backend = "icd";
  description.discrete = discrete;
  if (candidate.host.empty())
    add_arithmetic(found.platform, found.id, description);
  else
    describe_far(far_answers(found.platform, found.id), candidate.host, description);
  const bool far = !candidate.host.empty();
  auto device = std::make_shared<VendorDevice>(found.platform, found.id, std::move(description), std::move(turns),
                                               far ? std::nullopt : stoppable);
  if (auto opened = device->open(); !opened) return opened.error();
  return std::shared_ptr<Device>(std::move(device));
}

/// What `found` was when its answers were kept, loaded now.
Result<Found> load_kept(const Found& found, const Candidate& candidate, const std::string& own_library) {
  const auto platforms = load_vendor(found.library, own_library);
  if (!platforms) return platforms.error();
  for (const VendorPlatform& platform : *platforms) {
    cl_uint count = 0;
    if (platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(count);
    if (count <= candidate.device_index ||
        platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS)
      continue;
    const cl_device_id id = ids[candidate.device_index];
    if (platform.name == candidate.platform && answer_text(platform, id, CL_DEVICE_NAME) == candidate.name)
      return Found{platform, id, nullptr, found.library, found.key};
  }
  return Error{CL_DEVICE_NOT_AVAILABLE, found.library + " no longer has the device " + candidate.name};
}

/// A device that is to be opened.
struct Wanted {
  Selected selected;
  const CpuVariant* variant = nullptr;  // of the host CPU; null: as the options say
};

/// The selected devices, with the host CPU's variants in its place.
std::vector<Wanted> wanted_devices(const std::vector<Selected>& devices, const std::vector<CpuVariant>& variants) {
  std::vector<Wanted> wanted;
  for (const Selected& selected : devices) {
    if (!selected.host || variants.empty()) wanted.push_back({selected});
    if (!selected.host) continue;
    for (const CpuVariant& variant : variants) {
      wanted.push_back({selected, &variant});
      wanted.back().selected.discrete = variant.discrete;
    }
  }
  return wanted;
}

/// Opens what the survey has found, and keeps what is learned on the way.
class Opener {
 public:
  Opener(const DiscoveryOptions& options, const Survey& survey) : options_(options), survey_(survey) {}

  /// The host CPU through our own driver, if that is wanted and its vendor's uses host memory in place, as ours does.
  /// `turns`: what devices of one name share that take turns; null for others.
  Result<std::shared_ptr<Device>> open(const Wanted& wanted, const std::shared_ptr<Mutex>& turns) {
    const Selected& selected = wanted.selected;
    const Found& found = survey_.found[selected.candidate];
    const Candidate& candidate = survey_.candidates[selected.candidate];
    if (found.bare != nullptr) return ours_beside(found.bare, wanted);
    const bool ours = selected.host && options_.cpu_driver;
    if (ours && found.facts != nullptr && found.facts->host == candidate.device_index)
      return ours_beside(known(found, candidate, turns), wanted);
    Found loaded = found;
    if (found.facts != nullptr) {
      auto now = load_kept(found, candidate, options_.own_library);
      if (!now) return now.error();
      loaded = std::move(*now);
    }
    if (!ours) return open_vendor(loaded, candidate, selected.discrete, turns, options_.stoppable);
    auto beside = open_vendor(loaded, candidate, false, turns);
    if (!beside || (*beside)->description().discrete) return beside;
    return ours_beside(noting(std::move(*beside), loaded, candidate), wanted);
  }

  /// Devices whose answers are to be kept.
  std::vector<std::shared_ptr<LateDevice>> late;

 private:
  std::shared_ptr<Device> ours_beside(std::shared_ptr<Device> beside, const Wanted& wanted) const {
    CpuDriverOptions options = *options_.cpu_driver;
    if (wanted.variant != nullptr) {
      options.target = wanted.variant->target;
      options.threads = wanted.variant->threads;
      options.mark = " (" + wanted.variant->isa + ")";
    }
    return std::make_shared<CpuDevice>(std::move(options), std::move(beside), wanted.selected.discrete);
  }

  /// Not loaded before it is needed.
  std::shared_ptr<Device> known(const Found& found, const Candidate& candidate, const std::shared_ptr<Mutex>& turns) {
    const auto open = [found, candidate, turns, own = options_.own_library]() -> Result<std::shared_ptr<Device>> {
      const auto now = load_kept(found, candidate, own);
      if (!now) return now.error();
      auto device = open_vendor(*now, candidate, false, turns);
      if (device && (*device)->description().discrete)
        return Error{CL_DEVICE_NOT_AVAILABLE, candidate.name + " no longer uses host memory in place"};
      return device;
    };
    late.push_back(std::make_shared<LateDevice>(found.facts->answers, open, keeper(*found.facts, found.key)));
    return late.back();
  }

  /// Loaded; what it answers is kept if that is of use to a later process.
  std::shared_ptr<Device> noting(std::shared_ptr<Device> device, const Found& found, const Candidate& candidate) {
    DriverFacts facts;
    facts.file = file_of(found.platform);
    facts.host = candidate.device_index;
    bool only_processors = true;
    for (std::size_t i = 0; i < survey_.found.size(); ++i) {
      if (survey_.found[i].library != found.library) continue;
      const Candidate& other = survey_.candidates[i];
      only_processors = only_processors && other.kind == DeviceKind::cpu && other.platform == candidate.platform;
      facts.candidates.push_back(other);
    }
    if (!options_.facts.keep || !keeps_facts(candidate.platform) || !only_processors || facts.file.empty())
      return device;
    late.push_back(std::make_shared<LateDevice>(std::move(device), keeper(facts, found.key)));
    return late.back();
  }

  LateDevice::Keep keeper(const DriverFacts& facts, const std::string& key) const {
    if (!options_.facts.keep) return {};
    return [facts, key, keep = options_.facts.keep](const KeptAnswers& now) {
      DriverFacts all = facts;
      all.answers = now;
      // The linker's cache says where libraries are; it changes when one is installed.
      keep(key, encode(all), {all.file, "/etc/ld.so.cache"});
    };
  }

  const DiscoveryOptions& options_;
  const Survey& survey_;
};

/// What is kept of the driver that `file` names. Nothing where another file may name the same one: only the library
/// itself could tell.
std::optional<DriverFacts> kept_facts(const DiscoveryOptions& options, const std::vector<IcdFile>& files,
                                      const IcdFile& file, const std::string& key) {
  if (!options.facts.find || !options.cpu_driver || file.library.empty()) return std::nullopt;
  if (!names_alone(files, file)) return std::nullopt;
  const auto text = options.facts.find(key);
  return text ? decode_driver_facts(*text) : std::nullopt;
}

/// What is known of a file's driver before one is loaded.
struct Known {
  std::string key;
  std::optional<DriverFacts> kept;
};

/// Notes that the driver of `key` is asked, until libraries are installed or removed. False if it was asked before, in
/// vain where its answers are not kept, or if nothing can be noted.
bool asked_first(const FactsStore& facts, const std::string& key) {
  if (!facts.find || !facts.keep) return false;
  const std::string asked = "asked " + key;
  if (facts.find(asked)) return false;
  facts.keep(asked, "asked", {"/etc/ld.so.cache"});
  return facts.find(asked).has_value();
}

/// The driver that another process is asked about meanwhile.
std::optional<IcdFile> asked_about(const DiscoveryOptions& options, const std::vector<IcdFile>& files,
                                   const std::vector<Known>& known) {
  if (!options.ask || !options.cpu_driver) return std::nullopt;
  auto file = worth_asking(files, options.own_library, usable_processors());
  if (!file) return std::nullopt;
  std::size_t i = 0;
  while (files[i].path != file->path) ++i;
  // What the application's loader has loaded costs nothing here.
  if (known[i].kept || is_mapped(file->library) || !asked_first(options.facts, known[i].key)) return std::nullopt;
  return file;
}

void add_vendors(const DiscoveryOptions& options, const std::vector<IcdFile>& files, Survey& survey) {
  std::vector<Known> known;
  for (const IcdFile& file : files) {
    Known& one = known.emplace_back(Known{facts_key(file.library), {}});
    one.kept = kept_facts(options, files, file, one.key);
  }
  AskedAhead ahead(asked_about(options, files, known), options.ask);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (ahead.asked(files[i])) known[i].kept = kept_facts(options, files, files[i], known[i].key);
    survey.add_vendor(files[i], options.own_library, known[i].key, std::move(known[i].kept));
  }
}

/// What the devices that take turns share, one entry a device; null for those that need not.
std::vector<std::shared_ptr<Mutex>> shared_turns(const std::vector<Candidate>& candidates,
                                                 const std::vector<Wanted>& wanted) {
  std::vector<Selected> devices;
  devices.reserve(wanted.size());
  for (const Wanted& one : wanted) devices.push_back(one.selected);
  const std::vector<std::size_t> first = taking_turns(candidates, devices);
  std::vector<std::shared_ptr<Mutex>> turns(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (first[i] != i) {
      if (turns[first[i]] == nullptr) turns[first[i]] = std::make_shared<Mutex>(LockRank::turns);
      turns[i] = turns[first[i]];
    }
  return turns;
}

/// Why something does not take part: sets of spaces (domain::SpaceMask) and of devices (domain::RoundTimes::Devices)
/// have 64 bits.
std::string no_room_for(const std::string& what) {
  return ": only " + std::to_string(domain::kMaxSpaces) + " " + what + " can be told apart";
}

}  // namespace

Result<Discovery> discover(const DiscoveryOptions& options) {
  Discovery discovery;
  Survey survey(discovery.left_out);
  if (const auto files = read_icd_files(options.vendors_folder); files) {
    add_vendors(options, *files, survey);
  } else if (options.cpu_driver && !options.folder_is_named) {
    discovery.left_out.push_back(files.error().reason);
  } else {
    return files.error();
  }
  if (options.cpu_driver) survey.add_bare_host();
  if (!options.hosts.empty()) discovery.hosts = survey.add_hosts(options.engine, options.own_library, options.hosts);

  auto selection = select_devices(survey.candidates, options.selectors, discovery.hosts);
  if (!selection) return selection.error();
  auto& left_out = discovery.left_out;
  left_out.insert(left_out.end(), selection->left_out.begin(), selection->left_out.end());

  Opener opener(options, survey);
  domain::SpaceId next = domain::kHostSpace + 1;
  const std::vector<Wanted> wanted = wanted_devices(selection->devices, options.cpu_variants);
  const auto turns = shared_turns(survey.candidates, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Candidate& candidate = survey.candidates[wanted[i].selected.candidate];
    if (discovery.devices.size() >= domain::kMaxSpaces) {
      left_out.push_back(shown(candidate) + no_room_for("devices"));
      continue;
    }
    auto device = opener.open(wanted[i], turns[i]);
    if (!device) {
      left_out.push_back(shown(candidate) + ": " + device.error().reason);
      continue;
    }
    const bool discrete = (*device)->description().discrete;
    if (discrete && next >= domain::kMaxSpaces) {
      left_out.push_back(shown(candidate) + no_room_for("memory spaces"));
      continue;
    }
    (*device)->assign_space(discrete ? next++ : domain::kHostSpace);
    discovery.devices.push_back(std::move(*device));
  }
  if (discovery.devices.empty()) {
    std::string reason = "no OpenCL device can be used";
    for (const std::string& line : left_out) reason += "; " + line;
    for (const RemoteHost& host : discovery.hosts)
      if (!host.away.empty()) reason += "; " + host.address + ": " + host.away;
    return Error{CL_PLATFORM_NOT_FOUND_KHR, reason};
  }
  discovery.settle = [late = std::move(opener.late)] {
    for (const auto& device : late) device->settle();
  };
  return discovery;
}

}  // namespace skmd::icd
