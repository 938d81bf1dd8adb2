// SPDX-License-Identifier: Apache-2.0
#include "compiler/yield/yield.h"

namespace skmd::compiler {

std::string listing(const std::string& kernel, const YieldForm& form) {
  std::string text = "kernel " + kernel + ": ";
  if (!form.why_not.empty()) return text + "no yield points (" + form.why_not + "): " + form.detail + "\n";
  text += std::to_string(form.points.size()) + (form.points.size() == 1 ? " yield point" : " yield points");
  text += form.together ? ", items of a group leave together" : ", items leave one by one";
  text += "; state: " + std::to_string(4 * form.item_words) + " bytes an item, " +
          std::to_string(4 * form.group_words) + " a group\n";
  for (const YieldPoint& point : form.points) {
    text += "  " + point.place + ": ";
    text += point.at_barrier
                ? std::string("behind a barrier")
                : "after " + std::to_string(point.strip) + (point.strip == 1 ? " iteration" : " iterations");
    text += ", live:";
    for (std::size_t i = 0; i < point.live.size(); ++i) text += (i == 0 ? " " : ", ") + point.live[i];
    text += point.live.empty() ? " nothing\n" : "\n";
  }
  return text;
}

}  // namespace skmd::compiler
