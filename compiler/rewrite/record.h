// SPDX-License-Identifier: Apache-2.0
// The text that rewritten programs begin with: the record's type and the functions that answer from it.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace skmd::compiler {

/// Names that begin with a prefix which the program's text does not contain.
struct RecordNames {
  std::string prefix;
  [[nodiscard]] std::string type() const { return prefix + "record_v1"; }
  [[nodiscard]] std::string parameter() const { return prefix + "launch"; }
  [[nodiscard]] std::string declaration() const { return type() + " " + parameter(); }
  [[nodiscard]] std::string storage() const { return prefix + "static"; }
  [[nodiscard]] std::string query(std::string_view builtin) const { return prefix + std::string(builtin); }
};

RecordNames names_unused_in(std::string_view text);

/// True for the builtins whose native answer in a box is not that of the launch.
bool is_geometry_query(std::string_view name);

/// The record's type and one function for each of `queries`.
std::string record_prelude(const RecordNames& names, const std::set<std::string>& queries);

}  // namespace skmd::compiler
