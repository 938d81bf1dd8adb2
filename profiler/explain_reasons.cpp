// SPDX-License-Identifier: Apache-2.0
#include "profiler/explain_stats.h"

namespace skmd::profiler {

using domain::NotSplit;
using domain::Rung;

std::string sentence_for(NotSplit reason) {
  switch (reason) {
    case NotSplit::mode_single:
      return "SKMD_PARTITION asks for one device. Set it to auto, or leave it out, to split.";
    case NotSplit::small_launch:
      return "There was too little work for a second device to be worth its overhead. More work per launch helps; "
             "SKMD_PARTITION=equal splits all the same.";
    case NotSplit::one_group:
      return "The launch has one work-group, and a work-group is never divided. A smaller local size, or a larger "
             "global one, gives more.";
    case NotSplit::one_device_eligible:
      return "Only one device could take this kernel with these arguments (local size, local memory, buffer sizes, "
             "double precision, or its compiler refused the program). SKMD_LOG=info names what was refused.";
    case NotSplit::not_profitable:
      return "A split was predicted to gain less than the prediction may be wrong by, mostly because of the data "
             "that would have to move. SKMD_PARTITION=equal or fixed:… splits all the same.";
    case NotSplit::atomic_result_used:
      return "The kernel uses what an atomic operation on global memory returns, so it sees an order that devices "
             "cannot share. Counting per work-group in local memory first, or dropping the returned value, makes it "
             "divisible.";
    case NotSplit::device_scope_sync:
      return "The kernel orders memory between work-groups (a device-scope fence or an ordered atomic); they must "
             "run on one device. Two kernels in a row do the same and can be split.";
    case NotSplit::spinning:
      return "A work-group waits for memory that another one writes, or memory is volatile; work-groups that wait "
             "for each other must run on one device.";
    case NotSplit::pointer_in_memory:
      return "The kernel keeps addresses in buffers, or takes them from there; they mean nothing on another device. "
             "Indices instead of pointers can be split.";
    case NotSplit::image_read:
      return "The kernel reads an image that it also writes. Two images, or a buffer, can be split.";
    case NotSplit::image_written:
      return "The kernel writes an image at coordinates that are known only while it runs. Coordinates that follow "
             "from ids can be split, and so can a buffer.";
    case NotSplit::mutable_program_scope:
      return "The program has variables outside its kernels that can be written; each device would have its own. A "
             "buffer argument instead can be split.";
    case NotSplit::printf:
      return "The kernel calls printf, whose output would come in another order. Without it the kernel may be split.";
    case NotSplit::device_specific_code:
      return "The kernel has inline assembly, sub-group or unknown functions, calls itself, or is too large to be "
             "analysed: what it does on another device is not known.";
    case NotSplit::opaque_program:
      return "Our front end could not take the program, which therefore runs as it is, whole. SKMD_LOG=info and "
             "skmd-info say what it stumbled over; skmd-info explain on the source does too.";
    case NotSplit::float_decides_address:
      return "Floating point decides where the kernel reads or writes, and unlike devices round differently. "
             "SKMD_SPLIT_MIXED=1 splits it all the same, if small differences do no harm.";
    case NotSplit::memory_short:
      return "A device had no room for its part. Other programs may be using its memory; smaller buffers help.";
    case NotSplit::unmergeable:
      return "Several devices may write the same bytes, in a way that does not tell afterwards who wrote what "
             "(unknown places with elements of several sizes, or atomics mixed with stores).";
  }
  return "This reason is unknown to this skmd-info.";
}

std::string sentence_for(Rung rung) {
  switch (rung) {
    case Rung::none:
      break;
    case Rung::disjoint:
      return "every device wrote bytes of its own; nothing had to be merged, results stay where they are until they "
             "are read";
    case Rung::kernel:
      return "a generated kernel replayed one device's stores from the other's result; that costs one pass over what "
             "was written, and moves it once";
    case Rung::diff:
      return "each result was compared with the bytes before the launch, element by element; that moves the whole "
             "buffer from every device and reads it twice";
    case Rung::reduce:
      return "partial results of atomic operations were added up (or their minimum, maximum, … taken); that moves "
             "the buffer from every device";
  }
  return "the buffer was not written";
}

}  // namespace skmd::profiler
