// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/check/sites.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Path.h>

#include "cpu-driver/codegen/source_position.h"

namespace skmd::codegen {

namespace {

const char* verb_of(const llvm::Instruction& access) {
  if (llvm::isa<llvm::LoadInst>(access)) return "reads";
  return llvm::isa<llvm::StoreInst>(access) ? "writes" : "updates";
}

// Control characters in a file's name must not break the report into lines and columns.
std::string plain(llvm::StringRef text) {
  std::string kept = text.str();
  for (char& c : kept)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  return kept;
}

std::string end_of(cpu::TrapKind kind) {
  return std::string("\t") + cpu::kTrapKinds[static_cast<std::size_t>(kind)] + "\n";
}

}  // namespace

std::string line_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* place = instruction.getDebugLoc().get();
  if (place == nullptr || place->getLine() == 0) return "an unknown line";
  const std::string line = "line " + std::to_string(place->getLine());
  const llvm::StringRef file = place->getFilename();
  const bool named = !file.empty() && llvm::sys::path::filename(file) != kNoFile;
  return named ? line + " of " + file.str() : line;
}

std::string site_of(const llvm::Instruction& access, std::uint64_t bytes, llvm::ArrayRef<Extent> extents) {
  std::string others;
  for (const Extent& extent : extents.drop_front()) others += (others.empty() ? "" : ", ") + plain(extent.name);
  const std::string what =
      std::string(verb_of(access)) + " " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  return plain(line_of(access)) + "\t" + what + "\t" + plain(extents.front().name) + "\t" + others +
         end_of(cpu::TrapKind::out_of_bounds);
}

std::string site_of(const llvm::Instruction& trap, const std::string& what, cpu::TrapKind kind) {
  return plain(line_of(trap)) + "\t" + what + "\t\t" + end_of(kind);
}

}  // namespace skmd::codegen
