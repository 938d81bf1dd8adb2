// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/request.h"

#include <CL/cl.h>

#include <vector>

namespace skmd::icd::control {

namespace {

struct Form {
  std::string_view word;
  Order order;
  std::size_t arguments;
};

constexpr Form kForms[] = {{"status", Order::status, 0},        {"stop", Order::stop, 1},
                           {"start", Order::start, 1},          {"move", Order::move, 2},
                           {"suspend", Order::suspend, 0},      {"resume", Order::resume, 0},
                           {"checkpoint", Order::checkpoint, 1}};

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t end = line.find('\t');
    words.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

domain::Result<Request> parse_request(std::string_view line) {
  std::vector<std::string> words = words_of(line);
  for (const Form& form : kForms) {
    if (form.word != words.front()) continue;
    if (words.size() != form.arguments + 1)
      return domain::Error{CL_INVALID_VALUE, words.front() + " takes " + std::to_string(form.arguments) +
                                                 " names, and " + std::to_string(words.size() - 1) + " were given"};
    Request request{form.order, {}, {}, {}};
    if (form.order == Order::checkpoint) {
      request.file = std::move(words.back());
      return request;
    }
    if (form.arguments == 2) request.kernel = std::move(words[1]);
    if (form.arguments != 0) request.device = std::move(words.back());
    return request;
  }
  return domain::Error{CL_INVALID_VALUE, "\"" + words.front() + "\" is no command"};
}

}  // namespace skmd::icd::control
