// SPDX-License-Identifier: Apache-2.0
// One format of OpenCL C's printf, taken apart: text for values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skmd::cpu {

/// What a call passes for one argument.
struct PrintArgument {
  char type = 'i';     // 'i' integer, 'f' floating point, 'p' pointer
  unsigned bits = 32;  // of one element
  unsigned lanes = 1;
};

/// The arguments that `text` lists, as in PrintFormatEntry (span_code.h); empty from the first on that it does not.
std::vector<PrintArgument> print_arguments(std::string_view text);

/// The characters at a pointer that was passed for %s; empty if they are not a constant of the program.
using PrintStrings = std::function<const char*(std::uint64_t pointer, std::size_t& bytes)>;

/// Follows OpenCL C's rules: vectors by %v2 to %v16 with elements between commas, hl for elements of 32 bits, no %n. In
/// addition it knows * for width and precision, and ll, j, z and t. A conversion that is unknown, or whose argument is
/// missing or of another kind, is printed literally. Numbers are formatted as by the C library under the current
/// locale.
class PrintFormat {
 public:
  PrintFormat(std::string_view text, std::vector<PrintArgument> arguments);

  /// The number of 64-bit words of the arguments: one for each element, in its lowest bits.
  [[nodiscard]] std::size_t words() const { return words_; }

  /// Appends what a call with these arguments prints; `words` has words().
  void append(std::string& to, std::span<const std::uint64_t> words, const PrintStrings& strings) const;

  /// No width or precision above this is followed.
  static constexpr unsigned kMaxWidth = 65535;

 private:
  struct Piece {
    std::string text;     // as it stands; conversions: flags, without %
    char conversion = 0;  // 0: only text
    bool has_width = false, has_precision = false;
    int width = 0, precision = 0;
    int width_from = -1, precision_from = -1;  // arguments that give them
    unsigned bits = 32;                        // of an integer, as the conversion takes it
    unsigned argument = 0;
  };
  class Parser;
  struct Values;

  [[nodiscard]] std::string specification(const Piece& piece, const Values& values, const char* length) const;
  void append_integer(std::string& to, const Piece& piece, const Values& values, unsigned lane) const;
  void append_real(std::string& to, const Piece& piece, const Values& values, unsigned lane) const;
  void append_pointer(std::string& to, const Piece& piece, const Values& values, const PrintStrings& strings) const;

  std::vector<Piece> pieces_;
  std::vector<PrintArgument> arguments_;
  std::vector<std::size_t> places_;  // of each argument's first word
  std::size_t words_ = 0;
};

}  // namespace skmd::cpu
