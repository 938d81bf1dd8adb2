// SPDX-License-Identifier: Apache-2.0
#include "tests/driver/random/program_source.h"

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "tests/temporary_folder.h"

namespace skmd::test {
namespace {

/// Carries a source out, part by part.
class Source {
 public:
  Source(cl_context context, cl_device_id device) : context_(context), device_(device) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    for (cl_program unit : units_) clReleaseProgram(unit);
  }

  cl_program carry_out(const std::string& source) {
    std::istringstream lines(source);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream stream(line);
      std::string mark, next;
      stream >> mark >> next;
      if (mark == "//" && (next == "header" || next == "program" || next == "unit")) {
        end_part(false);
        kind_ = next;
        if (!std::getline(stream >> std::ws, words_)) words_.clear();
      } else {
        text_ += line + "\n";
      }
    }
    end_part(true);
    headers_.reset();  // what was compiled needs them no more
    if (!units_.empty()) link();
    return program_;
  }

 private:
  void end_part(bool last) {
    if (kind_ == "header") {
      if (headers_ == nullptr) headers_ = std::make_unique<TemporaryFolder>();
      std::ofstream(headers_->file(words_)) << text_;
    }
    const std::string options = headers_ == nullptr ? words_ : words_ + " -I " + headers_->path();
    if (kind_ == "unit") {
      units_.push_back(made());
      must(clCompileProgram(units_.back(), 1, &device_, options.c_str(), 0, nullptr, nullptr, nullptr, nullptr),
           "clCompileProgram", units_.back());
    }
    if (kind_ == "program" && last) {
      program_ = made();
      must(clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr), "clBuildProgram", program_);
    }
    text_.clear();
  }

  void link() {
    cl_int status = CL_SUCCESS;
    program_ = clLinkProgram(context_, 1, &device_, "", static_cast<cl_uint>(units_.size()), units_.data(), nullptr,
                             nullptr, &status);
    must(status, "clLinkProgram", program_);
  }

  cl_program made() const {
    const char* string = text_.c_str();
    const std::size_t bytes = text_.size();
    cl_int status = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context_, 1, &string, &bytes, &status);
    must(status, "clCreateProgramWithSource", nullptr);
    return program;
  }

  void must(cl_int status, const char* what, cl_program program) const {
    if (status == CL_SUCCESS) return;
    std::vector<char> log(1 << 16);
    if (program != nullptr)
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    throw std::runtime_error(what + std::string(" gave ") + std::to_string(status) + ": " + log.data());
  }

  cl_context context_;
  cl_device_id device_;
  std::string kind_ = "program", words_, text_;  // of the part that is being read
  std::vector<cl_program> units_;
  std::unique_ptr<TemporaryFolder> headers_;
  cl_program program_ = nullptr;
};

}  // namespace

cl_program built_program(cl_context context, cl_device_id device, const std::string& source) {
  return Source(context, device).carry_out(source);
}

}  // namespace skmd::test
