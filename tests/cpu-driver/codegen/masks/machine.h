// SPDX-License-Identifier: Apache-2.0
// Runs integer functions of the masked form as their contract says, lane by lane in step, and tells where one breaks
// it: a branch that lanes disagree about, a mask that is poison, an access outside memory, a division that traps.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <string>
#include <vector>

namespace skmd::test {

/// `any`: frozen poison, an arbitrary value that the reference cannot know.
enum class Kind : std::uint8_t { ok, any, poison };

struct Cell {
  std::uint64_t bits = 0;
  Kind kind = Kind::ok;
};
using Lanes = std::vector<Cell>;

/// Objects of bytes, which pointers name by number and offset.
class Memory {
 public:
  static constexpr std::uint64_t kBase = 1U << 30;
  /// The pointer to a new object, of which every byte is poison.
  std::uint64_t create(std::uint64_t size);
  /// False: not inside one object.
  bool read(std::uint64_t pointer, unsigned bytes, Cell& value) const;
  bool write(std::uint64_t pointer, unsigned bytes, const Cell& value);
  [[nodiscard]] const std::vector<std::vector<Cell>>& objects() const { return objects_; }

 private:
  std::vector<std::vector<Cell>> objects_;
};

class Machine {
 public:
  Machine(Memory& memory, unsigned lanes, std::uint64_t seed) : memory_(memory), lanes_(lanes), random_(seed) {}

  /// What `function` returns in each lane. Afterwards problem() tells what went wrong; "": nothing.
  Lanes run(llvm::Function& function, const std::vector<Lanes>& arguments);
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  using Frame = llvm::DenseMap<const llvm::Value*, Lanes>;
  void fail(const llvm::Instruction& where, const std::string& what);
  Lanes get(Frame& frame, const llvm::Value* value) const;
  llvm::BasicBlock* leave(Frame& frame, llvm::BasicBlock& block, Lanes& result);
  static void enter(Frame& frame, llvm::BasicBlock& block, llvm::BasicBlock* from, Machine& machine);
  void step(Frame& frame, llvm::Instruction& instruction);
  void call(Frame& frame, llvm::CallInst& call);
  void marker(Frame& frame, llvm::CallInst& call, llvm::StringRef name);
  Cell compute(const llvm::Instruction& instruction, const std::vector<Cell>& operands);
  Cell binary(const llvm::Instruction& instruction, std::uint64_t left, std::uint64_t right);
  Cell load(const llvm::Instruction& where, const llvm::Type* type, Cell pointer);
  void store(const llvm::Instruction& where, const llvm::Type* type, Cell pointer, Cell value);
  bool decide(const llvm::Instruction& where, const Lanes& condition);
  bool in(const llvm::Instruction& where, const Cell& mask);

  Memory& memory_;
  unsigned lanes_;
  std::uint64_t random_;
  unsigned steps_ = 0;
  std::string problem_;
};

}  // namespace skmd::test
