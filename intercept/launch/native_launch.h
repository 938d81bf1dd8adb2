// SPDX-License-Identifier: Apache-2.0
// A launch as ops of the device port: its arguments on one device, and one native launch per box.
#pragma once

#include <memory>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

using NativeArguments = std::shared_ptr<const std::vector<NativeArgument>>;

/// What all boxes of a launch have in common on one device.
struct NativeCall {
  std::shared_ptr<NativeKernel> kernel;
  NativeArguments arguments;
};

/// The image that a kernel is given, when `root` holds its bytes on `device`: the root itself, or an image over it.
Result<std::shared_ptr<NativeMemory>> image_of(const ImageView& view, Device& device,
                                               const std::shared_ptr<NativeMemory>& root);

/// The launch's kernel and arguments as native objects of machine.devices[device].
Result<NativeCall> native_call(const Machine& machine, const Launch& launch, std::uint32_t device);

/// What a device's other forms of the kernel are asked by (Device::yields(), Device::trap_form()).
YieldNeeds yield_needs(const Launch& launch);

/// Appends one RunOp per box of `span`, in order.
void append_span(const Launch& launch, const NativeCall& call, const domain::GroupSpan& span, std::vector<Op>& ops);

/// The same for a slice, with what images of devices in host memory need around it.
Status append_runs(const Launch& launch, const LaunchView& view, const SliceWork& slice, const NativeCall& call,
                   std::vector<Op>& ops);

/// True until mark_used() was called for this kernel, local size and device, for spans with or without an offset apart:
/// a vendor may compile then.
/// Thread-safe: of several threads that ask before one of them marks, each is told so.
bool is_first_use(const Launch& launch, const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span);
/// To be called for each launch that is submitted. Thread-safe.
void mark_used(const Launch& launch, const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span);

}  // namespace skmd::icd
