// SPDX-License-Identifier: Apache-2.0
// Kernels that can be stopped inside a work-group: at yield points in their loops they keep what is live in a state
// that any device can go on from (schema.h).
//
// A yielding kernel has two more parameters behind its own: `global uint* state`, of the group that runs, and `global
// const uint* control`, of which word 0 is read at every yield point: not 0 means that the kernel is to save and end.
// A group that begins needs the words for its points set to 0, and the second one of a group's points kPointDone before
// each run. When the kernel has ended, the points are kPointDone for items that have ended, and the number of the yield
// point for those that were saved; the second one of a group's is to be copied to the first. Run again with the same
// state, the group goes on from there, after the yield point: even if word 0 is never 0, each run comes one point
// further.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::compiler {

/// What is kept at one yield point.
struct YieldPoint {
  std::string place;              // "line 7", or "loop 2" where lines are not known
  std::uint64_t strip = 1;        // iterations of its loop between two checks
  bool at_barrier = false;        // behind a barrier of the program
  std::vector<std::string> live;  // "acc (float)", one for each value
  unsigned item_words = 0;        // of state, for each item, and once for the group; without the point itself
  unsigned group_words = 0;
};

/// Places in a yielding kernel's code, which what is made of it afterwards asks for.
struct YieldPlaces {
  llvm::LoadInst* point = nullptr;       // from where the run goes on: the first word of the item, or of the group
  std::vector<llvm::ReturnInst*> saves;  // where items leave at a yield point
  llvm::Value* linear = nullptr;         // i64: the item's number in its group, dimension 0 fastest
  llvm::Value* items = nullptr;          // i64: of the group
};

/// A kernel's form with yield points.
struct YieldForm {
  std::vector<YieldPoint> points;
  bool together = false;  // all items of a group leave at the same point, which the state has once
  unsigned item_words =
      0;  // of state for each item: those of the largest point, and one for the point if not `together`
  unsigned group_words = 0;   // likewise of the group
  std::uint64_t schema = 0;   // equal if states of the two kernels can be exchanged
  std::string why_not;        // of the reasons that statistics know; "": the kernel has the form
  std::string detail;         // in words
  bool traps = false;         // of Yields::traps: points are where items leave if they would trap
  bool only_buffers = false;  // of those, also with a reason in `why_not`: nothing but accesses of arguments' buffers
                              // and local memory may trap
  YieldPlaces places = {};    // valid while the kernel's code is as make_yielding() left it
};

/// Whether a yielding kernel can go on from its points. Without, it is to leave one record for each item (trap_form.h).
enum class Entries : std::uint8_t { none, all };

/// Replaces `kernel`, into which everything is inlined, by a yielding kernel of the same name, and sets `kernel` to
/// that. On failure `why_not` has the reason and `kernel` is unchanged. Precondition: `analyses` has every function
/// analysis registered. With Yields::traps items leave with Entries::none, and only go on with Entries::all: code
/// that goes on with them has checks of its own.
YieldForm make_yielding(llvm::Function*& kernel, Yields loops, llvm::FunctionAnalysisManager& analyses,
                        Entries entries = Entries::all);

/// `form` of a kernel in lines for people.
std::string listing(const std::string& kernel, const YieldForm& form);

}  // namespace skmd::compiler
