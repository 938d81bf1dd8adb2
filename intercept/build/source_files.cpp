// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/source_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "compiler/client/options.h"
#include "intercept/build/paste_headers.h"

namespace skmd::icd {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{16} << 20;  // bytes; a source is not so large

/// Never waits: a pipe or a device is no header.
std::optional<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kLargestFile) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad() || !file.is_open()) return std::nullopt;
  return text;
}

std::string rooted(const std::string& path, const std::string& folder) {
  return path.empty() || path.front() == '/' || folder.empty() ? path : folder + '/' + path;
}

/// One word of build options, as a vendor's compiler splits them.
std::string as_word(const std::string& text) {
  if (text.find_first_of(" \t\"'\\") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// The options with each relative folder of -I below `folder`; as they are if there is none.
std::string rooted_folders(const std::string& options, const std::vector<std::string>& words,
                           const std::string& folder) {
  std::string out;
  bool changed = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.starts_with("-I")) {
      std::string path = word.substr(2);
      path.erase(0, std::min(path.find_first_not_of(" \t"), path.size()));
      if (path.empty() && i + 1 < words.size()) path = words[++i];
      changed |= rooted(path, folder) != path;
      word = "-I" + rooted(path, folder);
    }
    out += (out.empty() ? "" : " ") + as_word(word);
  }
  return changed ? out : options;
}

}  // namespace

std::string working_directory() {
  std::error_code error;
  const auto path = std::filesystem::current_path(error);
  return error ? std::string() : path.string();
}

FrozenSource freeze_source(const std::string& source, const std::string& options,
                           const std::vector<compiler::Header>& headers, const std::string& folder) {
  FrozenSource out{source, options};
  HeaderPlaces places;
  places.headers = headers;
  places.read = read_file;
  const auto words = compiler::split_words(options);
  const auto parsed = compiler::parse_options(options);
  if (words) out.options = rooted_folders(options, *words, folder);
  if (parsed) {
    for (const compiler::PreprocessorOption& option : parsed->preprocessor) {
      using Kind = compiler::PreprocessorOption::Kind;
      if (option.kind == Kind::include_folder) places.folders.push_back(rooted(option.text, folder));
      if (option.kind == Kind::define) places.macros.push_back(option.text);
    }
  }
  if (!folder.empty()) places.folders.push_back(folder);
  out.text = paste_headers(source, places);
  return out;
}

}  // namespace skmd::icd
