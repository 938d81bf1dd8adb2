// SPDX-License-Identifier: Apache-2.0
// Source locations of generated code, for remarks.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>

#include <string>
#include <utility>

namespace skmd::codegen {

/// The front end's name for the program's own text, which has no file (compiler/frontend/session.h).
inline constexpr const char* kNoFile = "<source>";

/// "file:line:column"; "0:0" where the module has no line tables, or none for this.
inline std::string position_of(const llvm::DebugLoc& location) {
  const llvm::DILocation* place = location.get();
  if (place == nullptr) return "0:0";
  const std::string file = place->getFilename().empty() ? std::string() : place->getFilename().str() + ":";
  return file + std::to_string(place->getLine()) + ":" + std::to_string(place->getColumn());
}

/// An error's reason that knows its place, and the two parts of such a reason; "" for a place that is not known.
inline std::string with_position(const llvm::DebugLoc& location, const std::string& why) {
  return location.get() == nullptr ? why : position_of(location) + "\n" + why;
}
inline std::pair<std::string, std::string> position_and_reason(const std::string& reason) {
  const std::size_t at = reason.find('\n');
  if (at == std::string::npos) return {"", reason};
  return {reason.substr(0, at), reason.substr(at + 1)};
}

}  // namespace skmd::codegen
