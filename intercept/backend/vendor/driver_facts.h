// SPDX-License-Identifier: Apache-2.0
// What a vendor's CPU driver has answered in an earlier process. Loading PoCL takes 25 ms of processor time, most of it
// for LLVM's relocations, and a process whose kernels all have our own code needs no more of it than these answers.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "intercept/backend/vendor/candidate.h"

namespace skmd::icd {

/// What one of the driver's devices is and answers, as Device has it.
struct KeptAnswers {
  DeviceDescription description;
  std::map<cl_device_info, Result<std::vector<std::byte>>> infos;
  std::map<std::pair<cl_mem_flags, cl_mem_object_type>, std::vector<cl_image_format>> formats;
};

struct DriverFacts {
  std::string file;                   // of the library, as the dynamic linker found it
  std::vector<Candidate> candidates;  // the platform's devices; platform_index means nothing here
  std::uint32_t host = 0;             // which of them `answers` are of
  KeptAnswers answers;
};

std::string encode(const DriverFacts& facts);
/// Nothing if encode() did not write `text`.
std::optional<DriverFacts> decode_driver_facts(const std::string& text);

/// Where facts are kept. Both are thread-safe and throw nothing but std::bad_alloc; either may be empty: nothing is
/// kept then.
struct FactsStore {
  /// What was kept under `key`, unless one of the files that it depends on has changed since.
  std::function<std::optional<std::string>(const std::string& key)> find;
  /// Failure is silent.
  std::function<void(const std::string& key, const std::string& text, const std::vector<std::string>& files)> keep;
};

/// Everything but files that the answers of the driver `library` may depend on: its name, the variables that it and the
/// dynamic linker read, and the machine as this process may use it.
std::string facts_key(const std::string& library);

/// Whether answers of this platform are kept: PoCL's are known to depend on nothing else.
bool keeps_facts(const std::string& platform);

}  // namespace skmd::icd
