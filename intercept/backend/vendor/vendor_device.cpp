// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/vendor_device.h"

#include "cpu-driver/runtime/pool.h"
#include "intercept/backend/vendor/driver_probe.h"
#include "intercept/backend/vendor/link_probe.h"
#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/pinned_memory.h"
#include "intercept/backend/vendor/stoppable_run.h"
#include "intercept/backend/vendor/trap_run.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {

using namespace tuning;

VendorDevice::VendorDevice(const VendorPlatform& platform, cl_device_id id, DeviceDescription description,
                           std::shared_ptr<Mutex> turns, std::optional<StoppableMaker> stoppable)
    : platform_(platform),
      id_(id),
      description_(std::move(description)),
      turns_(std::move(turns)),
      stoppable_(std::move(stoppable)),
      trap_room_(std::make_unique<TrapRoom>()) {
  description_.stops_inside = stoppable_.has_value() && !stoppable_->traps;
  description_.leaves_at_traps = stoppable_.has_value() && stoppable_->traps;
}

VendorDevice::~VendorDevice() {
  if (line_) line_->stop();
}

Status VendorDevice::open() {
  // GPUs and devices in other machines run by themselves and have memory of their own; their contexts are expensive,
  // and wait for the first use.
  if (description_.kind == DeviceKind::gpu || is_remote()) return {};
  auto opened = context();
  if (!opened) return opened.error();
  auto queue = NativeQueue::create(*opened, description_.name, habits());
  if (!queue) return queue.error();
  auto blocking = driver_blocks(**queue);
  if (!blocking) return blocking.error();
  description_.blocking = *blocking || turns_ != nullptr;
  if (description_.discrete) return {};
  auto in_place = uses_host_memory(**queue);
  if (!in_place) return in_place.error();
  description_.discrete = !*in_place;
  return {};
}

domain::Error VendorDevice::told(const char* call, cl_int code) const {
  domain::Error error = native_failure(call, code);
  health()->call_failed(code, description_.name + ": " + error.reason);
  return error;
}

domain::Error VendorDevice::aside_error() const {
  return {CL_OUT_OF_RESOURCES, description_.name + " was set aside after a failure"};
}

domain::Error VendorDevice::gone_error() const {
  return {CL_DEVICE_NOT_AVAILABLE, description_.name + ": its machine does not answer any more"};
}

Result<std::shared_ptr<NativeContext>> VendorDevice::context() const {
  if (health()->aside()) return aside_error();
  MutexGuard lock(mutex_);
  if (auto living = context_.lock()) {
    if (living->gone()) return gone_error();
    return living;
  }
  auto made = NativeContext::create(platform_.cl, platform_.id, id_);
  if (!made) {
    health()->call_failed(made.error().code, description_.name + ": " + made.error().reason);
    return made.error();
  }
  context_ = *made;
  if (description_.kind == DeviceKind::gpu || is_remote()) {
    kept_ = *made;
    keeps_context_.store(true, std::memory_order_release);
  }
  return made;
}

// A processor's context is made in no time, and not kept; one in another machine is left to the build.
void VendorDevice::prepare_builds() {
  if (description_.kind != DeviceKind::gpu || is_remote()) return;
  const CompilerVisit visit;  // exit() destroys the driver's static objects: making a context then crashes
  if (!visit || exit_has_begun()) return;
  (void)context();
  let_visits_end_at_exit();  // the driver may have registered handlers since
}

Result<std::vector<std::byte>> VendorDevice::info(cl_device_info name) const {
  MutexGuard lock(mutex_);
  if (const auto found = infos_.find(name); found != infos_.end()) return found->second;
  if (kept_ != nullptr && kept_->gone()) return gone_error();
  std::size_t bytes = 0;
  std::vector<std::byte> value;
  cl_int code = platform_.cl->clGetDeviceInfo(id_, name, 0, nullptr, &bytes);
  if (code == CL_SUCCESS && bytes > 0) {
    value.resize(bytes);
    code = platform_.cl->clGetDeviceInfo(id_, name, bytes, value.data(), nullptr);
  }
  Result<std::vector<std::byte>> answer = told("clGetDeviceInfo", code);
  if (code == CL_SUCCESS) answer = std::move(value);
  infos_.emplace(name, answer);
  return answer;
}

Result<std::vector<cl_image_format>> VendorDevice::image_formats(cl_mem_flags flags, cl_mem_object_type type) const {
  auto opened = context();
  if (!opened) return opened.error();
  const cl_context native = (*opened)->context;
  cl_uint count = 0;
  cl_int code = platform_.cl->clGetSupportedImageFormats(native, flags, type, 0, nullptr, &count);
  if (code != CL_SUCCESS) return told("clGetSupportedImageFormats", code);
  std::vector<cl_image_format> formats(count);
  if (count == 0) return formats;
  code = platform_.cl->clGetSupportedImageFormats(native, flags, type, count, formats.data(), nullptr);
  if (code != CL_SUCCESS) return told("clGetSupportedImageFormats", code);
  return formats;
}

Result<std::shared_ptr<NativeMemory>> VendorDevice::allocate(std::uint64_t bytes, std::byte* host) {
  if (host != nullptr && description_.discrete) {
    return domain::Error{CL_INVALID_HOST_PTR,
                         description_.name + " has memory of its own: no host pointer can be used"};
  }
  auto opened = context();
  if (!opened) return opened.error();
  // PoCL uses the pointer in place at any alignment, and its code for a vector type faults below that type's own
  // alignment, as it does without us. Our shadows are aligned; an application's own pointer has to stay in place.
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (host != nullptr ? CL_MEM_USE_HOST_PTR : 0);
  cl_int code = CL_SUCCESS;
  cl_mem mem = platform_.cl->clCreateBuffer((*opened)->context, flags, bytes, host, &code);
  if (mem == nullptr) {
    domain::Error error = told("clCreateBuffer", code);
    error.reason += " for " + std::to_string(bytes) + " bytes on " + description_.name;
    return error;
  }
  return std::shared_ptr<NativeMemory>(std::make_shared<VendorMemory>(owned_memory(*opened, mem), bytes, ImageShape{},
                                                                      nullptr, description_.overlapping_views, host));
}

Result<std::shared_ptr<NativeMemory>> VendorDevice::allocate_image(const ImageShape& shape,
                                                                   const std::shared_ptr<NativeMemory>& buffer) {
  auto opened = context();
  if (!opened) return opened.error();
  cl_image_desc desc = shape.desc;
  std::shared_ptr<MemoryHandle> view;
  if (buffer) {
    auto made = static_cast<VendorMemory&>(*buffer).view(shape.buffer_offset, shape.buffer_bytes, [this] {
      if (SubmissionQueue* const ready = ready_line_.load(std::memory_order_acquire); ready != nullptr) ready->finish();
    });
    if (!made) return made.error();
    view = std::move(*made);
  }
  desc.buffer = view ? view->mem : nullptr;
  cl_int code = CL_SUCCESS;
  cl_mem mem = platform_.cl->clCreateImage((*opened)->context, CL_MEM_READ_WRITE, &shape.format, &desc, nullptr, &code);
  if (mem == nullptr) {
    domain::Error error = told("clCreateImage", code);
    error.reason += " for " + std::to_string(desc.image_width) + " x " + std::to_string(desc.image_height) + " x " +
                    std::to_string(desc.image_depth) + " on " + description_.name;
    return error;
  }
  return std::shared_ptr<NativeMemory>(std::make_shared<VendorMemory>(owned_memory(*opened, mem), 0, shape, buffer));
}

Result<std::shared_ptr<NativeSampler>> VendorDevice::sampler(bool normalized, cl_addressing_mode addressing,
                                                             cl_filter_mode filter) {
  auto opened = context();
  if (!opened) return opened.error();
  MutexGuard lock(mutex_);
  auto& cached = samplers_[{normalized, addressing, filter}];
  if (!cached) {
    cl_int code = CL_SUCCESS;
    cl_sampler made =
        platform_.cl->clCreateSampler((*opened)->context, normalized ? CL_TRUE : CL_FALSE, addressing, filter, &code);
    if (made == nullptr) return told("clCreateSampler", code);
    cached = owned([&] { return std::make_shared<VendorSampler>(*opened, made); },
                   [&] { platform_.cl->clReleaseSampler(made); });
  }
  return cached;
}

SubmissionQueue* VendorDevice::line(domain::Error& failure) {
  if (SubmissionQueue* const ready = ready_line_.load(std::memory_order_acquire); ready != nullptr) return ready;
  auto opened = context();
  if (!opened) {
    failure = opened.error();
    return nullptr;
  }
  MutexGuard lock(mutex_);
  if (!line_) {
    auto queue = NativeQueue::create(*opened, description_.name, habits());
    if (!queue) {
      failure = queue.error();
      return nullptr;
    }
    line_ = std::make_shared<SubmissionQueue>(std::move(*queue), description_.blocking, health(), turns_);
    ready_line_.store(line_.get(), std::memory_order_release);
  }
  return line_.get();
}

Ticket VendorDevice::submit(Batch&& batch) {
  if (stoppable_ && StoppableRun::takes(batch.work()))
    return stoppable_->traps ? submit_trapping(std::move(batch)) : submit_stoppable(std::move(batch));
  return submit_native(std::move(batch));
}

Ticket VendorDevice::submit_native(Batch&& batch) {
  domain::Error failure;
  SubmissionQueue* const ready = line(failure);
  if (ready != nullptr) return ready->submit(std::move(batch));
  // Without a native queue there is no order to keep and no thread to fail on.
  const std::string reason = description_.name + ": " + failure.reason;
  health()->batch_ended(judge(failure.code, false), reason);
  if (batch.done) batch.done(BatchResult{failure.code, reason, {}, judge(failure.code, false), 0});
  health()->failure_told();
  return 0;
}

void VendorDevice::help(Ticket ticket) {
  if (SubmissionQueue* const ready = ready_line_.load(std::memory_order_acquire); ready != nullptr) ready->help(ticket);
}

void VendorDevice::tidy(Ticket ticket) {
  if (SubmissionQueue* const ready = ready_line_.load(std::memory_order_acquire); ready != nullptr) ready->tidy(ticket);
}

namespace {

/// Null where the driver gives no memory for them.
std::unique_ptr<PinnedPieces> make_pieces(const std::shared_ptr<NativeContext>& context, std::size_t pieces,
                                          std::uint64_t bytes) {
  auto memory = PinnedMemory::create(context, pieces * bytes);
  if (!memory) return nullptr;
  std::byte* const base = memory->host();
  return std::make_unique<PinnedPieces>(base, std::move(memory), pieces, bytes);
}

}  // namespace

PinnedPieces* VendorDevice::pinned_pieces() {
  if (!habits().slow_pageable || cpu::Pool::shared().threads() < 2) return nullptr;
  auto opened = context();
  if (!opened) return nullptr;
  MutexGuard lock(mutex_);
  if (!pieces_ && pins_) {
    pieces_ = make_pieces(*opened, kPinnedPieces, kPinnedPiece);
    pins_ = pieces_ != nullptr;
  }
  return pieces_.get();
}

PinnedPieces* VendorDevice::small_pieces() {
  if (!habits().slow_pageable) return nullptr;
  if (PinnedPieces* const ready = ready_small_.load(std::memory_order_acquire); ready != nullptr) return ready;
  if (small_asked_.load(std::memory_order_relaxed) > kReadsBeforePieces ||
      small_asked_.fetch_add(1) != kReadsBeforePieces)
    return nullptr;
  auto opened = context();
  if (!opened) return nullptr;
  MutexGuard lock(mutex_);
  small_pieces_ = make_pieces(*opened, kSmallPieces, kSmallPiece);  // tried once: without pieces, reads go on as before
  ready_small_.store(small_pieces_.get(), std::memory_order_release);
  return small_pieces_.get();
}

std::shared_ptr<PinnedPieces> VendorDevice::state_pieces(bool make) {
  if (!habits().slow_pageable) return nullptr;
  bool first = false;
  {
    const MutexGuard lock(mutex_);
    if (make) first = std::exchange(pins_states_, false);
    if (!first) return state_pieces_;
  }
  auto opened = context();
  if (!opened) return nullptr;
  std::shared_ptr<PinnedPieces> made = make_pieces(*opened, kStatePieces, kStatePiece);
  const MutexGuard lock(mutex_);
  state_pieces_ = std::move(made);
  return state_pieces_;
}

std::shared_ptr<void> VendorDevice::page_lock(std::byte* host, std::uint64_t bytes) {
  if (!habits().slow_pageable) return nullptr;
  auto opened = context();
  if (!opened) return nullptr;
  return lock_pages(*opened, host, bytes);
}

Result<std::shared_ptr<LinkProbe>> VendorDevice::link_probe() {
  // A CPU device has one kind of transfer only, and a blocking driver may be called by one thread only: PoCL's basic
  // device deadlocks when two threads flush its queue.
  if (description_.kind == DeviceKind::cpu || description_.blocking) return std::shared_ptr<LinkProbe>();
  auto opened = context();
  if (!opened) return opened.error();
  return native_link(*opened);
}

}  // namespace skmd::icd
