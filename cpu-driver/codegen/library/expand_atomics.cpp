// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "cpu-driver/codegen/library/expand.h"

namespace skmd::codegen {

namespace {

using Order = llvm::AtomicOrdering;
using Operation = llvm::AtomicRMWInst::BinOp;

/// Of Clang's memory_order values; what is not a constant may be any.
Order order_of(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  if (constant == nullptr) return Order::SequentiallyConsistent;
  switch (constant->getZExtValue()) {
    case 0:
      return Order::Monotonic;
    case 1:
    case 2:
      return Order::Acquire;
    case 3:
      return Order::Release;
    case 4:
      return Order::AcquireRelease;
    default:
      return Order::SequentiallyConsistent;
  }
}

/// The letter of the type in memory: after "Vi" or "VU7_Atomici".
char letter_of(llvm::StringRef parameters) {
  llvm::StringRef rest = parameters;
  if (rest.contains("U7_Atomic")) return rest.split("U7_Atomic").second.take_front(1).str()[0];
  if (!rest.consume_front("P")) return 0;
  if (rest.consume_front("U3AS")) rest = rest.drop_front(1);
  rest.consume_front("V");
  return rest.empty() ? 0 : rest.front();
}

bool is_unsigned(char letter) { return letter == 'j' || letter == 'm'; }
bool is_float(const llvm::Value* value) { return value->getType()->isFloatingPointTy(); }

std::optional<Operation> operation_of(llvm::StringRef word, char letter, bool floating) {
  if (floating) {
    return llvm::StringSwitch<std::optional<Operation>>(word)
        .Cases({"xchg", "exchange"}, Operation::Xchg)
        .Case("add", Operation::FAdd)
        .Case("sub", Operation::FSub)
        .Case("min", Operation::FMin)
        .Case("max", Operation::FMax)
        .Default(std::nullopt);
  }
  return llvm::StringSwitch<std::optional<Operation>>(word)
      .Cases({"xchg", "exchange"}, Operation::Xchg)
      .Cases({"add", "inc"}, Operation::Add)
      .Cases({"sub", "dec"}, Operation::Sub)
      .Case("and", Operation::And)
      .Case("or", Operation::Or)
      .Case("xor", Operation::Xor)
      .Case("min", is_unsigned(letter) ? Operation::UMin : Operation::Min)
      .Case("max", is_unsigned(letter) ? Operation::UMax : Operation::Max)
      .Default(std::nullopt);
}

llvm::Align natural(const llvm::Type* type) { return llvm::Align(type->getPrimitiveSizeInBits().getFixedValue() / 8); }

bool is_scalar(const llvm::Type* type) {
  return type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy() || type->isDoubleTy();
}

/// atomic_add and the like: relaxed, of all devices.
Expansion expand_old(llvm::CallInst& call, llvm::StringRef word, char letter) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* pointer = call.getArgOperand(0);
  llvm::Type* type = call.getType();
  if (!is_scalar(type)) return std::nullopt;
  if (word == "cmpxchg" && call.arg_size() == 3) {
    llvm::Value* pair = builder.CreateAtomicCmpXchg(pointer, call.getArgOperand(1), call.getArgOperand(2),
                                                    natural(type), Order::Monotonic, Order::Monotonic);
    return builder.CreateExtractValue(pair, 0);
  }
  const bool step = word == "inc" || word == "dec";
  if (call.arg_size() != (step ? 1 : 2)) return std::nullopt;
  llvm::Value* operand = step ? llvm::ConstantInt::get(type, 1) : call.getArgOperand(1);
  const auto operation = operation_of(word, letter, is_float(operand));
  if (!operation) return std::nullopt;
  return builder.CreateAtomicRMW(*operation, pointer, operand, natural(type), Order::Monotonic);
}

/// The function of <stdatomic.h> without "_explicit", and its orders.
class Modern {
 public:
  Modern(llvm::CallInst& call, llvm::StringRef word, char letter, bool is_explicit)
      : call_(call), word_(word), letter_(letter), explicit_(is_explicit), builder_(&call) {}

  Expansion expand() {
    if (word_ == "init") return store(call_.getArgOperand(1), Order::Monotonic);
    if (word_ == "store") return store(call_.getArgOperand(1), store_order(order(2)));
    if (word_ == "flag_clear") return store(builder_.getInt32(0), store_order(order(1)));
    if (word_ == "load") return load(order(1));
    if (word_ == "flag_test_and_set") {
      llvm::Value* before = modify(Operation::Xchg, builder_.getInt32(1), order(1));
      return builder_.CreateZExtOrTrunc(builder_.CreateIsNotNull(before), call_.getType());
    }
    if (word_ == "compare_exchange_strong" || word_ == "compare_exchange_weak") return exchange_if_equal();
    llvm::StringRef action = word_;
    if (!action.consume_front("fetch_") && action != "exchange") return std::nullopt;
    llvm::Value* operand = call_.getArgOperand(1);
    const auto operation = operation_of(action, letter_, is_float(operand));
    if (!operation || !is_scalar(operand->getType())) return std::nullopt;
    return modify(*operation, operand, order(2));
  }

 private:
  [[nodiscard]] Order order(unsigned index) const {
    return explicit_ && index < call_.arg_size() ? order_of(call_.getArgOperand(index)) : Order::SequentiallyConsistent;
  }

  static Order store_order(Order order) {
    return order == Order::Acquire || order == Order::AcquireRelease ? Order::SequentiallyConsistent : order;
  }
  static Order load_order(Order order) {
    return order == Order::Release || order == Order::AcquireRelease ? Order::SequentiallyConsistent : order;
  }

  Expansion store(llvm::Value* value, Order order) {
    if (!is_scalar(value->getType())) return std::nullopt;
    llvm::StoreInst* made = builder_.CreateAlignedStore(value, call_.getArgOperand(0), natural(value->getType()));
    made->setAtomic(order);
    return nullptr;
  }

  Expansion load(Order order) {
    if (!is_scalar(call_.getType())) return std::nullopt;
    llvm::LoadInst* made =
        builder_.CreateAlignedLoad(call_.getType(), call_.getArgOperand(0), natural(call_.getType()));
    made->setAtomic(load_order(order));
    return made;
  }

  llvm::Value* modify(Operation operation, llvm::Value* operand, Order order) {
    return builder_.CreateAtomicRMW(operation, call_.getArgOperand(0), operand, natural(operand->getType()), order);
  }

  /// Floats are compared as bits, as memcmp would. What was found is stored only where it differs.
  Expansion exchange_if_equal() {
    llvm::Type* type = call_.getArgOperand(2)->getType();
    if (!is_scalar(type)) return std::nullopt;
    llvm::Type* bits = builder_.getIntNTy(type->getPrimitiveSizeInBits());
    llvm::Value* expected_at = call_.getArgOperand(1);
    llvm::Value* expected = builder_.CreateAlignedLoad(bits, expected_at, natural(bits));
    llvm::Value* desired = builder_.CreateBitCast(call_.getArgOperand(2), bits);
    llvm::Value* pair = builder_.CreateAtomicCmpXchg(call_.getArgOperand(0), expected, desired, natural(bits), order(3),
                                                     load_order(order(4)));
    llvm::Value* found = builder_.CreateExtractValue(pair, 0);
    llvm::Value* equal = builder_.CreateExtractValue(pair, 1);
    llvm::Value* result = builder_.CreateZExtOrTrunc(equal, call_.getType());
    llvm::Instruction* differs = llvm::SplitBlockAndInsertIfThen(builder_.CreateNot(equal), call_.getIterator(), false);
    llvm::IRBuilder<>(differs).CreateAlignedStore(found, expected_at, natural(bits));
    return result;
  }

  llvm::CallInst& call_;
  llvm::StringRef word_;
  char letter_;
  bool explicit_;
  llvm::IRBuilder<> builder_;
};

Expansion expand_fence(llvm::CallInst& call, llvm::StringRef base) {
  llvm::IRBuilder<> builder(&call);
  Order order = Order::AcquireRelease;
  if (base == "read_mem_fence") order = Order::Acquire;
  if (base == "write_mem_fence") order = Order::Release;
  if (base == "atomic_work_item_fence") {
    if (call.arg_size() != 3) return std::nullopt;
    order = order_of(call.getArgOperand(1));
  }
  if (order != Order::Monotonic) builder.CreateFence(order);
  return nullptr;
}

}  // namespace

Expansion expand_atomic(llvm::CallInst& call, const SplitName& name) {
  for (const char* fence : {"mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence"})
    if (name.base == fence) return expand_fence(call, name.base);
  llvm::StringRef word = name.base;
  const bool old = word.consume_front("atom_");
  if ((!old && !word.consume_front("atomic_")) || call.arg_empty()) return std::nullopt;
  const char letter = letter_of(name.parameters);
  if (old || !name.parameters.contains("U7_Atomic")) return expand_old(call, word, letter);
  const bool is_explicit = word.consume_back("_explicit");
  return Modern(call, word, letter, is_explicit).expand();
}

}  // namespace skmd::codegen
