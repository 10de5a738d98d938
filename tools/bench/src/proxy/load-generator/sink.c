#include "stream.h"
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void *serve_bulk(void *argument) {
  struct stream stream = {(int)(intptr_t)argument, NULL};
  char kind, *block = malloc(BLOCK);
  uint64_t length;
  receive_all(&stream, &kind, 1);
  receive_all(&stream, (char *)&length, sizeof length);
  while (length > 0) {
    size_t part = length < BLOCK ? length : BLOCK;
    if (kind == SEND) send_all(&stream, zeros, part);
    else receive_all(&stream, block, part);
    length -= part;
  }
  send_all(&stream, "!", 1);
  shutdown(stream.file, SHUT_WR);
  while (recv(stream.file, block, BLOCK, 0) > 0) {}
  close(stream.file);
  free(block);
  return NULL;
}

static void *watch_input(void *unused) {
  char byte;
  while (read(0, &byte, 1) > 0) {}
  exit(unused == NULL ? 0 : 1);
}

static int listen_on_any_port(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 4096) < 0) fail("listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

static void watch(int poll, int file) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
  epoll_ctl(poll, EPOLL_CTL_ADD, file, &event);
}

/* Echoes what it reads. The first byte of a connection moves it to a thread of its own if it is not ECHO. */
static void serve(int poll, int file, char *known) {
  static char block[BLOCK];
  if (!*known) {
    pthread_t thread;
    char kind;
    if (recv(file, &kind, 1, MSG_PEEK) == 1 && kind != ECHO) {
      epoll_ctl(poll, EPOLL_CTL_DEL, file, NULL);
      pthread_create(&thread, NULL, serve_bulk, (void *)(intptr_t)file);
      pthread_detach(thread);
      return;
    }
    *known = 1;
  }
  struct stream stream = {file, NULL};
  ssize_t got = recv(file, block, sizeof block, 0);
  if (got <= 0) close(file);
  else send_all(&stream, block, got);
}

void run_sink(void) {
  static char known[MAX_FILES];
  struct epoll_event events[256];
  pthread_t thread;
  int listener = listen_on_any_port(), poll = epoll_create1(0), on = 1;
  pthread_create(&thread, NULL, watch_input, NULL);
  watch(poll, listener);
  for (;;) {
    int count = epoll_wait(poll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      int file = events[i].data.fd;
      if (file != listener) {
        serve(poll, file, &known[file]);
        continue;
      }
      file = accept(listener, NULL, NULL);
      if (file < 0 || file >= MAX_FILES) fail("accept");
      setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      known[file] = 0;
      watch(poll, file);
    }
  }
}
