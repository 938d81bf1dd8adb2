// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/paste_headers.h"

#include <filesystem>
#include <map>
#include <string_view>

#include "intercept/build/include_line.h"

namespace skmd::icd {
namespace {

constexpr int kDeepest = 64;                             // headers inside each other
constexpr std::size_t kLargest = std::size_t{16} << 20;  // bytes of the pasted text
constexpr int kMacrosInARow = 16;                        // that stand for each other
// What the front end calls the program's own text, too.
constexpr std::string_view kSourceName = "<source>";

struct Found {
  std::string name;     // as __FILE__ gives it
  std::string folder;   // for its own includes in quotes
  bool handed = false;  // one of the headers, whose folders are none of the file system's
  std::string text;
};

std::string folder_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(name.substr(0, slash + 1));
}

std::string in_quotes(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class Paster {
 public:
  explicit Paster(const HeaderPlaces& places) : places_(places) {
    for (const std::string& macro : places.macros) {
      const std::size_t equal = macro.find('=');
      if (equal != std::string::npos) define(macro.substr(0, equal), macro.substr(equal + 1));
    }
  }

  std::string run(const std::string& source) {
    paste({std::string(kSourceName), {}, true, source}, 0);
    return std::move(out_);
  }

 private:
  void paste(const Found& file, int depth) {
    LineReader reader(file.text);
    LogicalLine line;
    std::size_t number = 0;
    while (reader.next(line)) {
      number += line.lines;
      const Directive directive = directive_of(line);
      if (directive.name == "define") learn(directive.rest);
      const bool once = depth > 0 && directive.name == "pragma" && directive.rest == "once";  // guard() tells
      const auto found = included(directive, file, depth);
      if (!once && !found) {
        out_ += line.raw;
      } else {
        // Comments end and begin as they did.
        if (line.begins_in_comment) out_ += "*/";
        if (found) guard(*found, depth + 1);
        mark(number, file.name);
        if (line.ends_in_comment) out_ += "/*";
      }
      if (!line.ends_in_text) out_ += '\n';
    }
  }

  void guard(const Found& file, int depth) {
    const bool once = says_once(file.text);
    std::string name;
    if (once) {
      name = "SKMD_ONCE_" + std::to_string(once_.emplace(file.name, once_.size()).first->second);
      new_line();
      out_ += "#ifndef " + name + "\n#define " + name + "\n";
    }
    mark(1, file.name);
    paste(file, depth);
    new_line();
    if (once) out_ += "#endif\n";
  }

  static bool says_once(const std::string& text) {
    LineReader reader(text);
    for (LogicalLine line; reader.next(line);) {
      const Directive directive = directive_of(line);
      if (directive.name == "pragma" && directive.rest == "once") return true;
    }
    return false;
  }

  void new_line() {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }
  /// The next line is `number` of `file`.
  void mark(std::size_t number, const std::string& file) {
    new_line();
    out_ += "#line " + std::to_string(number) + ' ' + in_quotes(file) + '\n';
  }

  // Object-like macros, for includes that name one. "": several meanings, of which conditions choose.
  void learn(std::string_view rest) {
    const std::size_t end = rest.find_first_of(" \t(");
    if (end == std::string_view::npos || rest[end] == '(') return;
    define(std::string(rest.substr(0, end)), std::string(rest.substr(rest.find_first_not_of(" \t", end))));
  }
  void define(const std::string& name, const std::string& text) {
    const auto [known, added] = macros_.emplace(name, text);
    if (!added && known->second != text) known->second.clear();
  }
  [[nodiscard]] HeaderName resolved(std::string_view rest) const {
    for (int i = 0; i < kMacrosInARow; ++i) {
      if (const HeaderName name = header_name(rest); !name.name.empty()) return name;
      const auto macro = macros_.find(rest);
      if (macro == macros_.end()) return {};
      rest = macro->second;
    }
    return {};
  }

  [[nodiscard]] std::optional<Found> included(const Directive& directive, const Found& from, int depth) const {
    if (directive.name != "include" || depth >= kDeepest || out_.size() > kLargest) return std::nullopt;
    const HeaderName header = resolved(directive.rest);
    if (header.name.empty()) return std::nullopt;
    const std::string name(header.name);
    if (name.front() == '/') {
      auto found = handed(name);
      return found ? found : read(name);
    }
    if (header.quoted) {
      auto found = from.handed ? handed(from.folder + name) : read(from.folder + name);
      if (!found && from.handed) found = handed(std::filesystem::path(from.folder + name).lexically_normal().string());
      if (found) return found;
    }
    if (auto found = handed(name)) return found;
    for (const std::string& folder : places_.folders)
      if (auto found = read(folder + '/' + name)) return found;
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Found> handed(const std::string& name) const {
    for (const compiler::Header& header : places_.headers)
      if (header.name == name) return Found{name, folder_of(name), true, header.text};
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Found> read(const std::string& path) const {
    if (!places_.read) return std::nullopt;
    auto text = places_.read(path);
    if (!text) return std::nullopt;
    return Found{path, folder_of(path), false, std::move(*text)};
  }

  const HeaderPlaces& places_;
  std::string out_;
  std::map<std::string, std::size_t> once_;  // numbers by name
  std::map<std::string, std::string, std::less<>> macros_;
};

}  // namespace

std::string paste_headers(const std::string& source, const HeaderPlaces& places) { return Paster(places).run(source); }

}  // namespace skmd::icd
