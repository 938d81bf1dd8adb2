// SPDX-License-Identifier: Apache-2.0
// The environment variables of options.def, as constants. Code that reads a variable takes a Variable, so that one that
// is not declared cannot be read. Values only: nothing here reads the environment.
#pragma once

#include <string>

namespace skmd::settings {

/// For whom a variable is; options.def says what each means.
enum class Audience { user, tool, test, script };
/// The kind of a variable's value, for skmd-run.
enum class Kind { text, flag, path, log, database };

struct Variable {
  const char* name;
  Audience audience;
  Kind kind;
  const char* option;  // of skmd-run; "": it has none
  const char* help;    // one line
};

#define SKMD_VARIABLE(id, name, audience, kind, option, argument, values, fallback, help, meaning) \
  inline constexpr Variable id{name, Audience::audience, Kind::kind, option, help};
#include "profiler/settings/options.def"
#undef SKMD_VARIABLE

/// All of them, in the order of options.def.
inline constexpr Variable kVariables[] = {
#define SKMD_VARIABLE(id, name, audience, kind, option, argument, values, fallback, help, meaning) id,
#include "profiler/settings/options.def"
#undef SKMD_VARIABLE
};

/// The message for a wrong value of a variable: NAME=value: expected …
inline std::string expected(const Variable& variable, const std::string& value, const std::string& what) {
  return std::string(variable.name) + "=" + value + ": expected " + what;
}

}  // namespace skmd::settings
