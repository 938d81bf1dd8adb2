// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/print_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace skmd::cpu {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_one_of(char c, std::string_view letters) { return c != 0 && letters.find(c) != std::string_view::npos; }

/// False: more than PrintFormat::kMaxWidth.
bool read_number(std::string_view text, std::size_t& at, int& number) {
  unsigned value = 0;
  bool small = true;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    value = value * 10 + static_cast<unsigned>(text[at] - '0');
    small = small && value <= PrintFormat::kMaxWidth;
    if (!small) value = 0;
  }
  number = static_cast<int>(value);
  return small;
}

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return (bits & 0x8000) != 0 ? -value : value;
}

double real_of(std::uint64_t word, unsigned bits) {
  if (bits == 64) return std::bit_cast<double>(word);
  if (bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(word));
  return from_half(static_cast<std::uint16_t>(word));
}

/// The lowest `bits` as a number of 64.
std::uint64_t extended(std::uint64_t word, unsigned bits, bool is_signed) {
  if (bits >= 64) return word;
  const unsigned unused = 64 - bits;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(word << unused) >> unused)
                   : word << unused >> unused;
}

template <class Value>
void append_printed(std::string& to, const std::string& specification, Value value) {
  char small[128];
  const int length = std::snprintf(small, sizeof small, specification.c_str(), value);
  if (length < 0) return;
  const auto bytes = static_cast<std::size_t>(length);
  if (bytes < sizeof small) {
    to.append(small, bytes);
    return;
  }
  const std::size_t begin = to.size();
  to.resize(begin + bytes + 1);
  (void)std::snprintf(to.data() + begin, bytes + 1, specification.c_str(), value);
  to.resize(begin + bytes);
}

}  // namespace

std::vector<PrintArgument> print_arguments(std::string_view text) {
  std::vector<PrintArgument> arguments;
  for (std::size_t at = 0; at < text.size();) {
    PrintArgument argument{text[at], 0, 1};
    int bits = 0;
    int lanes = 1;
    ++at;
    if (!is_one_of(argument.type, "ifp") || !read_number(text, at, bits)) return {};
    if (at < text.size() && text[at] == 'x' && !read_number(text, ++at, lanes)) return {};
    if (at < text.size() && text[at++] != ' ') return {};
    if (bits < 1 || bits > 64 || lanes < 1 || lanes > 16) return {};
    argument.bits = static_cast<unsigned>(bits);
    argument.lanes = static_cast<unsigned>(lanes);
    arguments.push_back(argument);
  }
  return arguments;
}

/// What one launch's call passed.
struct PrintFormat::Values {
  std::span<const std::uint64_t> words;
  const PrintFormat& format;

  [[nodiscard]] std::uint64_t word(unsigned argument, unsigned lane = 0) const {
    return words[format.places_[argument] + lane];
  }
  [[nodiscard]] int number(int argument) const {
    const auto value = static_cast<std::int32_t>(word(static_cast<unsigned>(argument)));
    constexpr int most = kMaxWidth;
    return std::clamp(value, -most, most);
  }
};

class PrintFormat::Parser {
 public:
  Parser(PrintFormat& format, std::string_view text) : format_(format), text_(text) {}

  void run() {
    while (at_ < text_.size()) {
      if (text_[at_] != '%') {
        const std::size_t end = std::min(text_.find('%', at_), text_.size());
        stand(at_, end);
        at_ = end;
      } else if (text_.substr(at_, 2) == "%%") {
        stand(at_, at_ + 1);
        at_ += 2;
      } else {
        const std::size_t begin = at_;
        Piece piece;
        const bool known = conversion(piece);
        if (known)
          format_.pieces_.push_back(std::move(piece));
        else
          stand(begin, at_);
      }
    }
  }

 private:
  void stand(std::size_t begin, std::size_t end) {
    std::vector<Piece>& pieces = format_.pieces_;
    if (pieces.empty() || pieces.back().conversion != 0) pieces.emplace_back();
    pieces.back().text.append(text_.substr(begin, end - begin));
  }

  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// The next argument, if there is one of this kind; it is used up either way.
  bool take(char type, unsigned lanes, unsigned& argument) {
    argument = next_;
    if (next_ >= format_.arguments_.size()) return false;
    const PrintArgument& given = format_.arguments_[next_++];
    return given.type == type && given.lanes == lanes;
  }

  bool amount(bool& has, int& value, int& from) {
    has = true;
    if (here() != '*') return read_number(text_, at_, value);
    ++at_;
    unsigned argument = 0;
    const bool good = take('i', 1, argument);
    from = static_cast<int>(argument);
    return good;
  }

  std::string length() {
    std::string letters;
    for (const std::string_view one : {"hh", "hl", "h", "ll", "l", "j", "z", "t", "L"})
      if (text_.substr(at_, one.size()) == one) {
        at_ += one.size();
        return std::string(one);
      }
    return letters;
  }

  /// From % to behind the conversion's letter. False: to be printed as it stands.
  bool conversion(Piece& piece) {
    ++at_;
    bool good = true;
    while (is_one_of(here(), "-+ #0")) {
      if (piece.text.find(here()) == std::string::npos) piece.text += here();
      ++at_;
    }
    if (is_digit(here()) || here() == '*') good = amount(piece.has_width, piece.width, piece.width_from);
    if (here() == '.') {
      ++at_;
      good = amount(piece.has_precision, piece.precision, piece.precision_from) && good;
    }
    int lanes = 1;
    const bool vector = here() == 'v';
    if (vector) {
      ++at_;
      good = is_digit(here()) && read_number(text_, at_, lanes) && good;
      good = good && (lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16);
    }
    const std::string size = length();
    if (at_ >= text_.size()) return false;
    piece.conversion = text_[at_++];
    return meaning(piece, static_cast<unsigned>(lanes), vector, size) && good;
  }

  bool meaning(Piece& piece, unsigned lanes, bool vector, const std::string& size) {
    const char letter = piece.conversion;
    if (is_one_of(letter, "diouxX")) return integer(piece, lanes, vector, size);
    if (is_one_of(letter, "fFeEgGaA")) {
      const bool good = size.empty() || size == "l" || (vector && (size == "h" || size == "hl"));
      return take('f', lanes, piece.argument) && good;
    }
    if (letter == 'c') return take('i', 1, piece.argument) && !vector && size.empty();
    if (letter == 's' || letter == 'p') return take('p', 1, piece.argument) && !vector && size.empty();
    if (letter == 'n') (void)take('p', 1, piece.argument);
    return false;
  }

  bool integer(Piece& piece, unsigned lanes, bool vector, const std::string& size) {
    const bool good = take('i', lanes, piece.argument) && size != "L" && (vector || size != "hl");
    if (!good) return false;
    piece.bits = size == "hh" ? 8 : size == "h" ? 16 : size == "hl" ? 32 : size.empty() ? 32 : 64;
    if (vector && size.empty()) piece.bits = format_.arguments_[piece.argument].bits;
    return true;
  }

  PrintFormat& format_;
  std::string_view text_;
  std::size_t at_ = 0;
  unsigned next_ = 0;
};

PrintFormat::PrintFormat(std::string_view text, std::vector<PrintArgument> arguments)
    : arguments_(std::move(arguments)) {
  for (const PrintArgument& argument : arguments_) {
    places_.push_back(words_);
    words_ += argument.lanes;
  }
  Parser(*this, text).run();
}

void PrintFormat::append(std::string& to, std::span<const std::uint64_t> words, const PrintStrings& strings) const {
  const Values values{words, *this};
  for (const Piece& piece : pieces_) {
    if (piece.conversion == 0) {
      to += piece.text;
      continue;
    }
    const PrintArgument& argument = arguments_[piece.argument];
    for (unsigned lane = 0; lane < argument.lanes; ++lane) {
      if (lane != 0) to += ',';
      if (argument.type == 'i')
        append_integer(to, piece, values, lane);
      else if (argument.type == 'f')
        append_real(to, piece, values, lane);
      else
        append_pointer(to, piece, values, strings);
    }
  }
}

/// For the C library.
std::string PrintFormat::specification(const Piece& piece, const Values& values, const char* length) const {
  std::string text = "%" + piece.text;
  int width = piece.width_from >= 0 ? values.number(piece.width_from) : piece.width;
  if (width < 0) {
    text += '-';
    width = -width;
  }
  // A width of 0 would be a flag.
  if (piece.has_width && width != 0) text += std::to_string(width);
  const int precision = piece.precision_from >= 0 ? values.number(piece.precision_from) : piece.precision;
  if (piece.has_precision && precision >= 0) text += "." + std::to_string(precision);
  return text + length + piece.conversion;
}

void PrintFormat::append_integer(std::string& to, const Piece& piece, const Values& values, unsigned lane) const {
  const std::uint64_t word = values.word(piece.argument, lane);
  if (piece.conversion == 'c') {
    append_printed(to, specification(piece, values, ""), static_cast<int>(static_cast<unsigned char>(word)));
    return;
  }
  const bool is_signed = piece.conversion == 'd' || piece.conversion == 'i';
  const std::uint64_t given = extended(word, arguments_[piece.argument].bits, is_signed);
  const std::uint64_t value = extended(given, piece.bits, is_signed);
  append_printed(to, specification(piece, values, "ll"), static_cast<long long>(value));
}

void PrintFormat::append_real(std::string& to, const Piece& piece, const Values& values, unsigned lane) const {
  const double value = real_of(values.word(piece.argument, lane), arguments_[piece.argument].bits);
  append_printed(to, specification(piece, values, ""), value);
}

void PrintFormat::append_pointer(std::string& to, const Piece& piece, const Values& values,
                                 const PrintStrings& strings) const {
  const std::uint64_t word = values.word(piece.argument);
  if (piece.conversion == 'p') {
    append_printed(to, specification(piece, values, ""), reinterpret_cast<const void*>(word));
    return;
  }
  std::size_t bytes = 0;
  const char* found = word == 0 ? nullptr : strings(word, bytes);
  std::string text = "(null)";
  if (found != nullptr) {
    text.assign(found, ::strnlen(found, bytes));
  } else if (word != 0) {
    to += specification(piece, values, "");
    return;
  }
  append_printed(to, specification(piece, values, ""), text.c_str());
}

}  // namespace skmd::cpu
