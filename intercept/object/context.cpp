// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/context.h"

#include <algorithm>
#include <utility>

#include "intercept/memory/far_links.h"
#include "intercept/object/destructors.h"
#include "intercept/object/svm.h"

namespace skmd::icd {

Context::Context(Machine& machine, std::vector<cl_context_properties> properties, ErrorCallback callback,
                 void* user_data, std::vector<Ref<VirtualDevice>> devices)
    : Object(Kind::context),
      machine_(machine),
      properties_(std::move(properties)),
      callback_(callback),
      user_data_(user_data),
      devices_(std::move(devices)),
      svm_(std::make_unique<SvmRegions>()) {}

bool Context::has(const VirtualDevice& device) const {
  return std::any_of(devices_.begin(), devices_.end(), [&](const auto& own) { return own.get() == &device; });
}

void Context::report(const std::string& text) {
  if (callback_ == nullptr) return;
  // Callbacks run in the order of posting; this one keeps the context alive until it has run.
  machine_.executor->post_callback(
      [self = Ref<Context>(this), text] { self->callback_(text.c_str(), nullptr, 0, self->user_data_); });
}

void Context::add_destructor(Destructor function, void* user_data) {
  const MutexGuard lock(mutex_);
  destructors_.emplace_back(
      [function, handle = reinterpret_cast<cl_context>(slot()), user_data] { function(handle, user_data); });
}

Context::~Context() {
  call_destructors(std::move(destructors_), machine_.executor);
  report_hosts(machine_);
  if (machine_.observer != nullptr) machine_.observer->context_ended();
}

}  // namespace skmd::icd
