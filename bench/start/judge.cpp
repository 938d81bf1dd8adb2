// SPDX-License-Identifier: Apache-2.0
#include "bench/start/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

double ratio(const ProgramTimes& times) { return median(times.ours) / median(times.theirs); }

/// Smallest and largest.
Json spread(const Times& times) {
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  return {*low, *high};
}

Json to_json(const ProgramTimes& times, const Bars& bars) {
  Times turns;
  for (std::size_t i = 0; i < std::min(times.ours.size(), times.theirs.size()); ++i)
    turns.push_back(times.ours[i] / times.theirs[i]);
  Json json = {{"program", times.program}, {"size", times.size}};
  json["figure"] = ratio(times);
  json["spread"] = spread(turns);
  json["seconds"] = median(times.ours);
  json["seconds_spread"] = spread(times.ours);
  json["base_seconds"] = median(times.theirs);
  json["base_spread"] = spread(times.theirs);
  json["turns"] = turns.size();
  if (bars.each) json["met"] = keeps(times, bars);
  return json;
}

Json to_json(const Bars& bars) {
  Json json = Json::object();
  if (bars.mean) json["geometric_mean_at_most"] = *bars.mean;
  if (bars.each) json["each_at_most"] = *bars.each;
  if (bars.each) json["plus_seconds"] = bars.seconds;
  return json.empty() ? Json() : json;
}

std::string words(const Bars& bars) {
  char text[120] = "";
  int used = 0;
  if (bars.mean) used = std::snprintf(text, sizeof text, "mean <= %g ", *bars.mean);
  if (bars.each)
    std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), "each <= %g x + %g ms", *bars.each,
                  bars.seconds * 1e3);
  return text;
}

}  // namespace

double geometric_mean(const std::vector<ProgramTimes>& programs) {
  double logarithms = 0;
  for (const ProgramTimes& times : programs) logarithms += std::log(ratio(times));
  return std::exp(logarithms / static_cast<double>(programs.size()));
}

bool keeps(const ProgramTimes& times, const Bars& bars) {
  return !bars.each || median(times.ours) <= *bars.each * median(times.theirs) + bars.seconds;
}

std::optional<bool> is_met(const StartRow& row) {
  if (!row.bars.mean && !row.bars.each) return std::nullopt;
  if (!row.error.empty() || row.programs.empty()) return false;
  if (row.bars.mean && !(geometric_mean(row.programs) <= *row.bars.mean)) return false;
  return std::all_of(row.programs.begin(), row.programs.end(),
                     [&](const ProgramTimes& times) { return keeps(times, row.bars); });
}

nlohmann::ordered_json to_json(const StartRow& row) {
  Json json = {{"row", row.name}, {"about", row.description}};
  json["goal"] = to_json(row.bars);
  json["figure"] = row.programs.empty() ? Json() : Json(geometric_mean(row.programs));
  const auto met = is_met(row);
  json["met"] = met ? Json(*met) : Json();
  json["programs"] = Json::array();
  for (const ProgramTimes& times : row.programs) json["programs"].push_back(to_json(times, row.bars));
  if (!row.error.empty()) json["error"] = row.error;
  return json;
}

std::string to_text(const StartRow& row) {
  char line[200];
  std::string text = row.name + ": " + row.description + "\n";
  for (const ProgramTimes& times : row.programs) {
    std::snprintf(line, sizeof line, "  %-28s %-9s %8.1f ms against %8.1f ms  %6.2f  %s\n", times.program.c_str(),
                  times.size.c_str(), median(times.ours) * 1e3, median(times.theirs) * 1e3, ratio(times),
                  keeps(times, row.bars) ? "" : "MISSED");
    text += line;
  }
  if (!row.error.empty()) text += "  " + row.error + "\n";
  if (row.programs.empty()) return text;
  const auto met = is_met(row);
  std::snprintf(line, sizeof line, "  geometric mean %.3f  %s  %s", geometric_mean(row.programs),
                words(row.bars).c_str(),
                !met   ? ""
                : *met ? "met"
                       : "MISSED");
  return text + line;
}

}  // namespace bench
