// SPDX-License-Identifier: Apache-2.0
// The program binary that applications keep: our own container of text, traits and the vendors' binaries.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "intercept/object/program.h"

namespace skmd::icd {

/// Magic, version, length, checksum, then the fields. Never empty.
std::string pack_program(const ProgramBuild& build, const std::vector<VendorBlob>& blobs);

/// A build without native programs, to be built or linked. CL_INVALID_BINARY if pack_program() did not write `bytes`;
/// never reads outside them.
Result<std::shared_ptr<ProgramBuild>> unpack_program(std::string_view bytes);

}  // namespace skmd::icd
