// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "intercept/backend/port/host_code.h"
#include "intercept/command/command_constants.h"
#include "intercept/command/device_transfer.h"
#include "intercept/command/range_command.h"
#include "intercept/memory/bytes.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// A host box around a region of one root, for copies between roots.
HostBox box_of(std::byte* root, const RectRegion& region) {
  return {root + region.begin, region.row_pitch, region.slice_pitch};
}

/// An image moves as a whole, so a write to a part of it needs the rest.
class WritingCommand : public RangeCommand {
 protected:
  using RangeCommand::RangeCommand;
  [[nodiscard]] bool may_run_early() const override { return true; }
  static HostCopy old_bytes(const Storage& storage, const RectRegion& region) {
    return storage.is_image() && region.bytes() != storage.bytes() ? HostCopy::required : HostCopy::ignored;
  }
};

class ReadCommand final : public RangeCommand {
 public:
  ReadCommand(std::shared_ptr<Storage> from, const RectRegion& region, const HostBox& to)
      : RangeCommand("read", region.bytes() <= kInlineTransfer), from_(std::move(from)), region_(region), to_(to) {
    linear_ = region.is_linear() && !from_->is_image();
    touch(from_, effective_ranges(*from_, region), false, linear_ ? HostCopy::inlined : HostCopy::required);
  }

  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    const domain::ByteRange range{region_.begin, region_.begin + region_.bytes()};
    if (linear_ && start_on_device({DeviceTransfer::Kind::read, from_, range, to_.first}, behind, event, self))
      return true;
    return RangeCommand::start(behind, event, self);
  }

 protected:
  Status perform() override {
    if (region_.bytes() == 0) return {};
    if (linear_) return read_bytes(*from_, region_.begin, to_.first, region_.bytes());
    auto root = from_->host();
    if (!root) return root.error();
    copy_to_host(*root, region_, to_);
    return {};
  }

 private:
  std::shared_ptr<Storage> from_;
  RectRegion region_;
  HostBox to_;
  bool linear_ = false;
};

class WriteCommand final : public WritingCommand {
 public:
  WriteCommand(std::shared_ptr<Storage> to, const RectRegion& region, const HostBox& from)
      : WritingCommand("write", region.bytes() <= kInlineTransfer),
        to_(std::move(to)),
        region_(region),
        from_(from),
        ranges_(effective_ranges(*to_, region)) {
    touch(to_, ranges_, true, old_bytes(*to_, region));
  }

  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    const domain::ByteRange range{region_.begin, region_.begin + region_.bytes()};
    if (region_.is_linear() &&
        start_on_device({DeviceTransfer::Kind::write, to_, range, from_.first}, behind, event, self))
      return true;
    return RangeCommand::start(behind, event, self);
  }

 protected:
  Status perform() override {
    if (region_.bytes() == 0) return {};
    if (region_.is_linear() && !to_->is_image()) return write_bytes(*to_, region_.begin, from_.first, region_.bytes());
    auto root = to_->host();
    if (!root) return root.error();
    copy_from_host(*root, region_, from_);
    to_->host_written(ranges_);
    return {};
  }

 private:
  std::shared_ptr<Storage> to_;
  RectRegion region_;
  HostBox from_;
  domain::RangeSet ranges_;
};

/// Copies between buffers go where the bytes are; images, and rows that no device has all of, meet in host memory.
class CopyCommand final : public WritingCommand {
 public:
  CopyCommand(std::shared_ptr<Storage> from, const RectRegion& source, std::shared_ptr<Storage> to,
              const RectRegion& target)
      : WritingCommand("copy", source.bytes() < kInlineBytes),
        from_(std::move(from)),
        to_(std::move(to)),
        source_(source.merged()),
        target_(target.merged()) {
    linear_ = source_.is_linear() && target_.is_linear() && !from_->is_image() && !to_->is_image();
    // Merging may leave two shapes for the same bytes: rows are then taken as given.
    if (!linear_) {
      source_ = source;
      target_ = target;
    }
    ranges_ = effective_ranges(*to_, target);
    buffers_ = !from_->is_image() && !to_->is_image();
    touch(from_, effective_ranges(*from_, source), false, buffers_ ? HostCopy::inlined : HostCopy::required);
    touch(to_, ranges_, true, old_bytes(*to_, target));
  }

  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    const std::uint64_t bytes = source_.bytes();
    const domain::ByteRange range{target_.begin, target_.begin + bytes};
    const bool overlap = from_ == to_ && source_.begin < range.end && range.begin < source_.begin + bytes;
    if (linear_ && !overlap &&
        start_on_device({DeviceTransfer::Kind::copy, to_, range, nullptr, from_, source_.begin}, behind, event, self))
      return true;
    return RangeCommand::start(behind, event, self);
  }

 protected:
  Status perform() override {
    if (source_.bytes() == 0) return {};
    if (linear_) return copy_bytes(*from_, source_.begin, *to_, target_.begin, source_.bytes());
    if (buffers_) {
      if (copy_rows_on_device(*from_, source_, *to_, target_)) return {};
      if (Status status = from_->gather(source_.ranges(), "copy"); !status) return status;
    }
    auto source = from_->host();
    if (!source) return source.error();
    auto target = to_->host();
    if (!target) return target.error();
    if (from_ == to_) {
      // Rows of the two may interleave, so no order of rows is safe.
      std::vector<std::byte> copy(source_.bytes());
      const HostBox between{copy.data(), source_.row_bytes, source_.row_bytes * source_.rows};
      copy_to_host(*source, source_, between);
      copy_from_host(*target, target_, between);
    } else {
      copy_from_host(*target, target_, box_of(*source, source_));
    }
    to_->host_written(ranges_);
    return {};
  }

 private:
  std::shared_ptr<Storage> from_, to_;
  RectRegion source_, target_;
  bool linear_ = false;
  bool buffers_ = false;
  domain::RangeSet ranges_;
};

class FillCommand final : public WritingCommand {
 public:
  FillCommand(std::shared_ptr<Storage> to, const RectRegion& region, std::vector<std::byte> pattern)
      : WritingCommand("fill", region.bytes() <= kInlineBytes),
        to_(std::move(to)),
        region_(region),
        pattern_(std::move(pattern)),
        ranges_(effective_ranges(*to_, region)) {
    touch(to_, ranges_, true, old_bytes(*to_, region));
  }

  bool start(Device* behind, const Ref<Event>& event, const std::shared_ptr<Command>& self) override {
    const RectRegion rows = region_.merged();
    const domain::ByteRange range{rows.begin, rows.begin + rows.bytes()};
    if (rows.is_linear()) {
      // Copied here: where a member's copy throws, GCC 12 destroys the others after the aggregate's scope has ended.
      std::vector<std::byte> pattern = pattern_;
      if (start_on_device({DeviceTransfer::Kind::fill, to_, range, nullptr, nullptr, 0, std::move(pattern)}, behind,
                          event, self))
        return true;
    }
    return RangeCommand::start(behind, event, self);
  }

 protected:
  Status perform() override {
    if (region_.bytes() == 0) return {};
    const RectRegion rows = region_.merged();
    if (rows.is_linear() && rows.bytes() > kInlineBytes && !to_->is_image())
      return fill_bytes(*to_, {rows.begin, rows.begin + rows.bytes()}, pattern_);
    auto root = to_->host();
    if (!root) return root.error();
    for (std::uint64_t slice = 0; slice < rows.slices; ++slice)
      for (std::uint64_t row = 0; row < rows.rows; ++row)
        repeat_pattern(*root + rows.begin + slice * rows.slice_pitch + row * rows.row_pitch, rows.row_bytes, pattern_);
    to_->host_written(ranges_);
    return {};
  }

 private:
  std::shared_ptr<Storage> to_;
  RectRegion region_;
  std::vector<std::byte> pattern_;
  domain::RangeSet ranges_;
};

class HostCopyCommand final : public RangeCommand {
 public:
  HostCopyCommand(std::byte* to, const std::byte* from, std::uint64_t bytes)
      : RangeCommand("copy", bytes <= kInlineTransfer), to_(to), from_(from), bytes_(bytes) {}

 protected:
  Status perform() override {
    copy_host(to_, from_, bytes_);
    return {};
  }

 private:
  std::byte* to_;
  const std::byte* from_;
  std::uint64_t bytes_;
};

class MigrateCommand final : public RangeCommand {
 public:
  MigrateCommand(const std::vector<MigratedView>& views, cl_mem_migration_flags flags)
      : RangeCommand("migrate", (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) == 0), views_(views) {
    undefined_ = (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0;
    // Without CL_MIGRATE_MEM_OBJECT_HOST the target is "the device": launches bring their slices what they need.
    const bool to_host = (flags & CL_MIGRATE_MEM_OBJECT_HOST) != 0;
    for (const MigratedView& view : views_) {
      if (!undefined_ && !to_host) continue;
      touch(view.storage, effective_ranges(*view.storage, view.region), undefined_,
            undefined_ ? HostCopy::ignored : HostCopy::required);
    }
  }

 protected:
  Status perform() override {
    if (undefined_)
      for (const MigratedView& view : views_) view.storage->forget(effective_ranges(*view.storage, view.region));
    return {};
  }

 private:
  std::vector<MigratedView> views_;
  bool undefined_ = false;
};

}  // namespace

std::shared_ptr<Command> make_read(const std::shared_ptr<Storage>& from, const RectRegion& region, const HostBox& to) {
  return std::make_shared<ReadCommand>(from, region, to);
}

std::shared_ptr<Command> make_write(const std::shared_ptr<Storage>& to, const RectRegion& region, const HostBox& from) {
  return std::make_shared<WriteCommand>(to, region, from);
}

std::shared_ptr<Command> make_copy(const std::shared_ptr<Storage>& from, const RectRegion& source,
                                   const std::shared_ptr<Storage>& to, const RectRegion& target) {
  return std::make_shared<CopyCommand>(from, source, to, target);
}

std::shared_ptr<Command> make_fill(const std::shared_ptr<Storage>& to, const RectRegion& region,
                                   std::vector<std::byte> pattern) {
  return std::make_shared<FillCommand>(to, region, std::move(pattern));
}

std::shared_ptr<Command> make_host_copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  return std::make_shared<HostCopyCommand>(to, from, bytes);
}

std::shared_ptr<Command> make_migrate(const std::vector<MigratedView>& views, cl_mem_migration_flags flags) {
  return std::make_shared<MigrateCommand>(views, flags);
}

}  // namespace skmd::icd
