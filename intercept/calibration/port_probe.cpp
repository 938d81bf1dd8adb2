// SPDX-License-Identifier: Apache-2.0
#include "intercept/calibration/port_probe.h"

#include <algorithm>
#include <cstring>
#include <latch>
#include <vector>

#include "intercept/calibration/calibration_constants.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd::calibration {
namespace {

using namespace tuning;

using domain::Error;
using domain::NdRange;

// Each item reads kWords words, a row of all items' first ones, then one of their second ones. Words are what the
// device's loads move best: four numbers on GPUs, one on processors, whose compilers join those of neighbouring items.
// `never` is a value that no word has; compilers do not know.
constexpr const char* kText = R"(
kernel void skmd_calibration_empty(global uint* out, uint never) {
  if (never == 1) out[get_global_id(0)] = never;
}
kernel void skmd_calibration_read(global const WORD* data, global uint* out, uint row, uint never) {
  size_t i = get_global_id(0);
  WORD all = data[i] ^ data[i + row] ^ data[i + 2 * (size_t)row] ^ data[i + 3 * (size_t)row];
  uint value = FOLD(all);
  if (value == never) out[0] = value;
}
)";
constexpr std::uint64_t kWords = 4;      // of the text above
constexpr std::uint32_t kNever = 0x53u;  // likewise

std::uint64_t number(const Device& device, cl_device_info name) {
  const auto answer = device.info(name);
  cl_ulong value = 0;
  if (answer && answer->size() == sizeof value) std::memcpy(&value, answer->data(), sizeof value);
  return value;
}

template <class T>
std::vector<std::byte> bytes_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// The ends of some batches.
class Ends {
 public:
  explicit Ends(std::uint32_t count) : left_(count) {}
  void one(const BatchResult& result) {
    {
      const MutexGuard lock(mutex_);
      if (result.status != CL_SUCCESS && status_) status_ = Error{result.status, result.reason};
    }
    left_.count_down();
  }
  /// Blocks until all have ended; the first failure.
  Status wait() {
    left_.wait();
    const MutexGuard lock(mutex_);
    return status_;
  }

 private:
  std::latch left_;
  Mutex mutex_{LockRank::probe_ends};
  Status status_ SKMD_GUARDED_BY(mutex_);
};

class PortProbe final : public DeviceProbe {
 public:
  PortProbe(std::shared_ptr<Device> device, std::string salt) : device_(std::move(device)), salt_(std::move(salt)) {}

  Status prepare(std::uint64_t bytes) override {
    const bool processor = device_->description().kind == DeviceKind::cpu;
    word_ = processor ? 4 : 16;
    const std::string words = processor ? "#define WORD uint\n#define FOLD(a) (a)\n"
                                        : "#define WORD uint4\n#define FOLD(a) (a.x ^ a.y ^ a.z ^ a.w)\n";
    auto empty = kernel_of(words + kText, "skmd_calibration_empty");
    if (!empty) return empty.error();
    empty_ = std::move(*empty);
    auto reader = kernel_of(words + kText, "skmd_calibration_read");
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
    auto out = device_->allocate(4096, nullptr);
    if (!out) return out.error();
    out_ = std::move(*out);
    auto data = device_->allocate(bytes, nullptr);
    if (!data) return data.error();
    data_ = std::move(*data);
    bytes_ = bytes;
    return run({FillOp{data_, bytes_of(cl_uint{0x01010101}), 0, bytes}});
  }

  Status launches(std::uint32_t count) override {
    const RunOp one = empty_op(empty_, 0);
    const auto ends = std::make_shared<Ends>(count);
    Ticket last = 0;
    for (std::uint32_t i = 0; i < count; ++i) last = submit({one}, ends);
    device_->help(last);
    return ends->wait();
  }
  Status boxes(std::uint32_t count) override {
    std::vector<Op> ops;
    for (std::uint32_t i = 0; i < count; ++i) ops.emplace_back(empty_op(empty_, i));
    return run(std::move(ops));
  }
  Status make_fresh() override {
    const std::string number = std::to_string(++fresh_count_);
    auto made = kernel_of("// " + salt_ + " " + number +
                              "\nkernel void skmd_calibration_fresh(global uint* out, uint never) {\n" +
                              "  if (never == " + number + "u + " + salt_ + "u) out[get_global_id(0)] = never;\n}\n",
                          "skmd_calibration_fresh");
    if (!made) return made.error();
    fresh_ = std::move(*made);
    return {};
  }
  Status launch_fresh() override { return run({empty_op(fresh_, 0)}); }

  Status read(std::uint64_t bytes, std::uint32_t passes) override {
    const std::uint64_t items = bytes / (word_ * kWords);
    RunOp op;
    op.kernel = reader_;
    op.arguments = std::make_shared<const std::vector<NativeArgument>>(
        std::vector<NativeArgument>{BufferArgument{data_, 0, bytes_}, BufferArgument{out_, 0, 4096},
                                    bytes_of(static_cast<cl_uint>(items)), bytes_of(cl_uint{kNever})});
    op.range.work_dim = 2;
    op.range.global = {items, passes, 1};
    op.range.local = {std::min(group_of(*reader_), items), 1, 1};
    return run({std::move(op)});
  }

 private:
  static std::uint64_t group_of(const NativeKernel& kernel) {
    std::uint64_t group = kReadingGroup;
    while (group > 1 && group > kernel.limits().work_group_size) group /= 2;
    return group;
  }
  Result<std::shared_ptr<NativeKernel>> kernel_of(const std::string& text, const std::string& name) {
    std::string log;
    auto program = device_->build(text, "", log);
    if (!program) return Error{program.error().code, program.error().reason + (log.empty() ? "" : ": " + log)};
    return device_->kernel(*program, name);
  }
  [[nodiscard]] RunOp empty_op(const std::shared_ptr<NativeKernel>& kernel, std::uint32_t box) const {
    const std::uint64_t group = std::min<std::uint64_t>(64, group_of(*kernel));
    RunOp op;
    op.kernel = kernel;
    op.arguments = empty_arguments();
    op.range.work_dim = 1;
    op.range.offset = {box * group, 0, 0};
    op.range.global = {group, 1, 1};
    op.range.local = {group, 1, 1};
    return op;
  }
  [[nodiscard]] std::shared_ptr<const std::vector<NativeArgument>> empty_arguments() const {
    return std::make_shared<const std::vector<NativeArgument>>(
        std::vector<NativeArgument>{BufferArgument{out_, 0, 4096}, bytes_of(cl_uint{0})});
  }
  Ticket submit(std::vector<Op> ops, const std::shared_ptr<Ends>& ends) {
    Batch batch;
    batch.ops = std::move(ops);
    batch.done = [ends](BatchResult&& result) { ends->one(result); };
    return device_->submit(std::move(batch));
  }
  Status run(std::vector<Op> ops) {
    const auto ends = std::make_shared<Ends>(1);
    device_->help(submit(std::move(ops), ends));
    return ends->wait();
  }

  const std::shared_ptr<Device> device_;
  const std::string salt_;
  std::uint64_t word_ = 4, bytes_ = 0;
  std::uint32_t fresh_count_ = 0;
  std::shared_ptr<NativeKernel> empty_, reader_, fresh_;
  std::shared_ptr<NativeMemory> out_, data_;
};

}  // namespace

std::unique_ptr<DeviceProbe> probe_of(std::shared_ptr<Device> device, std::string salt) {
  return std::make_unique<PortProbe>(std::move(device), std::move(salt));
}

std::uint64_t memory_for(const Device& device, std::uint64_t wanted) {
  const std::uint64_t all = number(device, CL_DEVICE_GLOBAL_MEM_SIZE) / kMemoryPart;
  const std::uint64_t most = std::min(number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), all);
  std::uint64_t bytes = kLeastRead;
  while (bytes < wanted && 2 * bytes <= most) bytes *= 2;
  return bytes;
}

}  // namespace skmd::icd::calibration
