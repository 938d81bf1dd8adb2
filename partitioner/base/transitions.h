// SPDX-License-Identifier: Apache-2.0
// State machines as values: which state an input leads to, and which inputs a state refuses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>

namespace skmd::domain {

/// A table over two enums whose enumerators count up from 0: `kStates` states, `kInputs` inputs. A pair of state and
/// input that stands in no row is refused. Pure: the owner of a state says who may change it, and under which mutex.
template <class State, std::size_t kStates, class Input, std::size_t kInputs>
class Transitions {
 public:
  struct Row {
    State from;
    Input input;
    State to;
  };

  /// In a constant expression, where two rows of the same pair do not compile.
  constexpr Transitions(std::initializer_list<Row> rows) {
    for (auto& inputs : to_) inputs.fill(kRefused);
    for (const Row& row : rows) {
      std::uint8_t& to = to_.at(index(row.from)).at(index(row.input));
      if (to != kRefused) throw std::logic_error("two rows for one state and input");
      to = static_cast<std::uint8_t>(row.to);
    }
  }

  /// None: `input` is refused in `from`.
  [[nodiscard]] constexpr std::optional<State> next(State from, Input input) const {
    const std::uint8_t to = to_[index(from)][index(input)];
    if (to == kRefused) return std::nullopt;
    return static_cast<State>(to);
  }
  /// Moves `state` on. False, and nothing changes, where `input` is refused.
  constexpr bool apply(Input input, State& state) const {
    const std::uint8_t to = to_[index(state)][index(input)];
    if (to == kRefused) return false;
    state = static_cast<State>(to);
    return true;
  }

 private:
  static_assert(kStates < UINT8_MAX);
  static constexpr std::uint8_t kRefused = UINT8_MAX;
  template <class Enum>
  static constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
  }
  std::array<std::array<std::uint8_t, kInputs>, kStates> to_{};
};

}  // namespace skmd::domain
