#include "stream.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A tunnel or a denied request that one of the clients has open. One thread drives all of them, because it sleeps least. */
struct client {
  int file;
  size_t got;
  int is_open;
  char text[4096];
};

static void start_client(struct client *client, int poll, int port) {
  char request[256];
  *client = (struct client){.file = dial(proxy_port == 0 ? sink_port : proxy_port)};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  struct stream stream = {client->file, NULL};
  epoll_ctl(poll, EPOLL_CTL_ADD, client->file, &event);
  if (proxy_port != 0) send_all(&stream, request, write_request(request, sizeof request, port));
}

static void send_piece(struct client *client) {
  char piece[PIECE];
  struct stream stream = {client->file, NULL};
  memset(piece, ECHO, sizeof piece);
  client->is_open = 1;
  client->got = 0;
  send_all(&stream, piece, sizeof piece);
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

void run_requests(int clients, double seconds, int port, int expected) {
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

struct worker {
  pthread_t thread;
  double ends_at;
  long count;
};

static void *open_tunnels(void *argument) {
  struct worker *worker = argument;
  char piece[PIECE];
  while (now() < worker->ends_at) {
    struct stream stream = open_tunnel();
    memset(piece, ECHO, sizeof piece);
    send_all(&stream, piece, sizeof piece);
    receive_all(&stream, piece, sizeof piece);
    close_stream(&stream);
    worker->count++;
  }
  return NULL;
}

void run_tls_tunnels(int clients, double seconds) {
  struct worker workers[256];
  double started = now();
  long count = 0;
  struct stream first = open_tunnel();
  close_stream(&first);
  for (int i = 0; i < clients; i++) {
    workers[i] = (struct worker){.ends_at = started + seconds};
    pthread_create(&workers[i].thread, NULL, open_tunnels, &workers[i]);
  }
  for (int i = 0; i < clients; i++) {
    pthread_join(workers[i].thread, NULL);
    count += workers[i].count;
  }
  printf("%ld %f\n", count, now() - started);
}
