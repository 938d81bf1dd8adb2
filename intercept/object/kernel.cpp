// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/kernel.h"

#include <algorithm>
#include <numeric>

#include "intercept/backend/port/code_form.h"
#include "intercept/machine/device_info.h"
#include "intercept/machine/knowledge.h"
#include "intercept/object/build_queue.h"
#include "intercept/object/launch.h"
#include "intercept/object/object_constants.h"
#include "intercept/object/program.h"
#include "intercept/object/svm.h"

namespace skmd::icd {
namespace {

using namespace tuning;

using domain::Error;
using domain::ParameterKind;

std::string argument_name(const domain::KernelTraits& traits, size_t index) {
  const std::string& name = traits.parameters[index].name;
  return "argument " + std::to_string(index) + (name.empty() ? "" : " (" + name + ")") + " of " + traits.name;
}

}  // namespace

std::uint64_t kernel_id(const std::string& program_hash, const std::string& name) {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::string* text : {&program_hash, &name})
    for (const char c : *text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string form_of(const Machine& machine, const domain::KernelTraits& traits, std::uint32_t device) {
  const std::string& target = machine.devices[device]->description().code_target;
  if (machine.code_ahead && !target.empty()) return code_form(target);
  return traits.hidden_record ? "ready" : "whole";
}

void expect_kernels(const Machine& machine, const std::string& program_hash,
                    const std::vector<domain::KernelTraits>& kernels) {
  if (machine.knowledge == nullptr) return;
  const domain::PartitionMode mode = machine.settings.policy.mode;
  std::uint64_t asked = mode == domain::PartitionMode::automatic ? machine.settings.profiled : ~std::uint64_t{0};
  bool rounds = mode == domain::PartitionMode::automatic && machine.settings.remembers_rounds;
  if (!domain::goes_by_times(mode) || machine.devices.size() < 2) {
    asked = 0;
    rounds = false;
  }
  const std::size_t devices = asked != 0 || rounds ? machine.devices.size() : 0;
  for (const domain::KernelTraits& traits : kernels) {
    std::vector<Knowledge::Place> places(devices);
    for (std::uint32_t device = 0; device < devices; ++device)
      if (const bool decides = (asked >> device & 1u) != 0; decides || rounds)
        places[device] = Knowledge::KernelOnDevice{
            {program_hash, traits.name, form_of(machine, traits, device)}, machine.profile_keys[device], decides};
    machine.knowledge->expect(kernel_id(program_hash, traits.name), std::move(places));
  }
}

void BuiltKernel::trapped_on(std::uint32_t index) {
  const MutexGuard lock(mutex_);
  if (trapped_launches_.empty()) trapped_launches_.resize(machine_.devices.size());
  if (++trapped_launches_[index] >= kTrappedLaunches)
    traps_often_.fetch_or(std::uint64_t{1} << index, std::memory_order_release);
}

BuiltKernel::BuiltKernel(Machine& machine, domain::KernelTraits traits, bool opaque, std::string program_hash,
                         std::shared_ptr<NativeBuilds> builds, std::shared_ptr<HostCode> code,
                         std::shared_ptr<MergeProgram> merges)
    : machine_(machine),
      traits_(std::move(traits)),
      opaque_(opaque),
      program_hash_(std::move(program_hash)),
      id_(kernel_id(program_hash_, traits_.name)),
      builds_(std::move(builds)),
      code_(std::move(code)),
      merges_(std::move(merges)),
      kernels_(builds_->order().size()) {}

BuiltKernel::BuiltKernel(Machine& machine, domain::KernelTraits traits, bool opaque, std::string program_hash,
                         std::vector<std::shared_ptr<NativeProgram>> native, std::shared_ptr<HostCode> code,
                         std::shared_ptr<MergeProgram> merges)
    : BuiltKernel(machine, std::move(traits), opaque, std::move(program_hash),
                  std::make_shared<NativeBuilds>(std::move(native), machine.anchor), std::move(code),
                  std::move(merges)) {}

cpu::MergeFunction BuiltKernel::merge_function() const {
  return code_ != nullptr && traits_.merge_function ? code_->merge_function(traits_.name) : cpu::MergeFunction{};
}

std::shared_ptr<NativeKernel> BuiltKernel::merge_kernel(std::uint32_t index) const {
  if (merges_ == nullptr || !traits_.merge_function) return nullptr;
  return merges_->kernel(*machine_.devices[index], index, traits_.name);
}

Result<std::shared_ptr<NativeKernel>> BuiltKernel::native(std::uint32_t index) {
  const MutexGuard lock(mutex_);
  if (kernels_[index] != nullptr) return kernels_[index];
  const auto program = builds_->program(index);
  if (program == nullptr)
    return Error{CL_INVALID_PROGRAM_EXECUTABLE,
                 traits_.name + ": the program is not built on " + machine_.devices[index]->description().name};
  auto made = machine_.devices[index]->kernel(program, traits_.name);
  if (made) kernels_[index] = *made;
  return made;
}

std::uint32_t BuiltKernel::home() const { return builds_->first_built().value_or(builds_->order().back()); }

void BuiltKernel::launched() {
  if (!builds_->wants_more() || machine_.builds == nullptr) return;
  const std::uint32_t before = launches_.fetch_add(1, std::memory_order_relaxed);
  const bool shared = before == 0 && machine_.knowledge != nullptr && machine_.knowledge->knows_shares_of(id_);
  if (before == 1 || shared) machine_.builds->hurry(*builds_);
}

bool BuiltKernel::may_follow_pointers() const {
  return opaque_ || (traits_.facts & (domain::kFactPointerInMemory | domain::kFactDeviceSpecificCode)) != 0;
}

bool BuiltKernel::takes_value(std::uint32_t index, std::uint64_t bytes) {
  {
    const MutexGuard lock(mutex_);
    if (taken_bytes_.size() > index && taken_bytes_[index] == bytes) return true;
  }
  const std::uint32_t asked = home();
  const auto kernel = native(asked);
  if (kernel && !machine_.devices[asked]->takes_value(**kernel, index, bytes)) return false;
  const MutexGuard lock(mutex_);
  taken_bytes_.resize(traits_.parameters.size());
  taken_bytes_[index] = bytes;
  return true;
}

bool BuiltKernel::takes_group(std::uint64_t items, std::uint64_t& limit) {
  const auto let_through = [&] { return let_through_.load(std::memory_order_relaxed); };
  if (items <= let_through()) return true;
  if (machine_.info != nullptr && builds_->pending(builds_->order().front())) {
    std::uint64_t most = 0;
    for (std::uint32_t i = 0; i < kernels_.size(); ++i) most = std::max(most, limit_of(i, &KernelLimits::most_items));
    if (items <= std::min<std::uint64_t>(most, machine_.info->limits().work_group_size)) {
      for (std::uint64_t known = let_through(); known < items;)
        let_through_.compare_exchange_weak(known, items, std::memory_order_relaxed);
      return true;
    }
  }
  limit = std::max(group_limit(&KernelLimits::most_items, most_items_), let_through());
  return items <= limit;
}

BuiltKernel::Told BuiltKernel::told() {
  Told told;
  told.work_group_size = group_limit(&KernelLimits::work_group_size, work_group_limit_);
  {
    const MutexGuard lock(mutex_);
    if (told_) return *told_;
  }
  told.local_bytes = traits_.local_bytes;
  for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
    if (!built_on(i)) continue;
    const auto kernel = native(i);
    if (!kernel) continue;
    const KernelLimits& limits = (*kernel)->limits();
    if (limits.preferred_multiple != 0)
      told.preferred_multiple = std::lcm(told.preferred_multiple, limits.preferred_multiple);
    told.local_bytes = std::max(told.local_bytes, limits.local_bytes);
    told.private_bytes = std::max(told.private_bytes, limits.private_bytes);
  }
  told.preferred_multiple = std::min(told.preferred_multiple, told.work_group_size);
  const MutexGuard lock(mutex_);
  // A driver that did not answer may do so the next time.
  if (!told_ && work_group_limit_.load(std::memory_order_relaxed) != 0) told_ = told;
  return told_.value_or(told);
}

std::uint64_t BuiltKernel::limit_of(std::uint32_t index, std::uint64_t KernelLimits::*field) {
  if (!built_on(index)) return 0;
  const auto kernel = native(index);
  return kernel ? (*kernel)->limits().*field : 0;
}

std::uint64_t BuiltKernel::group_limit(std::uint64_t KernelLimits::*field, std::atomic<std::uint64_t>& cached) {
  if (const std::uint64_t known = cached.load(std::memory_order_relaxed); known != 0) return known;
  const std::uint32_t anchored = home();  // the anchor, unless it never will be built
  std::vector<std::uint64_t> limits(kernels_.size());
  for (std::uint32_t i = 0; i < limits.size(); ++i) limits[i] = limit_of(i, field);
  std::uint64_t anchor = limits[anchored];
  // A driver that does not answer now may answer the next time; until then the others decide.
  const bool answered = anchor != 0;
  if (!answered && !limits.empty()) anchor = *std::max_element(limits.begin(), limits.end());
  std::uint64_t limit = anchor != 0 ? anchor : UINT64_MAX;  // no device answers: the launch will say why
  for (const std::uint64_t other : limits) {
    if (other != 0 && other * kFarBelow >= anchor) limit = std::min(limit, other);
  }
  if (machine_.info != nullptr) limit = std::min(limit, machine_.info->limits().work_group_size);
  const auto& required = traits_.required_local;
  limit = std::max<std::uint64_t>({limit, std::uint64_t{required[0]} * required[1] * required[2], 1});
  std::uint64_t before = 0;
  // Two threads may have seen different devices built: one answer stands.
  if (answered && !cached.compare_exchange_strong(before, limit, std::memory_order_relaxed)) return before;
  return limit;
}

Kernel::Kernel(Ref<Program> program, std::shared_ptr<BuiltKernel> built)
    : Object(Kind::kernel),
      program_(std::move(program)),
      built_(std::move(built)),
      arguments_(built_->traits().parameters.size()) {
  program_->attach_kernel();
}

Kernel::~Kernel() { program_->detach_kernel(); }

Ref<Kernel> Kernel::clone() const {
  auto copy = make_object<Kernel>(program_, built_);
  const MutexGuard lock(kept_->mutex());
  copy->arguments_ = arguments_;
  copy->svm_pointers_ = svm_pointers_;
  return copy;
}

std::uint64_t Kernel::local_argument_bytes() const {
  const MutexGuard lock(kept_->mutex());
  std::uint64_t bytes = 0;
  for (const Argument& argument : arguments_) bytes += argument.form == Form::local ? argument.local_bytes : 0;
  return bytes;
}

Memory* Kernel::suitable_memory(size_t index) const {
  const ParameterKind kind = built_->traits().parameters[index].kind;
  auto* memory = static_cast<Memory*>(look_up(arguments_[index].handle, Kind::memory));
  if (memory == nullptr || &memory->context() != program_->context().get()) return nullptr;
  return kind == ParameterKind::other || (kind == ParameterKind::image) == memory->is_image() ? memory : nullptr;
}

std::optional<BufferView> Kernel::svm_view(size_t index, Held& held) const {
  auto place = program_->context()->svm().find(arguments_[index].handle);
  if (!place.memory) return std::nullopt;
  BufferView view{place.memory->storage(), place.offset, place.memory->size() - place.offset, place.offset};
  held.push_back(std::move(place.memory));
  return view;
}

std::vector<std::shared_ptr<Storage>> Kernel::reached(Held& held) const {
  std::vector<std::shared_ptr<Storage>> storages;
  if (svm_pointers_.empty() || !built_->may_follow_pointers()) return storages;
  for (const void* const pointer : svm_pointers_) {
    auto place = program_->context()->svm().find(pointer);
    if (!place.memory) continue;  // freed since: no kernel may reach it
    if (std::find(storages.begin(), storages.end(), place.memory->storage()) == storages.end())
      storages.push_back(place.memory->storage());
    held.push_back(std::move(place.memory));
  }
  return storages;
}

void Kernel::set_svm_pointers(std::vector<const void*> pointers) {
  const MutexGuard lock(kept_->mutex());
  svm_pointers_ = std::move(pointers);
}

Status Kernel::freeze_argument(size_t index, LaunchArgument& out, Held& held) const {
  const Argument& argument = arguments_[index];
  switch (argument.form) {
    case Form::unset:
      return Error{CL_INVALID_KERNEL_ARGS, argument_name(built_->traits(), index) + " is not set"};
    case Form::null:
      out.emplace<NullPointer>();
      return {};
    case Form::local:
      out.emplace<LocalBytes>().bytes = argument.local_bytes;
      return {};
    case Form::value:
      out.emplace<std::vector<std::byte>>(argument.value);
      return {};
    case Form::sampler: {
      const auto* sampler = static_cast<Sampler*>(look_up(argument.handle, Kind::sampler));
      if (sampler == nullptr)
        return Error{CL_INVALID_SAMPLER, argument_name(built_->traits(), index) + ": the sampler was released"};
      out = SamplerView{sampler->normalized(), sampler->addressing(), sampler->filter()};
      return {};
    }
    case Form::svm: {
      auto view = svm_view(index, held);
      if (!view)
        return Error{CL_INVALID_KERNEL_ARGS,
                     argument_name(built_->traits(), index) + ": the shared virtual memory was freed"};
      out = std::move(*view);
      return {};
    }
    case Form::memory:
      break;
  }
  const Memory* const memory = suitable_memory(index);
  if (memory == nullptr)
    return Error{CL_INVALID_MEM_OBJECT, argument_name(built_->traits(), index) + ": the memory object was released"};
  if (memory->is_image()) {
    auto& view = out.emplace<ImageView>(
        ImageView{memory->storage(), memory->flags(), nullptr, memory->offset(), memory->size()});
    if (memory->parent()) view.over_buffer = std::make_shared<ImageShape>(memory->image());
  } else {
    out = BufferView{memory->storage(), memory->offset(), memory->size()};
  }
  return {};
}

Result<Kernel::Frozen> Kernel::freeze() const {
  Held held;
  Frozen out;  // outlives the lock: it may hold the last reference to a memory object, whose callbacks run then
  const MutexGuard lock(kept_->mutex());
  out.arguments.resize(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (const Status status = freeze_argument(i, out.arguments[i], held); !status) return status.error();
  }
  out.reached = reached(held);
  return out;
}

namespace {

/// Of the same memory object: two views of the same bytes live no longer than their own launches.
bool same_owner(const std::shared_ptr<Storage>& a, const std::shared_ptr<Storage>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

/// Images and samplers, which are few, are frozen anew each time.
bool Kernel::unchanged(size_t index, const LaunchArgument& frozen, Held& held) const {
  const Argument& argument = arguments_[index];
  switch (argument.form) {
    case Form::memory: {
      const auto* view = std::get_if<BufferView>(&frozen);
      const Memory* const memory = suitable_memory(index);
      return view != nullptr && memory != nullptr && !memory->is_image() &&
             same_owner(view->storage, memory->storage());
    }
    case Form::svm: {
      const auto* view = std::get_if<BufferView>(&frozen);
      const auto now = svm_view(index, held);
      return view != nullptr && now && *view == *now;
    }
    case Form::value: {
      const auto* value = std::get_if<std::vector<std::byte>>(&frozen);
      return value != nullptr && *value == argument.value;
    }
    case Form::local: {
      const auto* local = std::get_if<LocalBytes>(&frozen);
      return local != nullptr && local->bytes == argument.local_bytes;
    }
    case Form::null:
      return std::holds_alternative<NullPointer>(frozen);
    default:
      return false;
  }
}

bool Kernel::unchanged(const Launch& launch, Held& held) const {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (!unchanged(i, launch.arguments[i], held)) return false;
  return reached(held) == launch.reached;
}

std::shared_ptr<const Launch> Kernel::repeated(const domain::NdRange& range, const Device* part) const {
  Held held;
  const MutexGuard lock(kept_->mutex());
  return kept_->find([&](const Launch& launch) {
    return launch.range == range && launch.part.get() == part && unchanged(launch, held);
  });
}

void Kernel::remember(const std::shared_ptr<const Launch>& launch) {
  std::shared_ptr<const Launch> before;  // dies without the mutex
  Held held;
  const MutexGuard lock(kept_->mutex());
  if (!unchanged(*launch, held)) return;  // the arguments' objects are those that will tell
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].form == Form::memory) suitable_memory(i)->used_by(kept_);
  for (const Ref<Memory>& allocation : held) allocation->used_by(kept_);
  before = kept_->add(launch);
}

}  // namespace skmd::icd
