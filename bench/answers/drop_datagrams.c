/* Drops a share of the datagrams that a process sends over UDP; preloaded by bench/answers/shims.py.
   DROP_PERCENT: the share. DROP_SEED: the seed. A dropped datagram counts as sent, as on a real network. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

static _Atomic uint64_t state;
static double share;

__attribute__((constructor)) static void start(void)
{
  const char * percent = getenv("DROP_PERCENT");
  const char * seed = getenv("DROP_SEED");
  share = percent ? atof(percent) / 100.0 : 0.0;
  atomic_store(&state, seed ? strtoull(seed, NULL, 10) : 1);
}

static double chance(void) /* SplitMix64; Steele, Lea, Flood, OOPSLA 2014 */
{
  uint64_t bits = atomic_fetch_add(&state, UINT64_C(0x9E3779B97F4A7C15)) + UINT64_C(0x9E3779B97F4A7C15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((bits ^ (bits >> 31)) >> 11) / 9007199254740992.0;
}

static int is_dropped(int fd)
{
  int type = 0, domain = 0;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_DGRAM) return 0;
  size = sizeof domain;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size)) return 0;
  return (domain == AF_INET || domain == AF_INET6) && chance() < share;
}

static ssize_t length(const struct msghdr * message)
{
  size_t total = 0;
  for (size_t i = 0; i < message->msg_iovlen; ++i) total += message->msg_iov[i].iov_len;
  return (ssize_t)total;
}

ssize_t sendto(int fd, const void * data, size_t size, int flags, const struct sockaddr * to, socklen_t to_size)
{
  typedef ssize_t (*Real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
  static Real real;
  if (!real) real = (Real)dlsym(RTLD_NEXT, "sendto");
  return is_dropped(fd) ? (ssize_t)size : real(fd, data, size, flags, to, to_size);
}

ssize_t sendmsg(int fd, const struct msghdr * message, int flags)
{
  typedef ssize_t (*Real)(int, const struct msghdr *, int);
  static Real real;
  if (!real) real = (Real)dlsym(RTLD_NEXT, "sendmsg");
  return is_dropped(fd) ? length(message) : real(fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr * messages, unsigned int count, int flags)
{
  for (unsigned int i = 0; i < count; ++i) { /* one by one, so that each has its own chance */
    ssize_t sent = sendmsg(fd, &messages[i].msg_hdr, flags);
    if (sent < 0) return i ? (int)i : -1;
    messages[i].msg_len = (unsigned int)sent;
  }
  return (int)count;
}
