// SPDX-License-Identifier: Apache-2.0
// Feeds a corpus to a target without libFuzzer: every file as it is, cut off at every length, and with every byte
// changed in two ways. What a fuzzer found before cannot come back unseen.
//
//     fuzz_replay_TARGET FOLDER
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void feed(const std::string& bytes) {
  // A copy of its own, so that a sanitizer sees the first byte that is read behind it.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void feed_neighbours(const std::string& bytes) {
  for (std::size_t size = 0; size <= bytes.size(); ++size) feed(bytes.substr(0, size));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int mask : {0x01, 0xFF}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ mask);
      feed(changed);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    feed_neighbours(std::string(std::istreambuf_iterator<char>(stream), {}));
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
