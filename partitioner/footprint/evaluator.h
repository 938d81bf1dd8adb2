// SPDX-License-Identifier: Apache-2.0
// Values of index expressions over a set of work-items.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "partitioner/footprint/footprint.h"
#include "partitioner/footprint/item_set.h"

namespace skmd::domain {

/// The parts of a launch that are the same for all its boxes. Precondition: what it refers to outlives the evaluator.
struct LaunchView {
  const KernelTraits& traits;
  const NdRange& range;
  std::span<const ArgumentView> arguments;
};

/// A variable that is a function of other variables: one value per work-item and iteration.
struct Derived {
  enum class Kind : std::uint8_t { quotient, remainder, opaque };
  Kind kind = Kind::opaque;
  Wide divisor = 1;
  Form source{};  // quotient, remainder: of the division source / divisor; the two stand side by side
  Interval values;
};

class Evaluator {
 public:
  explicit Evaluator(const LaunchView& launch);
  /// Discards all values that depend on work-items; later calls are for `items`.
  void reset(const ItemSet& items);

  [[nodiscard]] const LaunchView& launch() const { return launch_; }
  [[nodiscard]] const ItemSet& items() const { return items_; }
  /// The value of a node; the first call evaluates it and the nodes that it depends on.
  const Form& value(NodeId node);

  /// An interval that holds every value of the form over the work-items; wider than any type if values exceed 120 bits.
  [[nodiscard]] Interval range(const Form& form) const;
  /// Changes `form`, a value of `bits` bits, to the integers that it stands for as a signed or unsigned number, and
  /// sets `values` to their interval. False, and `values` the whole window, if they may wrap.
  bool canonicalise(Form& form, unsigned bits, bool is_signed, Interval& values) const;

  enum class Truth : std::uint8_t { never, always, maybe };
  [[nodiscard]] Truth compare(Predicate predicate, const Form& a, const Form& b, unsigned bits) const;

  /// Iterations: at most 0 … `most`, and surely 0 … `least` if the loop is exact and entered.
  struct Iterations {
    Wide least = 0;
    Wide most = 0;
  };
  [[nodiscard]] Iterations iterations(std::uint32_t loop);
  [[nodiscard]] Interval var_range(Var var) const;
  [[nodiscard]] Var first_derived() const { return kFirstLoopVar + static_cast<Var>(loops_.size()); }
  [[nodiscard]] const Derived& derived(Var var) const { return derived_[var - first_derived()]; }

 private:
  enum class State : std::uint8_t { fresh, visiting, done, constant };
  struct LoopState {
    Iterations iterations;
    bool known = false;
  };

  void settle(NodeId node);
  bool push_missing(NodeId node);
  void set_iterations(std::uint32_t loop);
  Form compute(const Node& node);
  Form leaf(const Node& node) const;
  Form scalar(const Node& node) const;
  Form binary(const Node& node);
  Form add(const Form& a, Wide ka, const Form& b, Wide kb, unsigned bits);
  Form add_folded(const Form& a, Wide ka, const Form& b, Wide kb, unsigned bits);
  void rejoin(Form& form, unsigned bits);
  Form multiply(const Form& a, const Form& b, unsigned bits);
  Form shift_left(const Form& a, const Form& by, unsigned bits);
  Form shift_right(const Form& a, const Form& by, unsigned bits, bool is_signed);
  Form divide(const Node& node, bool remainder, bool is_signed);
  Form divide_signed(Form a, const Interval& va, Wide divisor, bool remainder, unsigned bits);
  Form quotient(const Form& a, Wide divisor, unsigned bits);
  Form remainder(const Form& a, Wide divisor, unsigned bits);
  Form bits_and(const Form& a, const Form& b, unsigned bits);
  Form bits_or(const Form& a, const Form& b, unsigned bits, bool exclusive);
  Form and_mask(const Form& a, Wide mask, unsigned bits);
  Form least_or_most(Op op, const Form& a, const Form& b, unsigned bits);
  Form join(const Form& a, const Form& b, unsigned bits, bool repeatable);
  Form condition(Truth truth, bool repeatable);
  Form fresh(const Interval& values, bool repeatable, unsigned bits);
  Var division(const Form& source, Wide divisor, const Interval& values);

  const LaunchView launch_;
  ItemSet items_;
  std::unique_ptr<Form[]> values_;
  std::vector<State> states_;
  std::vector<LoopState> loops_;
  std::vector<Derived> derived_;
  std::vector<NodeId> stack_;
};

}  // namespace skmd::domain
