// SPDX-License-Identifier: Apache-2.0
// Tells errors of the program from limits of our front end.
#pragma once

#include <string>

#include "compiler/frontend/session.h"

namespace skmd::compiler {

/// Why a vendor's compiler might accept a program that our Clang rejects; "" if the errors are the program's own.
std::string reason_for_doubt(const Diagnostics& diagnostics, const std::string& preprocessed);

}  // namespace skmd::compiler
