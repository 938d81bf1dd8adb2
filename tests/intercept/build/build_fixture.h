// SPDX-License-Identifier: Apache-2.0
// A machine of two scripted devices, and no compiler helper: every source is opaque unless a test hands in an answer.
#pragma once

#include <gtest/gtest.h>

#include "intercept/build/build.h"
#include "intercept/build/executable.h"
#include "tests/intercept/object/scripted_device.h"

namespace skmd::test {

class BuildTest : public ::testing::Test {
 protected:
  BuildTest() {
    machine.devices = {anchor, other};
    machine.anchor = 0;
    machine.executor = &executor;
    machine.compiler = &compiler;
  }

  icd::Ref<icd::Program> source(const std::string& text) {
    return icd::make_object<icd::Program>(context, icd::Program::Origin::source, text);
  }

  void refused_by_all() {
    for (const auto& device : {anchor, other}) device->accepts = [](const std::string&) { return false; };
  }

  /// What the front end would say of `text` with one kernel that has one int argument.
  static compiler::CompileAnswer answer(const std::string& text) {
    compiler::CompileAnswer out;
    out.outcome = compiler::Outcome::analysed;
    out.preprocessed = text;
    out.text = "rewritten " + text;
    out.vendor_options = "-cl-std=CL1.2";
    out.hash = std::string(32, 'a');
    domain::KernelTraits traits;
    traits.name = "k";
    domain::Parameter parameter;
    parameter.size = 4;
    traits.parameters = {parameter};
    out.kernels = {traits};
    return out;
  }

  std::shared_ptr<ScriptedDevice> anchor = std::make_shared<ScriptedDevice>("first", icd::DeviceKind::gpu);
  std::shared_ptr<ScriptedDevice> other = std::make_shared<ScriptedDevice>("second", icd::DeviceKind::cpu);
  icd::Executor executor;
  compiler::Client compiler{{.helper = "/nonexistent/skmd-compile", .cache = ""}};
  icd::Machine machine;
  icd::Ref<icd::Context> context =
      icd::make_object<icd::Context>(machine, std::vector<cl_context_properties>{}, nullptr, nullptr);
};

}  // namespace skmd::test
