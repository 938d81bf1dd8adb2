// SPDX-License-Identifier: Apache-2.0
// One run of Clang inside this process: arguments, files in memory, captured diagnostics.
#pragma once

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::compiler {

/// The name of the program's text in build logs, __FILE__ and line markers.
inline constexpr const char* kSourceName = "<source>";

struct Diagnostic {
  unsigned id = 0;
  std::string message;
};

/// Keeps Clang's diagnostic output, and the errors one by one.
struct Diagnostics {
  std::string log;
  std::vector<Diagnostic> errors;
};

class Session {
 public:
  /// `text` becomes the main file, `headers` lie beside it. `arguments` are those of cc1, without input and output.
  Session(const std::string& text, const std::vector<Header>& headers, const std::vector<std::string>& arguments);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// False if Clang refuses the arguments.
  [[nodiscard]] bool ready() const { return compiler_ != nullptr; }
  clang::CompilerInstance& compiler() { return *compiler_; }
  /// Complete once the action that was run has ended.
  Diagnostics take_diagnostics();

 private:
  class Capture;
  clang::DiagnosticOptions diagnostic_options_;
  std::unique_ptr<Capture> capture_;
  std::unique_ptr<clang::CompilerInstance> compiler_;
};

/// Removes the folder in memory from the names of embedded headers and of the main file.
std::string without_memory_folder(const std::string& text);

}  // namespace skmd::compiler
