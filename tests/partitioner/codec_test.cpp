// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "partitioner/traits/traits_codec.h"
#include "tests/partitioner/random_kernel.h"

namespace skmd::domain::test {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Puts the right checksum behind a changed body, so that the structure has to be found out.
std::string resealed(std::string text) {
  if (text.size() < 8) return text;
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (std::size_t i = 0; i + 8 < text.size(); ++i) hash = (hash ^ static_cast<std::uint8_t>(text[i])) * 0x100000001B3u;
  for (std::size_t i = 0; i < 8; ++i) {
    text[text.size() - 8 + i] = static_cast<char>(hash >> (8 * i));
  }
  return text;
}

KernelTraits full_kernel() {
  KernelTraits k = random_case(5, true).kernel.traits;
  k.name = "scale";
  k.attributes = "reqd_work_group_size(8,8,1)";
  k.required_local = {8, 8, 1};
  k.local_bytes = 4096;
  k.queries = kQueryGlobalId | kQuerySubGroup;
  k.facts = kFactBarrier | kFactUsesFloat | kFactDataDecidesWork;
  k.loops.push_back({kNoNode, false, 0, 63});
  const auto condition = static_cast<NodeId>(k.nodes.size());
  k.nodes.push_back({Op::unknown, 1});
  k.operations = {{7, {}, {}}, {~0u, {{condition, true}, {condition, false}}, {0}}};
  k.hidden_record = true;
  k.merge_function = true;
  k.merge_loads = {0};
  k.access = AccessClass::contiguous;
  Parameter p;
  p.kind = ParameterKind::image;
  p.size = 8;
  p.align = 16;
  p.three_vector = true;
  p.image_access = ImageAccess::read_write;
  p.image_type = 0x10F1;
  p.name = "picture";
  p.type_name = "image2d_t";
  p.address_qualifier = 1;
  p.access_qualifier = 2;
  p.type_qualifier = 3;
  k.parameters.push_back(p);
  return k;
}

TEST(TraitsCodec, RoundTripKeepsEveryField) {
  const std::vector<KernelTraits> kernels = {full_kernel(), KernelTraits{}, random_case(77, false).kernel.traits};
  const auto back = decode_traits(bytes_of(encode(kernels)));
  ASSERT_TRUE(back.ok()) << back.error().reason;
  EXPECT_EQ(*back, kernels);
}

TEST(TraitsCodec, RandomKernelsRoundTrip) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<KernelTraits> kernels = {random_case(seed, seed % 2 == 0).kernel.traits};
    const auto back = decode_traits(bytes_of(encode(kernels)));
    ASSERT_TRUE(back.ok()) << seed << back.error().reason;
    ASSERT_EQ(*back, kernels);
  }
}

TEST(TraitsCodec, NothingAndNoKernels) {
  EXPECT_FALSE(decode_traits({}).ok());
  const auto none = decode_traits(bytes_of(encode({})));
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
}

TEST(TraitsCodec, EveryTruncationIsRefused) {
  const std::string text = encode({full_kernel()});
  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_FALSE(decode_traits(bytes_of(text.substr(0, size))).ok()) << size;
    ASSERT_FALSE(decode_traits(bytes_of(resealed(text.substr(0, size)))).ok()) << size;
  }
  EXPECT_FALSE(decode_traits(bytes_of(resealed(text + "x"))).ok());
}

TEST(TraitsCodec, EveryChangedByteIsRefused) {
  const std::string text = encode({full_kernel()});
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x41);
    ASSERT_FALSE(decode_traits(bytes_of(changed)).ok()) << i;
  }
}

TEST(TraitsCodec, GarbageWithRightChecksumIsRefusedOrMeansExactlyItself) {
  const std::string text = encode({full_kernel(), random_case(3, false).kernel.traits});
  std::mt19937_64 random(21);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = text;
    for (std::uint64_t n = 1 + random() % 3; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random());
    changed = resealed(changed);
    const auto decoded = decode_traits(bytes_of(changed));
    if (!decoded) {
      ++refused;
      ASSERT_FALSE(decoded.error().reason.empty());
      continue;
    }
    ASSERT_EQ(encode(*decoded), changed);
    for (const KernelTraits& kernel : *decoded) ASSERT_TRUE(check_traits(kernel).ok());
  }
  EXPECT_GT(refused, 10'000u);
}

TEST(TraitsCodec, OtherVersionIsNamed) {
  std::string text = encode({});
  text[4] = 9;
  const auto decoded = decode_traits(bytes_of(resealed(text)));
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.error().reason.find("version 9"), std::string::npos);
}

TEST(CheckTraits, RefusesWhatEvaluationCouldNotTrust) {
  const auto broken = [](auto change) {
    KernelBuilder k;
    const auto out = k.buffer(64);
    const auto loop = k.loop(k.constant(3));
    const NodeId position = k.gid();
    k.write(out, k.add(position, k.iteration(loop))).loops = {loop};
    k.traits.accesses[0].guards = {{k.compare(Predicate::ult, k.gid(), k.constant(9)), true}};
    k.traits.operations = {{1, k.traits.accesses[0].guards, {loop}}};
    EXPECT_TRUE(check_traits(k.traits).ok());
    change(k.traits);
    return !check_traits(k.traits).ok();
  };
  const auto last = [](KernelTraits& t) -> Node& { return t.nodes.back(); };
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).a = static_cast<NodeId>(t.nodes.size() - 1); })) << "itself";
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).b = kNoNode; })) << "operand missing";
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).c = 0; })) << "operand too many";
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).dim = 10; })) << "predicate";
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).bits = 0; })) << "no bits";
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).bits = 65; })) << "65 bits";
  EXPECT_TRUE(broken([&](KernelTraits& t) { last(t).op = static_cast<Op>(kOpCount); })) << "operation";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.nodes[1].dim = 3; })) << "dimension";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.nodes[2].value = 1; })) << "loop";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.nodes[0].bits = 32, t.nodes[3].a = 0; })) << "widths";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.loops[0].backedges = 1000; })) << "back edges";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.loops[0].ratio = 1000; })) << "ratio";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.loops[0].ratio = 0; })) << "ratio without doublings";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.loops[0].doublings = 1; })) << "doublings without ratio";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.loops[0].ratio = 0, t.loops[0].doublings = 64; })) << "doublings";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.operations[0].loops = {1}; })) << "loop of operations";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.operations[0].guards[0].node = 0; })) << "guard of operations";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.accesses[0].argument = 1; })) << "argument";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.accesses[0].offset = 1000; })) << "offset";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.merge_loads = {1}; })) << "merge load";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.accesses[0].width = 0; })) << "width";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.accesses[0].loops = {1}; })) << "loop of access";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.accesses[0].guards[0].node = 0; })) << "guard that is a number";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.facts = 1u << 30; })) << "facts";
  EXPECT_TRUE(broken([&](KernelTraits& t) { t.queries = 1u << 30; })) << "queries";
}

}  // namespace
}  // namespace skmd::domain::test
