// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/vendor_build.h"

#include <exception>
#include <latch>

#include "intercept/object/device_query.h"

namespace skmd::icd {
namespace {

std::shared_ptr<NativeProgram> load_blob(Device& device, const VendorInput& input) {
  if (input.blobs == nullptr) return nullptr;
  const std::string key = driver_key(device);
  for (const VendorBlob& blob : *input.blobs) {
    if (blob.driver != key) continue;
    if (auto program = device.load(blob.bytes, input.options)) return *program;
  }
  return nullptr;
}

/// Sets `native`, or else `failure` (never empty then).
void build_on(Device& device, const VendorInput& input, std::shared_ptr<NativeProgram>& native, std::string& failure) {
  native = load_blob(device, input);
  if (native != nullptr) return;
  std::string log;
  auto built = input.units.empty() ? device.build(input.text, input.options, log)
                                   : device.build_linked(input.units, input.options, log);
  if (built) {
    native = std::move(*built);
  } else {
    failure = built.error().reason + (log.empty() || log == built.error().reason ? "" : "\n" + log);
    if (failure.empty()) failure = "the build failed with " + std::to_string(built.error().code);
  }
}

}  // namespace

std::vector<SourceUnit> source_units(const std::vector<Unit>& units) {
  std::vector<SourceUnit> out;
  for (const Unit& unit : units) out.push_back({unit.text, unit.vendor_options});
  return out;
}

VendorOutcome build_on_devices(Machine& machine, const VendorInput& input) {
  const size_t count = machine.devices.size();
  VendorOutcome out{std::vector<std::shared_ptr<NativeProgram>>(count), std::vector<std::string>(count)};
  const auto one = [&](size_t i) {
    try {
      build_on(*machine.devices[i], input, out.native[i], out.failures[i]);
    } catch (const std::exception& exception) {
      out.failures[i] = std::string("exception: ") + exception.what();
    }
  };
  std::latch others(static_cast<std::ptrdiff_t>(count) - 1);
  for (size_t i = 1; i < count; ++i) try {
      machine.executor->post([&, i] {
        one(i);
        others.count_down();
      });
    } catch (const std::exception&) {  // no memory to hand it over
      one(i);
      others.count_down();
    }
  one(0);
  others.wait();
  return out;
}

std::string driver_key(const Device& device) {
  return device.description().platform + '\n' + device.description().name + '\n' +
         query_text(device, CL_DRIVER_VERSION);
}

std::vector<VendorBlob> collect_blobs(Machine& machine, const std::vector<std::shared_ptr<NativeProgram>>& native) {
  std::vector<VendorBlob> out;
  for (size_t i = 0; i < native.size(); ++i) {
    if (native[i] == nullptr) continue;
    auto bytes = machine.devices[i]->binary(*native[i]);
    if (bytes && !bytes->empty()) out.push_back({driver_key(*machine.devices[i]), std::move(*bytes)});
  }
  return out;
}

}  // namespace skmd::icd
