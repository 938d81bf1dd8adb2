// SPDX-License-Identifier: Apache-2.0
// Which of the machine's devices the virtual device is made of. Pure: the candidates in, the choice out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intercept/backend/port/remote_host.h"
#include "intercept/backend/vendor/candidate.h"
#include "partitioner/base/result.h"

namespace skmd::icd {

/// What people know a candidate by: its platform, or the other machine that it is in, and its name.
std::string shown(const Candidate& candidate);

struct Selected {
  std::size_t candidate = 0;
  bool discrete = false;  // `@discrete`, or not a CPU
  bool host = false;      // chosen as the host CPU, not as a vendor's device of some name
  bool operator==(const Selected&) const = default;
};

struct Selection {
  std::vector<Selected> devices;      // in the order of the selectors, each device once
  std::vector<std::string> left_out;  // "name: reason"
};

/// The candidate that `cpu` means; nothing: no CPU driver shows the host's processors. Devices of other machines are
/// none.
std::optional<std::size_t> host_cpu(const std::vector<Candidate>& candidates);

/// `text` is SKMD_DEVICES: comma-separated selectors, each `cpu` or `platform-substring:device-substring-or-index`,
/// with an optional `@discrete`; empty: the host CPU, every GPU and accelerator and all devices of other machines, no
/// simulators. `host/selector` chooses among the devices of one of `hosts`: what stands before the first '/' is its
/// address, the selector is `*` for all, or as above; there `cpu` is that machine's best CPU device, and `platform` a
/// part of the device's vendor or name, since platforms are not told. A host that is away has no devices, which is no
/// error. An error names the selector.
domain::Result<Selection> select_devices(const std::vector<Candidate>& candidates, const std::string& text,
                                         const std::vector<RemoteHost>& hosts = {});

/// For each of `devices` the first of them whose kernels may not run at the same time as its own: itself, but for CPU
/// devices of PoCL's that have one name. Up to PoCL 5 such devices share a table of loaded kernels, in which a launch
/// gives back the entry of another one that differs only in its offset or size, and an assertion ends the process.
std::vector<std::size_t> taking_turns(const std::vector<Candidate>& candidates, const std::vector<Selected>& devices);

}  // namespace skmd::icd
