// SPDX-License-Identifier: Apache-2.0
// The plan for packing members of structures, whose lanes then lie beside each other. Does not change the code.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

#include "cpu-driver/codegen/isa.h"

namespace skmd::codegen {

using Members = std::vector<llvm::Value*>;

/// Members of one type, of n lanes each, as one vector: lane l of member m is its lane l * members + m.
struct Pack {
  enum class Kind : std::uint8_t {
    open,      // not looked at yet
    constant,  // of constants
    repeated,  // of vectors that have one scalar in all lanes
    shuffled,  // lanes of `sources`
    permuted,  // lanes of pack `operands[0]`
    step,      // the members' operation, once
    phi,
    gathered,  // put together from the members
  };
  Members members;
  Kind kind = Kind::open;
  llvm::SmallVector<llvm::Value*, 2> sources;  // shuffled: one or two, of one type
  llvm::SmallVector<int, 64> places;           // shuffled: of the sources as vectors of the members' elements
  /// Numbers of packs: for each vector among a step's operands, for each of a phi's predecessors. Of a step's operands
  /// that are no vectors, which all members have in common, kSame.
  llvm::SmallVector<unsigned, 3> operands;
  static constexpr unsigned kSame = ~0U;
  /// Operands 0 and 1 of these members change places.
  llvm::SmallVector<bool, 4> turned;
  /// Before it the pack can be made.
  llvm::Instruction* place = nullptr;
};

/// A shuffle that puts members' lanes beside each other.
struct Seed {
  llvm::ShuffleVectorInst* shuffle;
  unsigned pack;
};

class PackPlan {
 public:
  PackPlan(llvm::Function& function, Isa isa, const llvm::DominatorTree& dominators);

  /// In the order in which they were found.
  [[nodiscard]] const std::vector<Pack>& packs() const { return packs_; }
  /// Those that are worth it. Empty: nothing is to be done.
  [[nodiscard]] const std::vector<Seed>& seeds() const { return seeds_; }

 private:
  bool add_seed(llvm::ShuffleVectorInst& shuffle);
  unsigned pack_of(const Members& members);
  bool expand_all();
  void expand(unsigned number);
  static bool make_constant(Pack& pack);
  static bool make_repeated(Pack& pack);
  static bool make_shuffled(Pack& pack);
  bool make_permuted(unsigned number);
  bool make_step(unsigned number);
  bool make_phi(unsigned number);
  void settle(unsigned number);
  unsigned fit(llvm::Value& one, llvm::Value& other, unsigned by) const;
  llvm::SmallVector<bool, 4> turns(const Members& members) const;
  llvm::Instruction* place_of(unsigned number);
  llvm::Instruction* later(llvm::Instruction* one, llvm::Instruction* other) const;
  void find_parts();
  void keep_what_is_worth_it();
  [[nodiscard]] bool is_there(unsigned number, const llvm::Instruction& where) const;
  [[nodiscard]] bool holds(const Pack& pack) const;
  [[nodiscard]] int gain_of(const Pack& pack) const;
  [[nodiscard]] int registers(const llvm::Type& type, unsigned times) const;
  [[nodiscard]] int cost_of_shuffle(const Pack& pack) const;
  [[nodiscard]] bool is_inner(const llvm::Value& member) const;

  llvm::Function& function_;
  const Isa isa_;
  const llvm::DominatorTree& dominators_;
  std::vector<Pack> packs_;
  std::vector<Seed> seeds_;
  std::map<Members, unsigned> numbers_;
  std::vector<unsigned> parts_;  // for each pack the least number among those that need each other
  /// Steps and phis among whose members it is, and as which.
  llvm::DenseMap<const llvm::Value*, std::pair<unsigned, unsigned>> homes_;
  llvm::SmallPtrSet<const llvm::Value*, 32> joining_;  // shuffles that seeds consist of
};

}  // namespace skmd::codegen
