// SPDX-License-Identifier: Apache-2.0
// The macros that the virtual device shows to a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/client/client.h"
#include "compiler/client/options.h"

namespace skmd::compiler {

/// Macros that every OpenCL C implementation defines. `#ifdef` must see them, but their values differ between vendors
/// (CLK_…) or would be Clang's own builtins (NAN), so the text that vendors get still holds the names.
bool is_standard_name(std::string_view name);

/// Whether `extension` is one of the language's.
bool offers(const Language& language, std::string_view extension);

/// NAME=VALUE for -D, standard names as themselves. Integer limits carry their value: the specification fixes it, and
/// programs use them in #if.
std::vector<std::string> virtual_device_macros(const Language& language, const Options& options);

/// The application's -D, -U and -I, then its working directory, as arguments of Clang.
void add_preprocessor_options(std::vector<std::string>& words, const Options& options);

/// The argument -cl-ext of Clang that offers exactly this language.
std::string extension_switch(const Language& language, const Options& options);

}  // namespace skmd::compiler
