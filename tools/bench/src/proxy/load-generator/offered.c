#include "stream.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The requests come from many addresses, as from the pods of a tenant. */
enum { ADDRESSES = 32, MAX_OPEN = 16384 };

static const double longest_seconds = 2;

/* A request that must be denied. The requests that are open form a queue by their start. */
struct request {
  int file;
  int is_sent;
  double started;
  struct request *newer, *older;
};

static struct request pool[MAX_OPEN], *unused[MAX_OPEN], queue = {.newer = &queue, .older = &queue};
static int unused_count = MAX_OPEN;
static long offered, denied, refused, unanswered;

/* Closes by a reset, so that no ports stay occupied. */
static void finish(struct request *request, long *counter) {
  struct linger at_once = {1, 0};
  setsockopt(request->file, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(request->file);
  request->newer->older = request->older;
  request->older->newer = request->newer;
  unused[unused_count++] = request;
  ++*counter;
}

/* Connects from one of the addresses. If too many requests are open, this one counts as unanswered. */
static void start(int poll) {
  int number = offered++ % ADDRESSES, on = 1;
  if (unused_count == 0) {
    unanswered++;
    return;
  }
  struct request *request = unused[--unused_count];
  struct sockaddr_in from = loopback(0), to = loopback(proxy_port);
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + number);
  int file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (file < 0) fail("socket");
  setsockopt(file, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (bind(file, (struct sockaddr *)&from, sizeof from) < 0) fail("bind");
  *request = (struct request){.file = file, .started = now(), .newer = &queue, .older = queue.older};
  queue.older->newer = request;
  queue.older = request;
  if (connect(file, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS) {
    finish(request, &refused);
    return;
  }
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = request};
  epoll_ctl(poll, EPOLL_CTL_ADD, file, &event);
}

static void advance(int poll, struct request *request) {
  char text[4096];
  if (!request->is_sent) {
    int length = write_request(text, sizeof text, 1);
    if (send(request->file, text, length, MSG_NOSIGNAL) != length) {
      finish(request, &refused);
      return;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = request};
    request->is_sent = 1;
    epoll_ctl(poll, EPOLL_CTL_MOD, request->file, &event);
    return;
  }
  ssize_t got = recv(request->file, text, sizeof text - 1, 0);
  text[got > 0 ? got : 0] = 0;
  finish(request, strncmp(text, "HTTP/1.1 403 ", 13) == 0 ? &denied : &refused);
}

void run_offered(int per_second, double seconds) {
  struct epoll_event events[256];
  int poll = epoll_create1(0);
  double started = now();
  for (int i = 0; i < MAX_OPEN; i++) unused[i] = &pool[i];
  while (now() < started + seconds || queue.newer != &queue) {
    double due = now() - started < seconds ? (now() - started) * per_second : 0;
    while (offered < due) start(poll);
    int ready = epoll_wait(poll, events, 256, 1);
    for (int i = 0; i < ready; i++) advance(poll, events[i].data.ptr);
    while (queue.newer != &queue && now() - queue.newer->started > longest_seconds) finish(queue.newer, &unanswered);
  }
  printf("%ld %ld %ld %ld\n", offered, denied, refused, unanswered);
}
