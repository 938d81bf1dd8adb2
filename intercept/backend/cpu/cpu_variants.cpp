// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_variants.h"

#include <algorithm>
#include <charconv>

#include "cpu-driver/host_target.h"

namespace skmd::icd {
namespace {

using domain::Error;
using domain::Result;

constexpr std::string_view kDiscreteMark = "@discrete";

Error wrong(std::string_view part, const std::string& why) {
  return {0, "SKMD_TEST_CPUS has \"" + std::string(part) + "\": " + why};
}

Result<std::string> target_of(std::string_view part, std::string_view isa) {
  if (isa == "best") {
    const auto best = cpu::best_target();
    return best ? Result<std::string>(std::string(cpu::name_of(*best))) : wrong(part, "no code of ours runs here");
  }
  const auto cap = cpu::parse_isa_cap(isa);
  if (!cap || !*cap) return wrong(part, "expected best, sse, avx2, avx512 or avx512vbmi before the colon");
  if (!cpu::runs_here(**cap)) return wrong(part, std::string(isa) + " does not run on this processor");
  return std::string(cpu::name_of(**cap));
}

Result<CpuVariant> parse_one(std::string_view part) {
  CpuVariant variant;
  std::string_view text = part;
  if (text.ends_with(kDiscreteMark)) {
    variant.discrete = true;
    text.remove_suffix(kDiscreteMark.size());
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  variant.isa = text.substr(0, colon);
  auto target = target_of(part, variant.isa);
  if (!target) return target.error();
  variant.target = std::move(*target);
  const std::string_view digits = text.substr(std::min(colon + 1, text.size()));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), variant.threads);
  if (error != std::errc() || end != digits.data() + digits.size() || variant.threads < 1 ||
      variant.threads > kMaxCpuThreads)
    return wrong(part, "expected a number of threads from 1 to " + std::to_string(kMaxCpuThreads));
  return variant;
}

}  // namespace

Result<std::vector<CpuVariant>> parse_cpu_variants(std::string_view text) {
  std::vector<CpuVariant> variants;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto one = parse_one(text.substr(0, comma));
    if (!one) return one.error();
    variants.push_back(std::move(*one));
    if (comma + 1 == text.size()) return wrong(text, "nothing follows the comma");
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return variants;
}

}  // namespace skmd::icd
