// SPDX-License-Identifier: Apache-2.0
// Build and link options are the application's text.
#include <cstdint>
#include <string>

#include "compiler/client/options.h"
#include "intercept/build/link_options.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skmd;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto words = compiler::split_words(text)) {
    std::size_t characters = 0;
    for (const std::string& word : *words) characters += word.size();
    FUZZ_CHECK(characters <= text.size());
  }
  (void)compiler::parse_options(text);
  (void)icd::parse_link_options(text);
  return 0;
}
