// SPDX-License-Identifier: Apache-2.0
// One program on every device, through the vendors' own compilers: which builds are waited for, and which follow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "intercept/object/native_builds.h"
#include "intercept/object/program.h"

namespace skmd::icd {

/// What vendors build: one text, or several units that the vendor links itself.
struct VendorInput {
  std::string text;
  std::string options;
  std::vector<SourceUnit> units;  // not empty: build_linked of these instead of `text`, with `options` for the link
  const std::vector<VendorBlob>* blobs = nullptr;  // tried first, copied; a stale or refused one is no error
};

/// What vendors compile of units.
std::vector<SourceUnit> source_units(const std::vector<Unit>& units);

/// Which devices' code a program has to have before its build ends.
enum class Needed : std::uint8_t {
  all,    // modes that promise every device its share
  first,  // of the order, and no other until a launch needs it: single mode; opaque programs, which run whole
  any,    // the others follow in the background
};

/// `machine` without a build queue: all, always.
Needed needed_builds(const Machine& machine, bool opaque);

/// Every device once: the one that the mode names, the anchor, the others.
std::vector<std::uint32_t> build_order(const Machine& machine);

/// At the process's first build or compilation from source, before the text is looked at: lets the first device of the
/// order make what it needs for builds (Device::prepare_builds()) on another thread, for which the caller does not
/// wait. A vendor's context takes as long to make as a text to read.
void prepare_builds(Machine& machine);

/// CodeTarget::isa if every build waits for the CPU driver's code: that is then made together with the analysis. Else
/// "", so that other devices' builds do not wait for it.
std::string code_needed(const Machine& machine);

/// Makes the builds, and begins none. `program`: its content hash, for the observer and for reports of late failures.
std::shared_ptr<NativeBuilds> open_builds(const Machine& machine, const VendorInput& input, const std::string& program);

/// Blocks until what is needed has its code. If that fails, until another device has it, or all have failed. The builds
/// that are to follow are in the build queue afterwards.
void build_on_devices(Machine& machine, const std::shared_ptr<NativeBuilds>& builds, Needed needed);

/// What a vendor's binary is good for: platform, device and driver version.
std::string driver_key(const Device& device);

/// The vendors' binaries of a built program; devices that give none are left out. Blocks until all that were wanted are
/// built.
std::vector<VendorBlob> collect_blobs(Machine& machine, const std::shared_ptr<NativeBuilds>& native);

}  // namespace skmd::icd
