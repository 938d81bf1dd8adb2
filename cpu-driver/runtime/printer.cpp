// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/printer.h"

#include <locale.h>
#include <unistd.h>
#include <clocale>
#include <cstdio>

#include <algorithm>
#include <cerrno>

namespace skmd::cpu {

namespace {

thread_local Printer::Piece* current = nullptr;

/// Numbers are formatted by the C locale, independent of the application's.
class PlainLocale {
 public:
  PlainLocale() : before_(plain() != nullptr ? ::uselocale(plain()) : nullptr) {}
  ~PlainLocale() {
    if (before_ != nullptr) ::uselocale(before_);
  }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  static locale_t plain() {
    static const locale_t made = ::newlocale(LC_ALL_MASK, "C", nullptr);  // the library's own; never freed
    return made;
  }
  locale_t before_;
};

void write_bytes(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

PrintFormats PrintFormats::of(const PrintTable& table) {
  PrintFormats made;
  made.formats.reserve(table.format_count);
  for (std::uint64_t i = 0; i < table.format_count; ++i)
    made.formats.emplace_back(table.formats[i].text, print_arguments(table.formats[i].arguments));
  for (std::uint64_t i = 0; i < table.string_count; ++i)
    made.strings[reinterpret_cast<std::uint64_t>(table.strings[i].text)] = table.strings[i].bytes;
  return made;
}

void write_to_stdout(std::string_view text) {
  // A stream of wide characters takes none of these.
  const std::size_t put = std::fwrite(text.data(), 1, text.size(), stdout);
  (void)std::fflush(stdout);
  if (put == 0) write_bytes(text);
}

std::byte* print_room(std::uint64_t bytes) { return current != nullptr ? current->room(bytes) : nullptr; }

Printer::Piece::Piece(Printer& printer, std::uint64_t first) : printer_(printer), first_(first), outer_(current) {
  current = this;
}

Printer::Piece::~Piece() {
  current = outer_;
  try {
    format_records();
    if (!text_.empty()) printer_.keep(first_, std::move(text_));
  } catch (...) {  // no memory: what is left is lost
  }
}

std::byte* Printer::Piece::room(std::uint64_t bytes) {
  try {
    if (records_.size() * sizeof(std::uint64_t) + bytes > kMaxKept) {
      format_records();
      send_lines();
    }
    const std::size_t at = records_.size();
    records_.resize(at + bytes / sizeof(std::uint64_t));
    return reinterpret_cast<std::byte*>(records_.data() + at);
  } catch (...) {
    return nullptr;
  }
}

void Printer::Piece::format_records() {
  const PlainLocale plain;
  const PrintStrings strings = [this](std::uint64_t pointer, std::size_t& bytes) -> const char* {
    const auto& known = printer_.formats_.strings;
    auto found = known.upper_bound(pointer);
    if (found == known.begin()) return nullptr;
    --found;
    if (pointer - found->first >= found->second) return nullptr;
    bytes = found->second - (pointer - found->first);
    return reinterpret_cast<const char*>(pointer);
  };
  const std::vector<PrintFormat>& formats = printer_.formats_.formats;
  std::span<const std::uint64_t> rest(records_);
  while (!rest.empty() && rest.front() < formats.size()) {
    const PrintFormat& format = formats[rest.front()];
    if (rest.size() <= format.words()) break;
    format.append(text_, rest.subspan(1, format.words()), strings);
    rest = rest.subspan(1 + format.words());
    // Widths may make much of a few records.
    if (text_.size() > kMaxKept) send_lines();
  }
  records_.clear();
}

/// An unfinished line is kept, so that no other piece's text gets into it.
void Printer::Piece::send_lines() {
  const std::size_t end = text_.rfind('\n');
  const std::size_t bytes = end != std::string::npos ? end + 1 : text_.size() > kMaxKept ? text_.size() : 0;
  if (bytes == 0) return;
  printer_.send(std::string_view(text_).substr(0, bytes));
  text_.erase(0, bytes);
}

void Printer::keep(std::uint64_t first, std::string&& text) {
  const MutexGuard lock(mutex_);
  kept_bytes_ += text.size();
  kept_.emplace(first, std::move(text));
  if (kept_bytes_ > kMaxKept) send_kept();
}

void Printer::send(std::string_view text) {
  const MutexGuard lock(mutex_);
  send_kept();
  write_(text);
}

void Printer::finish() {
  const MutexGuard lock(mutex_);
  send_kept();
}

void Printer::send_kept() {
  std::string all;
  all.reserve(kept_bytes_);
  for (const auto& [first, text] : kept_) all += text;
  kept_.clear();
  kept_bytes_ = 0;
  if (!all.empty()) write_(all);
}

}  // namespace skmd::cpu
