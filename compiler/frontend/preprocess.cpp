// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/preprocess.h"

#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/PreprocessorOutputOptions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/raw_ostream.h>

#include <set>
#include <string_view>

#include "compiler/frontend/names.h"
#include "compiler/frontend/pragmas.h"

namespace skmd::compiler {
namespace {

class IncludeCollector : public clang::PPCallbacks {
 public:
  explicit IncludeCollector(std::set<std::string>& files) : files_(files) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef, const clang::Module*,
                          bool, clang::SrcMgr::CharacteristicKind) override {
    if (!file) return;
    const std::string name = file->getName().str();
    if (without_memory_folder(name) == name) files_.insert(name);
  }

 private:
  std::set<std::string>& files_;
};

class PreprocessAction : public clang::PreprocessorFrontendAction {
 public:
  PreprocessAction(std::string& text, std::set<std::string>& files, ExpandedPragmas& pragmas)
      : text_(text), files_(files), pragmas_(pragmas) {}

 protected:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<IncludeCollector>(files_));
    pragmas_.expand_in(preprocessor);
    clang::PreprocessorOutputOptions output;
    output.ShowCPP = 1;
    output.ShowLineMarkers = 1;
    output.ShowMacros = 1;  // for #undef of standard names, see keep_needed_directives
    llvm::raw_string_ostream stream(text_);
    clang::DoPrintPreprocessedInput(preprocessor, &stream, output);
  }

 private:
  std::string& text_;
  std::set<std::string>& files_;
  ExpandedPragmas& pragmas_;
};

template <class Visit>
void for_each_line(const std::string& text, Visit&& visit) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    visit(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
}

bool is_line_marker(std::string_view line) {
  return line.size() > 2 && line[0] == '#' && line[1] == ' ' && line[2] >= '0' && line[2] <= '9';
}

/// Definitions have done their work. An #undef of a standard name has to stay: from there on the program may use the
/// name for itself, where a vendor's header has it as a macro.
bool is_spent_directive(std::string_view line) {
  constexpr std::string_view kUndef = "#undef ";
  if (line.rfind("#define ", 0) == 0) return true;
  return line.rfind(kUndef, 0) == 0 && !is_standard_name(line.substr(kUndef.size()));
}

std::string keep_needed_directives(const std::string& text, const ExpandedPragmas& pragmas) {
  std::string kept;
  kept.reserve(text.size());
  // What comes before the program's own text are the predefined macros.
  bool in_program = false;
  for_each_line(text, [&](std::string_view line) {
    if (!in_program) {
      in_program = is_line_marker(line) && line.rfind("# 1 ", 0) == 0 && line.size() > 2 &&
                   line.find(kSourceName) != std::string_view::npos && line.substr(line.size() - 2) == " 2";
      if (in_program) kept += std::string("# 1 \"") + kSourceName + "\"\n";
      return;
    }
    // The empty line keeps the count of lines between two markers.
    if (const std::string* pragma = pragmas.behind(line); pragma != nullptr)
      kept += *pragma;
    else if (!is_spent_directive(line))
      kept += line;
    kept += '\n';
  });
  return kept;
}

std::vector<std::string> arguments_for(const CompileRequest& request, const Options& options) {
  std::vector<std::string> words{
      "-triple",
      "spir64-unknown-unknown",
      "-undef",
      "-cl-std=CL" + std::to_string(options.version / 100) + "." + std::to_string(options.version / 10 % 10),
      "-Wno-macro-redefined",
      "-Wno-builtin-macro-redefined",
      "-Wno-unknown-pragmas"};
  if (options.no_warnings) words.emplace_back("-w");
  if (options.warnings_are_errors) words.emplace_back("-Werror");
  for (const std::string& macro : virtual_device_macros(request.language, options)) words.push_back("-D" + macro);
  // Clang's own questions would get the answers of this Clang, not of the one that compiles for a device.
  for (const char* name :
       {"__has_builtin", "__has_feature", "__has_extension", "__has_attribute", "__has_c_attribute",
        "__has_cpp_attribute", "__has_declspec_attribute", "__has_warning", "__is_identifier", "__building_module",
        "__has_constexpr_builtin", "__is_target_arch", "__is_target_vendor", "__is_target_os",
        "__is_target_environment", "__is_target_variant_os", "__is_target_variant_environment", "__MODULE__"}) {
    words.push_back(std::string("-U") + name);
  }
  add_preprocessor_options(words, options);
  return words;
}

}  // namespace

Preprocessed preprocess(const CompileRequest& request, const Options& options) {
  Preprocessed result;
  ExpandedPragmas pragmas;
  Session session(request.source, request.headers, arguments_for(request, options));
  if (!session.ready()) {
    result.diagnostics = session.take_diagnostics();
    return result;
  }
  result.started = true;
  std::string text;
  std::set<std::string> files;
  PreprocessAction action(text, files, pragmas);
  const bool ran = session.compiler().ExecuteAction(action);
  result.diagnostics = session.take_diagnostics();
  result.ok = ran && result.diagnostics.errors.empty();
  result.text = without_memory_folder(keep_needed_directives(text, pragmas));
  result.includes.assign(files.begin(), files.end());
  return result;
}

std::string without_line_markers(const std::string& text) {
  std::string kept;
  kept.reserve(text.size());
  for_each_line(text, [&](std::string_view line) {
    if (is_line_marker(line)) return;
    kept += line;
    kept += '\n';
  });
  return kept;
}

}  // namespace skmd::compiler
