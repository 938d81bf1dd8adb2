// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery.h"

#include <CL/cl_ext.h>

#include <mutex>

#include "cpu-driver/host_target.h"
#include "intercept/backend/bare_host.h"
#include "intercept/backend/native_error.h"
#include "intercept/backend/selectors.h"
#include "intercept/backend/vendor_device.h"
#include "intercept/backend/vendor_driver.h"

namespace skmd::icd {
namespace {

using domain::Error;

struct Found {
  VendorPlatform platform;
  cl_device_id id = nullptr;
  std::shared_ptr<Device> bare;  // instead of the two
};

template <class T>
T number(const VendorPlatform& platform, cl_device_id id, cl_device_info name, T otherwise) {
  T value{};
  return platform.cl->clGetDeviceInfo(id, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

std::string text(const VendorPlatform& platform, cl_device_id id, cl_device_info name) {
  std::size_t bytes = 0;
  if (platform.cl->clGetDeviceInfo(id, name, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
  std::string value(bytes, '\0');
  if (platform.cl->clGetDeviceInfo(id, name, bytes, value.data(), nullptr) != CL_SUCCESS) return {};
  return value.c_str();
}

/// Bus address as domain:bus:device.function, from the portable query or the vendors' own.
std::optional<std::string> pci_address(const VendorPlatform& platform, cl_device_id id) {
  const auto join = [](cl_uint domain, cl_uint bus, cl_uint device, cl_uint function) {
    return std::to_string(domain) + ":" + std::to_string(bus) + ":" + std::to_string(device) + "." +
           std::to_string(function);
  };
  cl_device_pci_bus_info_khr bus{};
  if (platform.cl->clGetDeviceInfo(id, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof bus, &bus, nullptr) == CL_SUCCESS) {
    return join(bus.pci_domain, bus.pci_bus, bus.pci_device, bus.pci_function);
  }
  constexpr cl_device_info kBusNv = 0x4008, kSlotNv = 0x4009, kDomainNv = 0x400A;
  cl_uint bus_nv = 0;
  cl_uint slot_nv = 0;
  if (platform.cl->clGetDeviceInfo(id, kBusNv, sizeof bus_nv, &bus_nv, nullptr) == CL_SUCCESS &&
      platform.cl->clGetDeviceInfo(id, kSlotNv, sizeof slot_nv, &slot_nv, nullptr) == CL_SUCCESS) {
    // NVIDIA's slot is device and function in one number.
    return join(number<cl_uint>(platform, id, kDomainNv, 0), bus_nv, slot_nv >> 3, slot_nv & 7);
  }
  return std::nullopt;
}

/// Semantics note, section 2: devices that no virtual device can be honest about.
std::string why_unfit(const VendorPlatform& platform, cl_device_id id, cl_device_type type) {
  if ((type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) == 0) return "is a custom device";
  const auto bits = number<cl_uint>(platform, id, CL_DEVICE_ADDRESS_BITS, 0);
  if (bits != 64) return "has addresses of " + std::to_string(bits) + " bits, 64 are needed";
  if (number<cl_bool>(platform, id, CL_DEVICE_ENDIAN_LITTLE, CL_FALSE) != CL_TRUE) return "is not little endian";
  if (number<cl_bool>(platform, id, CL_DEVICE_AVAILABLE, CL_FALSE) != CL_TRUE) return "is not available";
  if (number<cl_bool>(platform, id, CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE) != CL_TRUE) return "has no compiler";
  const std::string profile = text(platform, id, CL_DEVICE_PROFILE);
  if (profile != "FULL_PROFILE") return "has profile '" + profile + "', FULL_PROFILE is needed";
  return {};
}

DeviceKind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::cpu;
  return (type & CL_DEVICE_TYPE_GPU) != 0 ? DeviceKind::gpu : DeviceKind::accelerator;
}

/// PoCL compiles for every CPU device of its with one compiler and one builtin library.
void add_arithmetic(const VendorPlatform& platform, cl_device_id id, DeviceDescription& description) {
  const std::string driver = text(platform, id, CL_DRIVER_VERSION);
  if (description.kind == DeviceKind::cpu && platform.name == kPoclPlatform) {
    description.arithmetic = "pocl-cpu|" + driver;
    return;
  }
  description.vendor = text(platform, id, CL_DEVICE_VENDOR);
  const bool nvidia = description.vendor == "NVIDIA Corporation";
  description.overlapping_views = !nvidia;
  description.takes_ptx = nvidia;
  description.arithmetic = driver + "|" + description.vendor + "|" + description.name;
}

/// All devices of all vendors; what cannot be used goes to `left_out`.
class Survey {
 public:
  explicit Survey(std::vector<std::string>& left_out) : left_out_(left_out) {}

  void add_vendor(const IcdFile& file, const std::string& own_library) {
    auto platforms = load_vendor(file.library, own_library);
    if (!platforms) {
      left_out_.push_back(file.path + ": " + platforms.error().reason);
      return;
    }
    for (const VendorPlatform& platform : *platforms) add_platform(platform);
  }

  /// The host's processors, where no vendor's driver shows them and our code runs on them.
  void add_bare_host() {
    if (host_cpu(candidates) || !cpu::best_target()) return;
    const cpu::HostFacts facts = cpu::read_host_facts();
    auto bare = std::make_shared<BareHost>(facts);
    Candidate c;
    c.platform_index = platforms_++;
    c.platform = bare->description().platform;
    c.name = bare->description().name;
    c.compute_units = facts.processors;
    candidates.push_back(std::move(c));
    found.push_back({{}, nullptr, std::move(bare)});
  }

  std::vector<Candidate> candidates;
  std::vector<Found> found;  // one per candidate

 private:
  void add_platform(const VendorPlatform& platform) {
    // Two files may name one library.
    for (const Found& f : found) {
      if (f.platform.id == platform.id) return;
    }
    cl_uint count = 0;
    cl_int code = platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    std::vector<cl_device_id> ids(code == CL_SUCCESS ? count : 0);
    if (!ids.empty()) code = platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
    if (code != CL_SUCCESS || ids.empty()) {
      left_out_.push_back(platform.name + ": " +
                          (code == CL_SUCCESS ? "has no device" : native_failure("clGetDeviceIDs", code).reason));
      return;
    }
    for (cl_uint i = 0; i < count; ++i) add_device(platform, ids[i], i);
    ++platforms_;
  }

  void add_device(const VendorPlatform& platform, cl_device_id id, cl_uint index) {
    const auto type = number<cl_device_type>(platform, id, CL_DEVICE_TYPE, 0);
    Candidate c;
    c.platform_index = platforms_;
    c.device_index = index;
    c.platform = platform.name;
    c.name = text(platform, id, CL_DEVICE_NAME);
    c.kind = kind_of(type);
    c.compute_units = number<cl_uint>(platform, id, CL_DEVICE_MAX_COMPUTE_UNITS, 0);
    c.pci = pci_address(platform, id);
    c.unfit = why_unfit(platform, id, type);
    candidates.push_back(std::move(c));
    found.push_back({platform, id, nullptr});
  }

  std::vector<std::string>& left_out_;
  std::uint32_t platforms_ = 0;
};

/// Opens the device, or says why not.
Result<std::shared_ptr<Device>> open_vendor(const Found& found, const Candidate& candidate, bool discrete,
                                            std::shared_ptr<std::mutex> turns) {
  DeviceDescription description;
  description.name = candidate.name;
  description.platform = candidate.platform;
  description.kind = candidate.kind;
  description.backend = "icd";
  add_arithmetic(found.platform, found.id, description);
  description.discrete = discrete;
  auto device = std::make_shared<VendorDevice>(found.platform, found.id, std::move(description), std::move(turns));
  if (auto opened = device->open(); !opened) return opened.error();
  return std::shared_ptr<Device>(std::move(device));
}

/// The host CPU through our own driver, if that is wanted and its vendor's uses host memory in place, as ours does.
Result<std::shared_ptr<Device>> open_device(const Found& found, const Candidate& candidate, const Selected& selected,
                                            const std::optional<CpuDriverOptions>& cpu_driver,
                                            const std::shared_ptr<std::mutex>& turns) {
  if (found.bare != nullptr)
    return std::shared_ptr<Device>(std::make_shared<CpuDevice>(*cpu_driver, found.bare, selected.discrete));
  if (!selected.host || !cpu_driver) return open_vendor(found, candidate, selected.discrete, turns);
  auto beside = open_vendor(found, candidate, false, turns);
  if (!beside || (*beside)->description().discrete) return beside;
  return std::shared_ptr<Device>(std::make_shared<CpuDevice>(*cpu_driver, std::move(*beside), selected.discrete));
}

/// What the devices that take turns share, one entry a device; null for those that need not.
std::vector<std::shared_ptr<std::mutex>> shared_turns(const std::vector<Candidate>& candidates,
                                                      const std::vector<Selected>& devices) {
  const std::vector<std::size_t> first = taking_turns(candidates, devices);
  std::vector<std::shared_ptr<std::mutex>> turns(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (first[i] != i) {
      if (turns[first[i]] == nullptr) turns[first[i]] = std::make_shared<std::mutex>();
      turns[i] = turns[first[i]];
    }
  return turns;
}

}  // namespace

Result<Discovery> discover(const DiscoveryOptions& options) {
  Discovery discovery;
  Survey survey(discovery.left_out);
  if (const auto files = read_icd_files(options.vendors_folder); files) {
    for (const IcdFile& file : *files) survey.add_vendor(file, options.own_library);
  } else if (options.cpu_driver && !options.folder_is_named) {
    discovery.left_out.push_back(files.error().reason);
  } else {
    return files.error();
  }
  if (options.cpu_driver) survey.add_bare_host();

  auto selection = select_devices(survey.candidates, options.selectors);
  if (!selection) return selection.error();
  auto& left_out = discovery.left_out;
  left_out.insert(left_out.end(), selection->left_out.begin(), selection->left_out.end());

  domain::SpaceId next = domain::kHostSpace + 1;
  const auto turns = shared_turns(survey.candidates, selection->devices);
  for (std::size_t i = 0; i < selection->devices.size(); ++i) {
    const Selected& selected = selection->devices[i];
    const Candidate& candidate = survey.candidates[selected.candidate];
    const std::string shown = candidate.platform + ": " + candidate.name;
    auto device = open_device(survey.found[selected.candidate], candidate, selected, options.cpu_driver, turns[i]);
    if (!device) {
      left_out.push_back(shown + ": " + device.error().reason);
      continue;
    }
    const bool discrete = (*device)->description().discrete;
    if (discrete && next >= domain::kMaxSpaces) {
      left_out.push_back(shown + ": only " + std::to_string(domain::kMaxSpaces) + " memory spaces can be told apart");
      continue;
    }
    (*device)->assign_space(discrete ? next++ : domain::kHostSpace);
    discovery.devices.push_back(std::move(*device));
  }
  if (discovery.devices.empty()) {
    std::string reason = "no OpenCL device can be used";
    for (const std::string& line : left_out) reason += "; " + line;
    return Error{CL_PLATFORM_NOT_FOUND_KHR, reason};
  }
  return discovery;
}

}  // namespace skmd::icd
