// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/ask_ahead.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "intercept/backend/port/threads.h"

namespace skmd::icd {
namespace {

std::string_view base_name(const std::string& library) {
  return std::string_view(library).substr(library.rfind('/') + 1);
}

/// The same for `libskmd.so` and `libskmd.so.0.1.0`.
std::string_view stem(const std::string& library) {
  const std::string_view name = base_name(library);
  return name.substr(0, name.find(".so"));
}

bool is_pocl(const IcdFile& file) { return base_name(file.library).starts_with("libpocl"); }

}  // namespace

bool names_alone(const std::vector<IcdFile>& files, const IcdFile& file) {
  return std::count_if(files.begin(), files.end(),
                       [&](const IcdFile& other) { return base_name(other.library) == base_name(file.library); }) == 1;
}

std::optional<IcdFile> worth_asking(const std::vector<IcdFile>& files, const std::string& own_library,
                                    unsigned processors) {
  if (processors < 2) return std::nullopt;
  const auto pocl = std::find_if(files.begin(), files.end(), is_pocl);
  if (pocl == files.end() || !names_alone(files, *pocl)) return std::nullopt;
  const bool others = std::any_of(files.begin(), pocl, [&](const IcdFile& file) {
    return !file.library.empty() && stem(file.library) != stem(own_library);
  });
  if (!others) return std::nullopt;
  return *pocl;
}

AskedAhead::AskedAhead(std::optional<IcdFile> file, const AskDriver& ask) : file_(std::move(file)) {
  if (!file_) return;
  try {
    thread_ = quiet_thread([question = ask(file_->path)] {
      try {
        question();
      } catch (const std::bad_alloc&) {  // the driver is loaded here
      }
    });
  } catch (const std::exception&) {  // no thread, or no memory for it: likewise
    file_.reset();
  }
}

bool AskedAhead::asked(const IcdFile& file) {
  if (!file_ || file_->path != file.path) return false;
  wait();
  return true;
}

void AskedAhead::wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace skmd::icd
