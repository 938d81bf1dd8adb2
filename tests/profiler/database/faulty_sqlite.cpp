// SPDX-License-Identifier: Apache-2.0
#include "tests/profiler/database/faulty_sqlite.h"

#include <cstdlib>
#include <new>

namespace skmd::profiler::test {
namespace {

sqlite3_vfs* real_files = nullptr;
sqlite3_vfs files;
sqlite3_mem_methods real_heap;

bool fails(bool file) { return FaultySqlite::instance().fails(file); }

/// A file of ours, followed by the real one.
struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }

int close_file(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read_file(sqlite3_file* file, void* to, int bytes, sqlite3_int64 at) {
  return fails(true) ? SQLITE_IOERR_READ : real(file)->pMethods->xRead(real(file), to, bytes, at);
}
int write_file(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 at) {
  if (!fails(true)) return real(file)->pMethods->xWrite(real(file), from, bytes, at);
  real(file)->pMethods->xWrite(real(file), from, bytes / 2, at);  // as much as there was room for
  return SQLITE_FULL;
}
int truncate_file(sqlite3_file* file, sqlite3_int64 bytes) {
  return fails(true) ? SQLITE_IOERR_TRUNCATE : real(file)->pMethods->xTruncate(real(file), bytes);
}
int sync_file(sqlite3_file* file, int flags) {
  return fails(true) ? SQLITE_IOERR_FSYNC : real(file)->pMethods->xSync(real(file), flags);
}
int size_of_file(sqlite3_file* file, sqlite3_int64* bytes) {
  return fails(true) ? SQLITE_IOERR_FSTAT : real(file)->pMethods->xFileSize(real(file), bytes);
}
int lock_file(sqlite3_file* file, int level) {
  return fails(true) ? SQLITE_IOERR_LOCK : real(file)->pMethods->xLock(real(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  // A lock that the system would not give back goes when the file is closed.
  const int code = real(file)->pMethods->xUnlock(real(file), level);
  return fails(true) ? SQLITE_IOERR_UNLOCK : code;
}
int reserved_lock(sqlite3_file* file, int* answer) {
  return fails(true) ? SQLITE_IOERR_CHECKRESERVEDLOCK : real(file)->pMethods->xCheckReservedLock(real(file), answer);
}
int control_file(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

// Version 1: no shared memory, which only write-ahead logs need, and no mapped pages.
const sqlite3_io_methods kMethods{
    1,         close_file,  read_file,     write_file,   truncate_file, sync_file,       size_of_file,
    lock_file, unlock_file, reserved_lock, control_file, sector_size,   characteristics, nullptr,
    nullptr,   nullptr,     nullptr,       nullptr,      nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
  file->pMethods = nullptr;
  if (fails(true)) return SQLITE_CANTOPEN;
  const int code = real_files->xOpen(real_files, name, real(file), flags, opened);
  if (real(file)->pMethods != nullptr) file->pMethods = &kMethods;
  return code;
}
int delete_file(sqlite3_vfs*, const char* name, int sync) {
  return fails(true) ? SQLITE_IOERR_DELETE : real_files->xDelete(real_files, name, sync);
}
int access_file(sqlite3_vfs*, const char* name, int flags, int* answer) {
  return fails(true) ? SQLITE_IOERR_ACCESS : real_files->xAccess(real_files, name, flags, answer);
}
int full_name(sqlite3_vfs*, const char* name, int bytes, char* to) {
  return fails(true) ? SQLITE_CANTOPEN : real_files->xFullPathname(real_files, name, bytes, to);
}

void* allocate(int bytes) { return fails(false) ? nullptr : real_heap.xMalloc(bytes); }
void* reallocate(void* old, int bytes) { return fails(false) ? nullptr : real_heap.xRealloc(old, bytes); }

}  // namespace

FaultySqlite& FaultySqlite::instance() {
  static auto* const one = new FaultySqlite;
  return *one;
}

FaultySqlite::FaultySqlite() {
  sqlite3_mem_methods heap;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_heap) != SQLITE_OK) std::abort();
  heap = real_heap;
  heap.xMalloc = allocate;
  heap.xRealloc = reallocate;
  // No small reserve of each connection, which would be asked before the heap.
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &heap) != SQLITE_OK ||
      sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK)
    std::abort();
}

void FaultySqlite::arm(What what, std::uint64_t at) {
  if (real_files == nullptr) {  // not in the constructor: SQLite asks this object for its first memory
    if (sqlite3_initialize() != SQLITE_OK) std::abort();
    real_files = sqlite3_vfs_find(nullptr);
    files = *real_files;
    files.iVersion = 1;
    files.zName = "faulty";
    files.szOsFile = static_cast<int>(sizeof(File)) + real_files->szOsFile;
    files.xOpen = open_file;
    files.xDelete = delete_file;
    files.xAccess = access_file;
    files.xFullPathname = full_name;
    sqlite3_vfs_register(&files, 1);
  }
  what_ = what;
  at_ = at;
  calls_ = 0;
  failed_ = false;
}

bool FaultySqlite::disarm() {
  what_ = What::none;
  return failed_;
}

bool FaultySqlite::fails(bool file) {
  if (what_ == What::none || file != (what_ != What::heap)) return false;
  ++calls_;
  const bool now = calls_ == at_ || (what_ == What::file_for_good && calls_ > at_);
  failed_ = failed_ || now;
  return now;
}

}  // namespace skmd::profiler::test
