// SPDX-License-Identifier: Apache-2.0
// How the C++ programs beside this one say what is right: `NAME: ok` or `NAME: wrong`, a line each.
#pragma once
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>

inline int wrong = 0;

inline void say(const std::string& name, bool ok) {
  wrong += !ok;
  std::cout << name << ": " << (ok ? "ok" : "wrong") << std::endl;
}

// Element by element, within `tolerance` of the larger of 1 and what is expected.
template <class Here, class There>
bool near(const Here& here, const There& there, double tolerance) {
  if (here.size() != there.size()) return false;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const double expected = static_cast<double>(there[i]);
    if (!(std::abs(static_cast<double>(here[i]) - expected) <= tolerance * std::max(1.0, std::abs(expected))))
      return false;
  }
  return true;
}
