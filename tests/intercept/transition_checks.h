// SPDX-License-Identifier: Apache-2.0
// What tests ask of a table of transitions (partitioner/base/transitions.h), by walking all of it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "partitioner/base/transitions.h"

namespace skmd::icd::test {

/// A row by the names of its parts: from, input, to.
using NamedRow = std::tuple<std::string, std::string, std::string>;

/// A table with the names of its enumerators, in their order.
template <class State, std::size_t kStates, class Input, std::size_t kInputs>
struct NamedTable {
  const domain::Transitions<State, kStates, Input, kInputs>& table;
  std::array<std::string, kStates> states;
  std::array<std::string, kInputs> inputs;

  void for_each_pair(const std::function<void(State, Input)>& visit) const {
    for (std::size_t s = 0; s < kStates; ++s)
      for (std::size_t i = 0; i < kInputs; ++i) visit(static_cast<State>(s), static_cast<Input>(i));
  }
  [[nodiscard]] const std::string& name(State state) const { return states[static_cast<std::size_t>(state)]; }
  [[nodiscard]] const std::string& name(Input input) const { return inputs[static_cast<std::size_t>(input)]; }

  [[nodiscard]] std::set<NamedRow> rows() const {
    std::set<NamedRow> found;
    for_each_pair([&](State from, Input input) {
      if (const auto to = table.next(from, input)) found.emplace(name(from), name(input), name(*to));
    });
    return found;
  }
  /// The states that some inputs lead to, `start` among them.
  [[nodiscard]] std::set<State> reachable(State start) const {
    std::set<State> seen{start};
    std::vector<State> open{start};
    while (!open.empty()) {
      const State from = open.back();
      open.pop_back();
      for (std::size_t i = 0; i < kInputs; ++i)
        if (const auto to = table.next(from, static_cast<Input>(i)); to && seen.insert(*to).second) open.push_back(*to);
    }
    return seen;
  }
  /// Every way from `start` until nothing is accepted any more, as its inputs. Precondition: no state leads back.
  void for_each_way(State start, const std::function<void(const std::vector<Input>&, State)>& visit) const {
    std::vector<Input> way;
    follow(start, way, visit);
  }
  [[nodiscard]] std::set<Input> accepted(State state) const {
    std::set<Input> found;
    for (std::size_t i = 0; i < kInputs; ++i)
      if (table.next(state, static_cast<Input>(i))) found.insert(static_cast<Input>(i));
    return found;
  }

 private:
  void follow(State at, std::vector<Input>& way,
              const std::function<void(const std::vector<Input>&, State)>& visit) const {
    if (accepted(at).empty()) return visit(way, at);
    for (const Input input : accepted(at)) {
      way.push_back(input);
      follow(*table.next(at, input), way, visit);
      way.pop_back();
    }
  }
};

/// Each pair of state and input leads where `expected` says; a pair without a state there is refused.
template <class State, std::size_t kStates, class Input, std::size_t kInputs>
void expect_rows(const NamedTable<State, kStates, Input, kInputs>& named,
                 const std::optional<State> (&expected)[kStates][kInputs]) {
  named.for_each_pair([&](State from, Input input) {
    const std::optional<State> to = expected[static_cast<std::size_t>(from)][static_cast<std::size_t>(input)];
    EXPECT_EQ(named.table.next(from, input), to) << named.name(from) << " with " << named.name(input);
    State state = from;
    EXPECT_EQ(named.table.apply(input, state), to.has_value());
    EXPECT_EQ(state, to.value_or(from)) << "a refused input changes nothing";
  });
}

/// Every state is reached from `start`, and from every state `last`, which alone accepts nothing.
template <class State, std::size_t kStates, class Input, std::size_t kInputs>
void expect_all_lead_from_to(const NamedTable<State, kStates, Input, kInputs>& named, State start, State last) {
  EXPECT_EQ(named.reachable(start).size(), kStates);
  for (std::size_t s = 0; s < kStates; ++s) {
    const auto state = static_cast<State>(s);
    EXPECT_EQ(named.reachable(state).count(last), 1u) << named.name(state);
    EXPECT_EQ(named.accepted(state).empty(), state == last) << named.name(state);
  }
}

/// The rows that a page draws for the state diagram called `title`: "a --> b : input, input".
inline std::set<NamedRow> drawn_rows(const std::string& page, const std::string& title) {
  std::ifstream file(page);
  std::set<NamedRow> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find("state \"" + title + "\" as ") != std::string::npos) inside = true;
    if (inside && line.find('}') != std::string::npos) break;
    const std::size_t colon = line.find(" : ");
    if (!inside || colon == std::string::npos) continue;
    std::istringstream arrow(line.substr(0, colon));
    std::string from, sign, to;
    arrow >> from >> sign >> to;
    std::istringstream inputs(line.substr(colon + 3));
    for (std::string input; std::getline(inputs >> std::ws, input, ',');) rows.emplace(from, input, to);
  }
  return rows;
}

}  // namespace skmd::icd::test
