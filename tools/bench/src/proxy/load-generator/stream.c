#include "stream.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_TLS
#include <openssl/ssl.h>
#endif

int proxy_port, sink_port, is_tls;
char zeros[BLOCK];

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

void fail(const char *what) {
  perror(what);
  exit(1);
}

struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int dial(int port) {
  int file = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = loopback(port);
  if (file < 0) fail("socket");
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(file, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
  return file;
}

/* ---- TLS ---- */

#ifdef WITH_TLS
/* Starts TLS with a full handshake. The certificate is received but not verified against an authority. */
static void *start_tls(int file) {
  static SSL_CTX *context;
  if (context == NULL) context = SSL_CTX_new(TLS_client_method());
  SSL *tls = SSL_new(context);
  SSL_set_fd(tls, file);
  if (SSL_connect(tls) != 1) fail("TLS handshake");
  return tls;
}

static ssize_t send_tls(void *tls, const char *bytes, size_t length) { return SSL_write(tls, bytes, length); }
static ssize_t receive_tls(void *tls, char *bytes, size_t length) { return SSL_read(tls, bytes, length); }

static void end_tls(void *tls) {
  SSL_shutdown(tls);
  SSL_free(tls);
}
#else
static void *start_tls(int file) {
  (void)file;
  fprintf(stderr, "the load generator was compiled without TLS\n");
  exit(1);
}

static ssize_t send_tls(void *tls, const char *bytes, size_t length) { return (void)tls, (void)bytes, (void)length, -1; }
static ssize_t receive_tls(void *tls, char *bytes, size_t length) { return (void)tls, (void)bytes, (void)length, -1; }
static void end_tls(void *tls) { (void)tls; }
#endif

/* ---- Both ---- */

static ssize_t receive_some(struct stream *stream, char *bytes, size_t length) {
  return stream->tls == NULL ? recv(stream->file, bytes, length, 0) : receive_tls(stream->tls, bytes, length);
}

void send_all(struct stream *stream, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = stream->tls == NULL ? send(stream->file, bytes, length, MSG_NOSIGNAL)
                                       : send_tls(stream->tls, bytes, length);
    if (sent <= 0) fail("send");
    bytes += sent;
    length -= sent;
  }
}

void receive_all(struct stream *stream, char *bytes, size_t length) {
  while (length > 0) {
    ssize_t got = receive_some(stream, bytes, length);
    if (got <= 0) fail("recv");
    bytes += got;
    length -= got;
  }
}

void close_stream(struct stream *stream) {
  if (stream->tls != NULL) end_tls(stream->tls);
  close(stream->file);
}

int write_request(char *text, size_t size, int port) {
  return snprintf(text, size, "CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port, port);
}

/* Requests a tunnel to the sink. Returns the status of the response, which it reads up to its empty line. */
static int ask(struct stream *stream) {
  char text[4096];
  size_t got = 0;
  send_all(stream, text, write_request(text, sizeof text, sink_port));
  do {
    ssize_t more = receive_some(stream, text + got, sizeof text - 1 - got);
    if (more <= 0) fail("response");
    got += more;
    text[got] = 0;
  } while (strstr(text, "\r\n\r\n") == NULL);
  return atoi(text + 9);
}

struct stream open_tunnel(void) {
  if (proxy_port == 0) return (struct stream){dial(sink_port), NULL};
  struct stream stream = {dial(proxy_port), NULL};
  if (is_tls) stream.tls = start_tls(stream.file);
  int status = ask(&stream);
  if (status != 200) {
    fprintf(stderr, "the proxy answers %d\n", status);
    exit(1);
  }
  return stream;
}
