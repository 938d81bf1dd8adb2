// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/codec.h"

#include <gtest/gtest.h>

#include <random>

namespace skmd::compiler {
namespace {

CompileRequest sample_request() {
  CompileRequest request;
  request.source = std::string("kernel void k() {}\0 after a zero", 32);
  request.units = {"int f(void) { return 1; }\n", ""};
  request.options = "-D X=1 -I\"a b\"";
  request.headers = {{"a.h", "#define A 1\n"}, {"", ""}};
  request.language.extensions = {"cl_khr_fp64", "cl_khr_fp16"};
  request.language.features = {"__opencl_c_int64"};
  request.language.fp64 = true;
  request.stage = Stage::compile;
  request.working_directory = "/somewhere";
  return request;
}

CompileAnswer sample_answer() {
  CompileAnswer answer;
  answer.outcome = Outcome::analysed;
  answer.log = "a log";
  answer.reason = "a reason";
  answer.preprocessed = "int x;\n";
  answer.text = "int y;\n";
  answer.vendor_options = "-cl-std=CL1.2";
  answer.hash = std::string(32, 'a');
  answer.kernel_arg_info = true;
  answer.span_code = std::string("code\0with zeros", 15);
  answer.merge_ptx = ".version 5.0";
  domain::KernelTraits kernel;
  kernel.name = "k";
  kernel.attributes = "reqd_work_group_size(8, 1, 1)";
  kernel.parameters.resize(1);
  kernel.parameters[0].name = "p";
  kernel.parameters[0].type_name = "float3";
  kernel.parameters[0].three_vector = true;
  kernel.required_local = {8, 1, 1};
  kernel.hidden_record = true;
  answer.kernels.push_back(kernel);
  return answer;
}

CompileRequest sample_code_request() {
  CompileRequest request = sample_request();
  request.stage = Stage::code;
  request.target = {"x86-64-v3", 8};
  return request;
}

CompileAnswer code_answer() {
  CompileAnswer answer = sample_answer();
  answer.kernel_code = std::string(
      "\x7f"
      "ELF\0",
      5);
  answer.kernel_notes = {{"k", "", {"a.cl:3: gathered", ""}}, {"other", "reads an image", {}}};
  return answer;
}

TEST(RequestCodec, KeepsEveryField) {
  const CompileRequest request = sample_request();
  const auto back = decode_request(encode(request));
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->source, request.source);
  EXPECT_EQ(back->options, request.options);
  ASSERT_EQ(back->headers.size(), 2u);
  EXPECT_EQ(back->headers[0].name, "a.h");
  EXPECT_EQ(back->headers[0].text, "#define A 1\n");
  EXPECT_EQ(back->language.extensions, request.language.extensions);
  EXPECT_EQ(back->language.features, request.language.features);
  EXPECT_TRUE(back->language.fp64);
  EXPECT_FALSE(back->language.images);
  EXPECT_EQ(back->stage, Stage::compile);
  EXPECT_EQ(back->working_directory, "/somewhere");
}

TEST(AnswerCodec, KeepsEveryField) {
  const CompileAnswer answer = sample_answer();
  const auto back = decode_answer(encode(answer));
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->outcome, answer.outcome);
  EXPECT_EQ(back->log, answer.log);
  EXPECT_EQ(back->reason, answer.reason);
  EXPECT_EQ(back->preprocessed, answer.preprocessed);
  EXPECT_EQ(back->text, answer.text);
  EXPECT_EQ(back->vendor_options, answer.vendor_options);
  EXPECT_EQ(back->hash, answer.hash);
  EXPECT_TRUE(back->kernel_arg_info);
  EXPECT_EQ(back->span_code, std::string("code\0with zeros", 15));
  EXPECT_EQ(back->merge_ptx, ".version 5.0");
  EXPECT_EQ(back->kernels, answer.kernels);
}

TEST(RequestCodec, KeepsTheTargetOfCode) {
  const auto back = decode_request(encode(sample_code_request()));
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->stage, Stage::code);
  EXPECT_EQ(back->target.isa, "x86-64-v3");
  EXPECT_EQ(back->target.width, 8u);
}

TEST(RequestCodec, RefusesAWidthThatNoProcessorHas) {
  CompileRequest request = sample_code_request();
  request.target.width = 1u << 20;
  EXPECT_FALSE(decode_request(encode(request)));
}

TEST(AnswerCodec, KeepsCodeAndNotes) {
  const auto back = decode_answer(encode(code_answer()));
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->kernel_code, code_answer().kernel_code);
  EXPECT_EQ(back->kernel_notes, code_answer().kernel_notes);
}

TEST(ReplyCodec, KeepsTheIncludedFiles) {
  const Reply reply{sample_answer(), {{"inc/a.h", 12, 34, std::string(32, 'b')}}};
  const auto back = decode_reply(encode(reply));
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->files, reply.files);
  EXPECT_EQ(back->answer.kernels, reply.answer.kernels);
}

TEST(Codecs, RefuseEveryTruncation) {
  for (const std::string& request : {encode(sample_request()), encode(sample_code_request())})
    for (std::size_t size = 0; size < request.size(); ++size)
      EXPECT_FALSE(decode_request(request.substr(0, size))) << size;
  for (const std::string& answer : {encode(sample_answer()), encode(code_answer())})
    for (std::size_t size = 0; size < answer.size(); ++size)
      EXPECT_FALSE(decode_answer(answer.substr(0, size))) << size;
  const std::string reply = encode(Reply{sample_answer(), {{"a", 1, 2, "h"}}});
  for (std::size_t size = 0; size < reply.size(); ++size) EXPECT_FALSE(decode_reply(reply.substr(0, size))) << size;
}

TEST(Codecs, RefuseBytesThatFollow) {
  EXPECT_FALSE(decode_request(encode(sample_request()) + '\0'));
  EXPECT_FALSE(decode_answer(encode(sample_answer()) + '\0'));
  EXPECT_FALSE(decode_request(encode(sample_code_request()) + '\0'));
  EXPECT_FALSE(decode_answer(encode(code_answer()) + '\0'));
  EXPECT_FALSE(decode_reply(encode(Reply{sample_answer(), {}}) + '\0'));
}

TEST(Codecs, RefuseAnOutcomeOutOfRange) {
  std::string bytes = encode(sample_answer());
  bytes[8] = 17;  // after the magic
  EXPECT_FALSE(decode_answer(bytes));
}

// A changed byte inside a text gives another text: either refused, or a value that encodes to exactly these bytes.
TEST(Codecs, SurviveRandomDamage) {
  std::mt19937 random(7);
  const std::string good = encode(Reply{code_answer(), {{"a", 1, 2, "h"}}});
  const std::string request = encode(sample_code_request());
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = round % 2 == 0 ? good : request;
    for (unsigned hits = 1 + random() % 4; hits > 0; --hits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (const auto back = decode_reply(bytes)) {
      EXPECT_EQ(encode(*back), bytes);
    }
    if (const auto back = decode_request(bytes)) {
      EXPECT_EQ(encode(*back), bytes);
    }
  }
}

TEST(Codecs, RefuseNoise) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_FALSE(decode_request(bytes));
    EXPECT_FALSE(decode_answer(bytes));
    EXPECT_FALSE(decode_reply(bytes));
    EXPECT_FALSE(unframe(bytes));
  }
}

TEST(Frame, NoticesAnyChangedByte) {
  const std::string framed = frame("some bytes");
  ASSERT_EQ(unframe(framed).value(), "some bytes");
  for (std::size_t i = 0; i < framed.size(); ++i) {
    std::string damaged = framed;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(unframe(damaged)) << i;
  }
}

TEST(Frame, EndsExactlyWithItsLastByte) {
  const std::string framed = frame("some bytes");
  for (std::size_t size = 0; size < framed.size(); ++size) EXPECT_FALSE(frame_ended(framed.substr(0, size))) << size;
  EXPECT_TRUE(frame_ended(framed));
}

TEST(Frame, OfNoiseHasEnded) { EXPECT_TRUE(frame_ended("these bytes are no frame")); }

}  // namespace
}  // namespace skmd::compiler
