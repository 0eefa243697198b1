// Widens a race of rmw_fastrtps to WIDEN_US microseconds; preloaded by bench/answers/shims.py.
//
// ClientListener::set_on_new_response_callback counts the unread responses before it enables data_available
// (rmw_fastrtps_shared_cpp/custom_client_info.hpp): a response that arrives in between is never announced. This library
// takes the place of the function that counts, and waits after it. It waits in the main thread alone, where executors
// set callbacks: the middleware's own threads also count, for responses that are announced.
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace
{
constexpr char COUNT[] = "_ZNK8eprosima7fastdds3dds10DataReader16get_unread_countEb";
using Count = uint64_t (*)(const void *, bool);

int find(dl_phdr_info * info, size_t, void * found)
{
  const char * name = info->dlpi_name;
  if (!strstr(name, "/libfastrtps.so") && !strstr(name, "/libfastdds.so")) return 0;
  // the library is not in the global scope, where RTLD_NEXT would look
  void * library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  *static_cast<void **>(found) = library ? dlsym(library, COUNT) : nullptr;
  return 1;
}

Count real_count()
{
  void * found = nullptr;
  dl_iterate_phdr(find, &found);
  if (!found) abort();  // a measurement without the race would mean nothing
  return reinterpret_cast<Count>(found);
}
}  // namespace

extern "C" uint64_t widened_count(const void * reader, bool mark_as_read)
asm("_ZNK8eprosima7fastdds3dds10DataReader16get_unread_countEb");

extern "C" uint64_t widened_count(const void * reader, bool mark_as_read)
{
  static const Count real = real_count();
  static const useconds_t wait_us = getenv("WIDEN_US") ? atoi(getenv("WIDEN_US")) : 1000;
  const uint64_t count = real(reader, mark_as_read);
  if (getpid() == syscall(SYS_gettid)) usleep(wait_us);
  return count;
}
