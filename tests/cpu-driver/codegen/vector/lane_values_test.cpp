// SPDX-License-Identifier: Apache-2.0
// Values of lanes, and stack memory for them.
#include "cpu-driver/codegen/vector/lane_values.h"

#include <gtest/gtest.h>

#include "cpu-driver/codegen/vector/lane_storage.h"
#include "tests/cpu-driver/codegen/vector/masked_function.h"

namespace skmd::codegen::test {
namespace {

using llvm::BasicBlock;
using llvm::Value;

constexpr const char* kSums = R"(
  %next = add i64 %id, 1
  %far = mul i64 %id, 3
  %both = mul i64 %next, %far
  %narrow = trunc i64 %id to i32
  %wide = sext i32 %narrow to i64
  ret void
)";

/// A vector function with two blocks: the prologue, and one at whose end code is made.
class LaneValuesTest : public testing::Test {
 protected:
  MaskedFunction source_{kSums};
  llvm::Function* target_ = llvm::Function::Create(
      source_.function().getFunctionType(), llvm::GlobalValue::InternalLinkage, "v", source_.function().getParent());
  BasicBlock* prologue_ = BasicBlock::Create(target_->getContext(), "prologue", target_);
  BasicBlock* block_ = BasicBlock::Create(target_->getContext(), "block", target_);
  Builder builder_{block_, llvm::TargetFolder(target_->getDataLayout())};
  LaneValues values_{source_.shapes(), MaskedFunction::kLanes, builder_, *prologue_};
};

TEST_F(LaneValuesTest, ConstantsStandForThemselves) {
  llvm::ConstantInt* seven = builder_.getInt32(7);
  EXPECT_EQ(values_.scalar(seven), seven);
  EXPECT_EQ(values_.vector(seven), llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(4), seven));
}

TEST_F(LaneValuesTest, AVectorOfAScalarIsMadeOnceBehindItsDefinition) {
  auto* made = llvm::cast<llvm::Instruction>(builder_.CreateAdd(target_->getArg(2), builder_.getInt64(1)));
  BasicBlock* later = BasicBlock::Create(target_->getContext(), "later", target_);
  builder_.SetInsertPoint(later);
  values_.set_scalar(source_["next"], made);
  Value* vector = values_.vector(&source_["next"]);
  EXPECT_EQ(vector->getType(), llvm::FixedVectorType::get(builder_.getInt64Ty(), 4));
  EXPECT_EQ(llvm::cast<llvm::Instruction>(vector)->getParent(), block_);
  EXPECT_TRUE(later->empty());
  EXPECT_EQ(values_.vector(&source_["next"]), vector);
}

TEST_F(LaneValuesTest, AVectorOfAParameterIsMadeInThePrologue) {
  values_.set_scalar(source_["id"], target_->getArg(2));
  auto* vector = llvm::cast<llvm::Instruction>(values_.vector(&source_["id"]));
  EXPECT_EQ(vector->getParent(), prologue_);
  EXPECT_TRUE(block_->empty());
}

TEST_F(LaneValuesTest, ALaneIsAsManyStridesFromTheFirst) {
  values_.set_scalar(source_["far"], builder_.getInt64(10));
  EXPECT_EQ(values_.lane(&source_["far"], 2), builder_.getInt64(16));
  EXPECT_TRUE(block_->empty());
}

TEST_F(LaneValuesTest, ALaneOfAVaryingValueIsTakenOutOfItsVector) {
  Value* vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder_.getInt64Ty(), 4));
  vector = builder_.CreateInsertElement(vector, target_->getArg(2), std::uint64_t{0});
  values_.set_vector(source_["both"], vector);
  const auto* lane = llvm::cast<llvm::ExtractElementInst>(values_.lane(&source_["both"], 3));
  EXPECT_EQ(lane->getVectorOperand(), vector);
  EXPECT_EQ(lane->getParent(), block_);
}

TEST_F(LaneValuesTest, NoMaskIsEveryLane) {
  EXPECT_TRUE(llvm::cast<llvm::Constant>(values_.mask_vector(nullptr))->isAllOnesValue());
  Value* live = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(4), builder_.getFalse());
  values_.set_vector(source_["live"], live);
  EXPECT_EQ(values_.mask_vector(&source_["live"]), live);
}

TEST_F(LaneValuesTest, OnlyWhatIsCheckedHasACheck) {
  ASSERT_TRUE(values_.shape(&source_["wide"]).checked);
  values_.set_check(source_["wide"], builder_.getTrue());
  EXPECT_EQ(values_.check_of(&source_["wide"]), builder_.getTrue());
  values_.set_check(source_["next"], builder_.getTrue());
  EXPECT_EQ(values_.check_of(&source_["next"]), nullptr);
}

TEST_F(LaneValuesTest, ACopyForLaneZeroHasScalarsForOperands) {
  values_.set_scalar(source_["id"], target_->getArg(2));
  const llvm::Instruction* made = copy_scalar(builder_, values_, source_.instruction("next"));
  EXPECT_EQ(made->getOperand(0), target_->getArg(2));
  EXPECT_EQ(made->getParent(), block_);
  EXPECT_EQ(made->getName(), "next");
}

TEST_F(LaneValuesTest, StorageIsInThePrologue) {
  LaneStorage storage(*prologue_, MaskedFunction::kLanes);
  const llvm::AllocaInst* odd = storage.array(builder_.getIntNTy(26));  // a whole number of bytes in memory
  EXPECT_EQ(odd->getAllocatedType(), llvm::ArrayType::get(builder_.getInt32Ty(), 4));
  EXPECT_GE(odd->getAlign(), llvm::Align(64));
  EXPECT_EQ(odd->getParent(), prologue_);
}

TEST_F(LaneValuesTest, IdleLanesShareOnePlaceOfTheLargestAlignment) {
  LaneStorage storage(*prologue_, MaskedFunction::kLanes);
  const Access small{nullptr, &source_["in"], nullptr, nullptr, llvm::Align(4)};
  const Access large{nullptr, &source_["in"], nullptr, nullptr, llvm::Align(256)};
  Value* place = storage.idle_place(builder_, small);
  EXPECT_EQ(place->getType(), source_["in"].getType());
  auto* idle = llvm::cast<llvm::AllocaInst>(llvm::cast<llvm::AddrSpaceCastInst>(place)->getPointerOperand());
  EXPECT_EQ(idle->getAlign(), llvm::Align(64));
  storage.idle_place(builder_, large);
  EXPECT_EQ(idle->getAlign(), llvm::Align(256));
  EXPECT_EQ(prologue_->size(), 1U);
}

}  // namespace
}  // namespace skmd::codegen::test
