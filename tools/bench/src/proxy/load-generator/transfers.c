#include "stream.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct transfer {
  struct stream stream;
  uint64_t length;
  char kind;
};

static void *transfer(void *argument) {
  struct transfer *it = argument;
  char *block = malloc(BLOCK), mark;
  send_all(&it->stream, &it->kind, 1);
  send_all(&it->stream, (char *)&it->length, sizeof it->length);
  for (uint64_t left = it->length; left > 0;) {
    size_t part = left < BLOCK ? left : BLOCK;
    if (it->kind == COUNT) send_all(&it->stream, zeros, part);
    else receive_all(&it->stream, block, part);
    left -= part;
  }
  receive_all(&it->stream, &mark, 1);
  close_stream(&it->stream);
  free(block);
  return NULL;
}

void run_bulk(int connections, int mebibytes, char kind) {
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

void run_echo(int count) {
  double *times = malloc(count * sizeof *times);
  char piece[64];
  struct stream stream = open_tunnel();
  memset(piece, ECHO, sizeof piece);
  for (int i = 0; i < count; i++) {
    double started = now();
    send_all(&stream, piece, sizeof piece);
    receive_all(&stream, piece, sizeof piece);
    times[i] = now() - started;
  }
  qsort(times, count, sizeof *times, ascending);
  printf("%f %f\n", times[count / 2] * 1e6, times[count * 99 / 100] * 1e6);
}

void run_idle(int count) {
  char piece[4096], byte;
  for (int i = 0; i < count; i++) {
    struct stream stream = open_tunnel();
    memset(piece, ECHO, sizeof piece);
    send_all(&stream, piece, sizeof piece);
    receive_all(&stream, piece, sizeof piece);
  }
  printf("ready\n");
  fflush(stdout);
  while (read(0, &byte, 1) > 0) {}
}
