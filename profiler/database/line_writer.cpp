// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/line_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace skmd::profiler {
namespace {

using nlohmann::json;

bool is_plain(char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

std::string& LineWriter::begin(std::string_view name) {
  if (text_.empty()) text_.reserve(1024);
  text_ += text_.empty() ? '{' : ',';
  text_ += '"';
  text_ += name;
  text_ += "\":";
  return text_;
}

void LineWriter::add(std::string_view name, std::string_view value) {
  std::string& text = begin(name);
  if (std::all_of(value.begin(), value.end(), is_plain)) {
    text += '"';
    text += value;
    text += '"';
  } else {
    text += json(value).dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

void LineWriter::add(std::string_view name, double value) { begin(name) += json(value).dump(); }

}  // namespace skmd::profiler
