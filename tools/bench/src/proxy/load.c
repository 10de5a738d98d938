/*
 * The two ends of the tunnels that `npm run bench -- proxy` measures. It is small, so that the proxy between them determines the time.
 *
 *   load sink                                          prints its port; serves until its standard input ends
 *   load tunnels PROXY SINK CLIENTS SECONDS            prints: tunnels, and seconds
 *   load bulk PROXY SINK CONNECTIONS MIB up|down       prints: seconds
 *   load echo PROXY SINK COUNT                         prints: p50 and p99 in microseconds
 *   load idle PROXY SINK COUNT                         prints "ready", then waits for the end of its standard input
 *   load denied PROXY SINK CLIENTS SECONDS             prints: requests, and seconds
 *
 * PROXY and SINK are ports of 127.0.0.1; PROXY 0 connects directly.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024, PIECE = 1024, MAX_FILES = 65536 };

/* The first byte of a connection selects what the sink does with the rest. */
enum { ECHO = 'E', SEND = 'S', COUNT = 'C' };

static int proxy_port, sink_port;
static char zeros[BLOCK];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static void send_all(int file, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(file, bytes, length, MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    bytes += sent;
    length -= sent;
  }
}

static void receive_all(int file, char *bytes, size_t length) {
  while (length > 0) {
    ssize_t got = recv(file, bytes, length, 0);
    if (got <= 0) fail("recv");
    bytes += got;
    length -= got;
  }
}

static int dial(int port) {
  int file = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = loopback(port);
  if (file < 0) fail("socket");
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(file, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  return file;
}

/* Requests a tunnel to a port. Returns the status of the response, which it reads up to its empty line. */
static int ask(int file, int port) {
  char text[4096];
  int length = snprintf(text, sizeof text,
                        "CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port, port);
  send_all(file, text, length);
  size_t got = 0;
  do {
    ssize_t more = recv(file, text + got, sizeof text - 1 - got, 0);
    if (more <= 0) fail("response");
    got += more;
    text[got] = 0;
  } while (strstr(text, "\r\n\r\n") == NULL);
  return atoi(text + 9);
}

static int open_tunnel(void) {
  if (proxy_port == 0) return dial(sink_port);
  int file = dial(proxy_port), status = ask(file, sink_port);
  if (status != 200) {
    fprintf(stderr, "the proxy answers %d\n", status);
    exit(1);
  }
  return file;
}

/* ---- The sink ---- */

static void *serve_bulk(void *argument) {
  int file = (int)(intptr_t)argument;
  char kind, *block = malloc(BLOCK);
  uint64_t length;
  receive_all(file, &kind, 1);
  receive_all(file, (char *)&length, sizeof length);
  while (length > 0) {
    size_t part = length < BLOCK ? length : BLOCK;
    if (kind == SEND) send_all(file, zeros, part);
    else receive_all(file, block, part);
    length -= part;
  }
  send_all(file, "!", 1);
  shutdown(file, SHUT_WR);
  while (recv(file, block, BLOCK, 0) > 0) {}
  close(file);
  free(block);
  return NULL;
}

static void *watch_input(void *unused) {
  char byte;
  while (read(0, &byte, 1) > 0) {}
  exit(unused == NULL ? 0 : 1);
}

static void run_sink(void) {
  static char known[MAX_FILES], block[BLOCK];
  int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0), on = 1;
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  pthread_t thread;
  if (bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 4096) < 0) fail("listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  pthread_create(&thread, NULL, watch_input, NULL);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(poll, events, 256, -1);
    for (int i = 0; i < count; i++) {
      int file = events[i].data.fd;
      if (file == listener) {
        file = accept(listener, NULL, NULL);
        if (file < 0 || file >= MAX_FILES) fail("accept");
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        known[file] = 0;
        event.events = EPOLLIN;
        event.data.fd = file;
        epoll_ctl(poll, EPOLL_CTL_ADD, file, &event);
        continue;
      }
      if (!known[file]) {
        char kind;
        if (recv(file, &kind, 1, MSG_PEEK) == 1 && kind != ECHO) {
          epoll_ctl(poll, EPOLL_CTL_DEL, file, NULL);
          pthread_create(&thread, NULL, serve_bulk, (void *)(intptr_t)file);
          pthread_detach(thread);
          continue;
        }
        known[file] = 1;
      }
      ssize_t got = recv(file, block, sizeof block, 0);
      if (got <= 0) close(file);
      else send_all(file, block, got);
    }
  }
}

/* ---- The clients ---- */

/* A tunnel or a denied request that one of the clients has open. One thread drives all of them, because it sleeps least. */
struct client {
  int file;
  size_t got;
  int is_open;
  char text[4096];
};

static void start_client(struct client *client, int poll, int port) {
  char request[256];
  int length = snprintf(request, sizeof request,
                        "CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port, port);
  *client = (struct client){.file = dial(proxy_port == 0 ? sink_port : proxy_port)};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  epoll_ctl(poll, EPOLL_CTL_ADD, client->file, &event);
  if (proxy_port != 0) send_all(client->file, request, length);
}

static void send_piece(struct client *client) {
  char piece[PIECE];
  memset(piece, ECHO, sizeof piece);
  client->is_open = 1;
  client->got = 0;
  send_all(client->file, piece, sizeof piece);
}

/* Reads the available bytes. Returns whether the client is done. */
static int advance(struct client *client, int expected) {
  ssize_t more = recv(client->file, client->text + client->got, sizeof client->text - 1 - client->got, 0);
  if (more <= 0) fail("recv");
  client->got += more;
  if (client->is_open) return client->got == PIECE;
  client->text[client->got] = 0;
  if (strstr(client->text, "\r\n\r\n") == NULL) return 0;
  int status = atoi(client->text + 9);
  if (status != expected) {
    fprintf(stderr, "the proxy answers %d, not %d\n", status, expected);
    exit(1);
  }
  if (status != 200) return 1;
  send_piece(client);
  return 0;
}

/* Keeps a number of requests in flight; those to port 1 must be denied. */
static void run_requests(int clients, double seconds, int port, int expected) {
  static struct client all[256];
  struct epoll_event events[256];
  int poll = epoll_create1(0);
  long count = 0;
  double started = now(), ends_at = started + seconds;
  for (int i = 0; i < clients; i++) {
    start_client(&all[i], poll, port);
    if (proxy_port == 0) send_piece(&all[i]);
  }
  while (now() < ends_at) {
    int ready = epoll_wait(poll, events, 256, 1000);
    for (int i = 0; i < ready; i++) {
      struct client *client = events[i].data.ptr;
      if (!advance(client, expected)) continue;
      close(client->file);
      count++;
      start_client(client, poll, port);
      if (proxy_port == 0) send_piece(client);
    }
  }
  printf("%ld %f\n", count, now() - started);
}

struct transfer {
  int file;
  uint64_t length;
  char kind;
};

static void *transfer(void *argument) {
  struct transfer *it = argument;
  char *block = malloc(BLOCK), mark;
  send_all(it->file, &it->kind, 1);
  send_all(it->file, (char *)&it->length, sizeof it->length);
  for (uint64_t left = it->length; left > 0;) {
    size_t part = left < BLOCK ? left : BLOCK;
    if (it->kind == COUNT) send_all(it->file, zeros, part);
    else receive_all(it->file, block, part);
    left -= part;
  }
  receive_all(it->file, &mark, 1);
  close(it->file);
  free(block);
  return NULL;
}

static void run_bulk(int connections, int mebibytes, char kind) {
  struct transfer all[256];
  pthread_t threads[256];
  for (int i = 0; i < connections; i++)
    all[i] = (struct transfer){open_tunnel(), (uint64_t)mebibytes * 1024 * 1024 / connections, kind};
  double started = now();
  for (int i = 0; i < connections; i++) pthread_create(&threads[i], NULL, transfer, &all[i]);
  for (int i = 0; i < connections; i++) pthread_join(threads[i], NULL);
  printf("%f\n", now() - started);
}

static int ascending(const void *a, const void *b) {
  return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b);
}

static void run_echo(int count) {
  double *times = malloc(count * sizeof *times);
  char piece[64];
  int file = open_tunnel();
  memset(piece, ECHO, sizeof piece);
  for (int i = 0; i < count; i++) {
    double started = now();
    send_all(file, piece, sizeof piece);
    receive_all(file, piece, sizeof piece);
    times[i] = now() - started;
  }
  qsort(times, count, sizeof *times, ascending);
  printf("%f %f\n", times[count / 2] * 1e6, times[count * 99 / 100] * 1e6);
}

static void run_idle(int count) {
  char piece[4096], byte;
  for (int i = 0; i < count; i++) {
    int file = open_tunnel();
    memset(piece, ECHO, sizeof piece);
    send_all(file, piece, sizeof piece);
    receive_all(file, piece, sizeof piece);
  }
  printf("ready\n");
  fflush(stdout);
  while (read(0, &byte, 1) > 0) {}
}

int main(int count, char **arguments) {
  struct rlimit files = {MAX_FILES, MAX_FILES};
  if (setrlimit(RLIMIT_NOFILE, &files) < 0) {
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  const char *what = count > 1 ? arguments[1] : "";
  int number[6] = {0};
  for (int i = 2; i < count && i < 8; i++) number[i - 2] = atoi(arguments[i]);
  proxy_port = number[0];
  sink_port = number[1];
  if (strcmp(what, "sink") == 0) run_sink();
  else if (strcmp(what, "tunnels") == 0) run_requests(number[2], number[3], sink_port, 200);
  else if (strcmp(what, "denied") == 0) run_requests(number[2], number[3], 1, 403);
  else if (strcmp(what, "bulk") == 0) run_bulk(number[2], number[3], strcmp(arguments[6], "up") == 0 ? COUNT : SEND);
  else if (strcmp(what, "echo") == 0) run_echo(number[2]);
  else if (strcmp(what, "idle") == 0) run_idle(number[2]);
  else return 2;
  return 0;
}
