// SPDX-License-Identifier: Apache-2.0
// Is a program wrong, or only unknown to us?
#pragma once

#include <string>

#include "compiler/frontend/session.h"

namespace skmd::compiler {

/// Why a vendor might take what our Clang refused; "" if the errors are the program's own.
std::string reason_for_doubt(const Diagnostics& diagnostics, const std::string& preprocessed);

}  // namespace skmd::compiler
