// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/native.h"

#include <cstring>
#include <utility>

#include "intercept/command/range_command.h"

namespace skmd::icd {

namespace {

class NativeCommand final : public RangeCommand {
 public:
  NativeCommand(void(CL_CALLBACK* function)(void*), std::vector<std::byte> arguments,
                const std::vector<NativeBuffer>& buffers)
      : RangeCommand("native kernel", false), function_(function), arguments_(std::move(arguments)), buffers_(buffers) {
    for (const NativeBuffer& buffer : buffers_)
      if (buffer.storage != nullptr)
        touch(buffer.storage, effective_ranges(*buffer.storage, buffer.region), true, HostCopy::required);
  }
  [[nodiscard]] bool runs_foreign_code() const override { return true; }

 protected:
  Status perform() override {
    for (const NativeBuffer& buffer : buffers_) {
      std::byte* address = nullptr;
      if (buffer.storage != nullptr) {
        auto root = buffer.storage->host();
        if (!root) return root.error();
        address = *root + buffer.region.begin;
      }
      std::memcpy(arguments_.data() + buffer.argument_offset, &address, sizeof address);
    }
    function_(arguments_.empty() ? nullptr : arguments_.data());
    for (const NativeBuffer& buffer : buffers_)
      if (buffer.storage != nullptr) buffer.storage->host_written(effective_ranges(*buffer.storage, buffer.region));
    return {};
  }

 private:
  void(CL_CALLBACK* function_)(void*);
  std::vector<std::byte> arguments_;
  std::vector<NativeBuffer> buffers_;
};

}  // namespace

std::shared_ptr<Command> make_native(void(CL_CALLBACK* function)(void*), std::vector<std::byte> arguments,
                                     const std::vector<NativeBuffer>& buffers) {
  return std::make_shared<NativeCommand>(function, std::move(arguments), buffers);
}

}  // namespace skmd::icd
