// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/eligibility.h"
#include "intercept/launch/trap_use.h"

#include <algorithm>
#include <cstring>

#include "compiler/client/client.h"
#include "intercept/machine/device_info.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

namespace {

/// A scalar device query of 8 or fewer bytes; 0 if the driver does not answer.
std::uint64_t scalar(const Device& device, cl_device_info name) {
  const auto bytes = device.info(name);
  if (!bytes || bytes->empty() || bytes->size() > sizeof(std::uint64_t)) return 0;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes->data(), bytes->size());
  return value;
}

std::string exceeds(const char* what, std::uint64_t value, std::uint64_t limit) {
  return std::string(what) + " " + std::to_string(value) + " exceeds the device's " + std::to_string(limit);
}

std::string check_arguments(const Device& device, const Launch& launch, std::uint64_t static_local) {
  std::uint64_t local = static_local;
  for (const LaunchArgument& argument : launch.arguments) {
    if (const auto* bytes = std::get_if<LocalBytes>(&argument)) local += bytes->bytes;
    if (std::holds_alternative<ImageView>(argument) && !has_images(device))
      return "the kernel takes an image and the device has no image support";
  }
  const std::uint64_t available = scalar(device, CL_DEVICE_LOCAL_MEM_SIZE);
  if (local > available) return exceeds("local memory of bytes", local, available);
  return {};
}

/// Of the memory objects among the arguments, each of which a device holds as a whole.
std::string check_memory(const Machine& machine, const Launch& launch, std::uint32_t index) {
  const Device& device = *machine.devices[index];
  const std::uint64_t largest = scalar(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  std::vector<const Storage*> roots;
  std::uint64_t bytes = 0;
  for (const LaunchArgument& argument : launch.arguments) {
    const Storage* root = nullptr;
    if (const auto* view = std::get_if<BufferView>(&argument)) root = view->storage.get();
    if (const auto* view = std::get_if<ImageView>(&argument)) root = view->storage.get();
    if (root == nullptr || std::find(roots.begin(), roots.end(), root) != roots.end()) continue;
    if (!root->is_image() && root->bytes() > largest) return exceeds("a buffer of bytes", root->bytes(), largest);
    roots.push_back(root);
    bytes += root->bytes();
  }
  const std::uint64_t room = machine.memory.limit(index);
  return bytes > room ? exceeds("memory objects of bytes", bytes, room) : std::string();
}

/// Vendors' drivers get views as sub-buffers, which begin at aligned offsets and are not empty; images over them
/// likewise. Our own CPU driver takes addresses, and on devices that use host memory in place buffers are passed by
/// address (BufferArgument::address).
std::string check_places(const Device& device, const Launch& launch) {
  if (device.description().backend == "cpu-driver") return {};
  const bool in_place = device.description().space == domain::kHostSpace;
  const std::uint64_t alignment = std::max<std::uint64_t>(scalar(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8, 1);
  const auto misplaced = [&](const Storage& storage, std::uint64_t offset) -> std::string {
    if (!storage.is_shared() || offset % alignment == 0) return {};
    return "a place " + std::to_string(offset) + " bytes into shared virtual memory is no multiple of the device's " +
           std::to_string(alignment);
  };
  for (const LaunchArgument& argument : launch.arguments) {
    std::string reason;
    if (const auto* view = std::get_if<BufferView>(&argument); view != nullptr && !in_place) {
      if (view->storage->is_shared() && view->size == 0) return "the end of shared virtual memory has no address there";
      reason = misplaced(*view->storage, view->offset);
    }
    if (const auto* image = std::get_if<ImageView>(&argument)) reason = misplaced(*image->storage, image->offset);
    if (!reason.empty()) return reason;
  }
  return {};
}

/// The kernel's program-scope variables are on home(), which has a memory of its own and so cannot follow the launch's
/// pointers.
bool leaves_its_state(const Machine& machine, const BuiltKernel& kernel) {
  return keeps_state(machine, kernel) && machine.devices[kernel.home()]->description().space != domain::kHostSpace;
}

std::string check_svm(const Machine& machine, const Launch& launch, const Device& device) {
  if (std::string reason = check_places(device, launch); !reason.empty()) return reason;
  if (!follows_svm_pointers(launch)) return {};
  if (device.description().space != domain::kHostSpace)
    return "the kernel may follow pointers in shared virtual memory, and the device has memory of its own";
  if (leaves_its_state(machine, *launch.kernel))
    return "the kernel may follow pointers in shared virtual memory, and its program-scope variables are elsewhere";
  return {};
}

/// Two views that are sub-buffers natively, and share bytes.
bool views_overlap(const Launch& launch) {
  std::vector<const BufferView*> views;
  for (const LaunchArgument& argument : launch.arguments) {
    const auto* view = std::get_if<BufferView>(&argument);
    if (view == nullptr || view->offset == 0 || view->storage->is_shared()) continue;
    for (const BufferView* other : views) {
      const bool same = other->offset == view->offset && other->size == view->size;
      if (other->storage == view->storage && !same && other->offset < view->offset + view->size &&
          view->offset < other->offset + other->size)
        return true;
    }
    views.push_back(view);
  }
  return false;
}

/// Bytes that an argument takes of what a device passes to a kernel.
std::uint64_t parameter_bytes(const LaunchArgument& argument) {
  const auto* value = std::get_if<std::vector<std::byte>>(&argument);
  return value != nullptr ? value->size() : sizeof(void*);
}

/// What a driver reports of its constant memory and argument bytes, and need not insist on. A limit of 0 is one that it
/// does not tell.
std::string check_parameters(const Device& device, const Launch& launch) {
  const auto& traits = launch.kernel->traits();
  const std::uint64_t largest_constant = scalar(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
  const std::uint64_t most_constants = scalar(device, CL_DEVICE_MAX_CONSTANT_ARGS);
  const std::uint64_t most_bytes = scalar(device, CL_DEVICE_MAX_PARAMETER_SIZE);
  std::uint64_t bytes = traits.hidden_record ? sizeof(compiler::HiddenRecord) : 0;
  std::uint64_t constants = 0;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    bytes += parameter_bytes(launch.arguments[i]);
    const bool constant =
        i < traits.parameters.size() && traits.parameters[i].kind == domain::ParameterKind::constant_pointer;
    if (!constant) continue;
    ++constants;
    const auto* view = std::get_if<BufferView>(&launch.arguments[i]);
    if (view != nullptr && largest_constant != 0 && view->size > largest_constant)
      return exceeds("a constant buffer of bytes", view->size, largest_constant);
  }
  if (most_constants != 0 && constants > most_constants)
    return exceeds("the number of constant arguments", constants, most_constants);
  if (most_bytes != 0 && bytes > most_bytes) return exceeds("the bytes of all arguments,", bytes, most_bytes);
  return {};
}

/// What the kernel's code on the device takes. Precondition: it is built there.
std::string check_kernel(const Device& device, const Launch& launch, std::uint32_t index) {
  const auto native = launch.kernel->native(index);
  if (!native) return native.error().reason;
  const KernelLimits& limits = (*native)->limits();
  const domain::Extent3& local = launch.range.local;
  const std::uint64_t items = local[0] * local[1] * local[2];
  if (items > limits.most_items) return exceeds("a work-group of items", items, limits.most_items);
  return check_arguments(device, launch, limits.local_bytes);
}

std::string check(const Machine& machine, const Launch& launch, std::uint32_t index, std::uint64_t stopped) {
  const NativeBuilds& builds = launch.kernel->builds();
  if (builds.failed(index)) return "the program is not built for it";
  const Device& device = *machine.devices[index];
  if (device.health()->aside()) return "it was set aside after a failure";
  if ((stopped >> index & 1) != 0) return "it is stopped";
  if (launch.part != nullptr && index != machine.anchor)
    return "sub-devices are parts of " + machine.devices[machine.anchor]->description().name;
  // At home is where the program-scope variables are.
  if (keeps_state(machine, *launch.kernel) && machine.devices[launch.kernel->home()]->health()->aside())
    return "the program-scope variables were lost with another device";
  if (const auto sizes = device.info(CL_DEVICE_MAX_WORK_ITEM_SIZES);
      sizes && sizes->size() >= 3 * sizeof(std::size_t)) {
    const domain::Extent3& local = launch.range.local;
    std::array<std::size_t, 3> most{};
    std::memcpy(most.data(), sizes->data(), sizeof most);
    for (std::size_t d = 0; d < 3; ++d)
      if (local[d] > most[d]) return exceeds("a local size of", local[d], most[d]);
  }
  if (std::string reason = check_svm(machine, launch, device); !reason.empty()) return reason;
  if (!device.description().overlapping_views && views_overlap(launch))
    return "sub-buffers among the arguments overlap, which its driver does not survive";
  if (!builds.built(index)) return check_arguments(device, launch, 0);
  std::string reason = check_kernel(device, launch, index);
  if (reason.empty() && machine.settings.check == CheckMode::deopt) reason = trap_use(machine, launch, index).why_not;
  return reason;
}

}  // namespace

std::uint64_t Eligibility::devices() const {
  std::uint64_t bits = 0;
  for (std::size_t device = 0; device < eligible.size(); ++device)
    if (eligible[device]) bits |= std::uint64_t{1} << device;
  return bits;
}

std::size_t Eligibility::count() const {
  return static_cast<std::size_t>(std::count(eligible.begin(), eligible.end(), true));
}

std::uint32_t Eligibility::preferred(std::uint32_t anchor) const {
  if (eligible[anchor]) return anchor;
  return static_cast<std::uint32_t>(std::find(eligible.begin(), eligible.end(), true) - eligible.begin());
}

bool Eligibility::alike(const Machine& machine) const {
  const std::string* first = nullptr;
  for (std::size_t i = 0; i < eligible.size(); ++i) {
    if (!eligible[i]) continue;
    const std::string& arithmetic = machine.devices[i]->description().arithmetic;
    if (machine.devices[i]->description().rounds_unlike_itself && count() > 1) return false;
    if (first == nullptr) first = &arithmetic;
    if (arithmetic != *first) return false;
  }
  return true;
}

bool keeps_state(const Machine& machine, const BuiltKernel& kernel) {
  if (!kernel.opaque()) return (kernel.traits().facts & domain::kFactMutableProgramScope) != 0;
  return scalar(*machine.devices[kernel.home()], CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) != 0;
}

bool follows_svm_pointers(const Launch& launch) {
  if (!launch.kernel->may_follow_pointers()) return false;
  const auto is_shared = [](const LaunchArgument& argument) {
    const auto* view = std::get_if<BufferView>(&argument);
    return view != nullptr && view->storage->is_shared();
  };
  return !launch.reached.empty() || std::any_of(launch.arguments.begin(), launch.arguments.end(), is_shared);
}

namespace {

/// Floats decide what the kernel does, and devices that may round in more than one way are left out where others
/// remain.
void leave_unsteady(const Machine& machine, const Launch& launch, Eligibility& result) {
  if (launch.kernel->opaque() || machine.settings.split_mixed ||
      (launch.kernel->traits().facts & domain::kFactFloatDecidesAddress) == 0)
    return;
  const auto unsteady = [&](std::size_t i) { return machine.devices[i]->description().rounds_unlike_itself; };
  bool others = false;
  for (std::size_t i = 0; i < result.eligible.size(); ++i) others = others || (result.eligible[i] && !unsteady(i));
  if (!others) return;
  for (std::size_t i = 0; i < result.eligible.size(); ++i) {
    if (!result.eligible[i] || !unsteady(i)) continue;
    result.eligible[i] = false;
    result.why_not[i] = "floats decide in the kernel, and the device in " + machine.devices[i]->description().host +
                        " is made of several, which may round differently";
  }
}

}  // namespace

Eligibility eligibility(const Machine& machine, const Launch& launch, std::uint64_t stopped) {
  Eligibility result;
  const NativeBuilds& builds = launch.kernel->builds();
  bool anchor_fits = false;
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    const bool pending = builds.pending(i);  // before the rest is looked at: a build may end meanwhile
    std::string reason = check(machine, launch, i, stopped);
    if (reason.empty()) {
      reason = check_memory(machine, launch, i);
      result.memory_short = result.memory_short || !reason.empty();
    }
    if (i == machine.anchor) anchor_fits = reason.empty();
    if (reason.empty()) reason = check_parameters(*machine.devices[i], launch);
    if (pending && (reason.empty() || (i == machine.anchor && anchor_fits))) {
      result.pending.push_back(i);
      reason = "its program is still being built";
      if (i == machine.anchor) anchor_fits = false;
    }
    result.eligible.push_back(reason.empty());
    result.why_not.push_back(std::move(reason));
  }
  // PoCL takes constant buffers of any size, and applications rely on it: the anchor's driver answers for itself.
  if (anchor_fits && result.count() == 0) {
    result.eligible[machine.anchor] = true;
    result.why_not[machine.anchor].clear();
  }
  leave_unsteady(machine, launch, result);
  return result;
}

Eligibility once_built(const Machine& machine, const Launch& launch, Eligibility then) {
  if (then.pending.empty()) return then;
  for (const std::uint32_t device : then.pending)
    if (!is_stopped(machine, device)) launch.kernel->builds().wait(device);
  const Eligibility now = eligibility(machine, launch);
  for (const std::uint32_t device : then.pending) then.eligible[device] = now.eligible[device];
  then.pending.clear();
  return then;
}

void wait_for_home(const BuiltKernel& kernel) {
  if (kernel.opaque() || (kernel.traits().facts & domain::kFactMutableProgramScope) != 0) (void)kernel.home();
}

std::optional<std::uint32_t> awaited(const Machine& machine, const Launch& launch, const Eligibility& eligible) {
  if (eligible.pending.empty()) return std::nullopt;
  const auto pending = [&](std::uint32_t device) {
    return std::find(eligible.pending.begin(), eligible.pending.end(), device) != eligible.pending.end();
  };
  const auto& order = launch.kernel->builds().order();
  const auto first = std::find_if(order.begin(), order.end(), pending);
  if (eligible.count() == 0) return *first;
  const bool spinning = machine.settings.policy.mode != domain::PartitionMode::single && !launch.kernel->opaque() &&
                        domain::forbids_split(launch.kernel->traits(), true) == domain::NotSplit::spinning;
  if (!spinning) return std::nullopt;
  for (std::uint32_t i = 0; i < machine.devices.size(); ++i) {
    if (machine.devices[i]->description().kind != DeviceKind::gpu) continue;
    if (pending(i)) return i;
    if (eligible.eligible[i]) return std::nullopt;
  }
  return first == order.begin() ? std::optional(*first) : std::nullopt;
}

std::optional<domain::NotSplit> confined(const Machine& machine, const Launch& launch, const Eligibility& eligible) {
  if (machine.settings.policy.mode == domain::PartitionMode::single) return domain::NotSplit::mode_single;
  if (launch.kernel->opaque()) return domain::NotSplit::opaque_program;
  if (const auto fact =
          domain::forbids_split(launch.kernel->traits(), machine.settings.split_mixed || eligible.alike(machine)))
    return fact;
  if (launch.range.group_total() == 1) return domain::NotSplit::one_group;
  if (eligible.count() == 1) return domain::NotSplit::one_device_eligible;
  return std::nullopt;
}

}  // namespace skmd::icd
