// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/yield.h"

namespace skmd::compiler {

namespace {

std::string live_of(const YieldPoint& point) {
  std::string text;
  for (std::size_t i = 0; i < point.live.size(); ++i) text += (i == 0 ? " " : ", ") + point.live[i];
  return text + (point.live.empty() ? " nothing\n" : "\n");
}

}  // namespace

std::string listing(const std::string& kernel, const YieldForm& form) {
  std::string text = "kernel " + kernel + ": ";
  if (!form.why_not.empty()) return text + "no yield points (" + form.why_not + "): " + form.detail + "\n";
  if (form.traps) {
    text += std::to_string(form.points.size()) + (form.points.size() == 1 ? " place" : " places") +
            " where items may leave; state: " + std::to_string(4 * form.item_words) + " bytes an item\n";
    for (const YieldPoint& point : form.points) text += "  before " + point.place + ", live:" + live_of(point);
    return text;
  }
  text += std::to_string(form.points.size()) + (form.points.size() == 1 ? " yield point" : " yield points");
  text += form.together ? ", items of a group leave together" : ", items leave one by one";
  text += "; state: " + std::to_string(4 * form.item_words) + " bytes an item, " +
          std::to_string(4 * form.group_words) + " a group\n";
  for (const YieldPoint& point : form.points) {
    text += "  " + point.place + ": ";
    text += point.at_barrier
                ? std::string("behind a barrier")
                : "after " + std::to_string(point.strip) + (point.strip == 1 ? " iteration" : " iterations");
    text += ", live:" + live_of(point);
  }
  return text;
}

}  // namespace skmd::compiler
