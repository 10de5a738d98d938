/* Connections of the load generator: TCP, or TLS to the proxy if it was compiled with OpenSSL. */
#ifndef STREAM_H
#define STREAM_H
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK = 256 * 1024, PIECE = 1024, MAX_FILES = 65536 };

/* The first byte of a connection selects what the sink does with the rest. */
enum { ECHO = 'E', SEND = 'S', COUNT = 'C' };

/* Ports of 127.0.0.1; proxy_port 0 connects directly. */
extern int proxy_port, sink_port;
/* Whether the proxy is connected to over TLS. */
extern int is_tls;
extern char zeros[BLOCK];

/* tls is a connection of OpenSSL; NULL for TCP. */
struct stream {
  int file;
  void *tls;
};

/* Returns the seconds of a clock that only runs forward. */
double now(void);

/* Ends the process with the message of the last error of the system. */
void fail(const char *what);

struct sockaddr_in loopback(int port);

/* Connects to a port. */
int dial(int port);

/* Writes the request for a tunnel to a port. Returns its length. */
int write_request(char *text, size_t size, int port);

/* Opens a tunnel to the sink, or connects to it without a proxy. */
struct stream open_tunnel(void);

void send_all(struct stream *stream, const char *bytes, size_t length);
void receive_all(struct stream *stream, char *bytes, size_t length);

/* Ends the stream and closes it. */
void close_stream(struct stream *stream);

/* The modes; see main.c. */
void run_sink(void);
void run_requests(int clients, double seconds, int port, int expected);
void run_tls_tunnels(int clients, double seconds);
void run_offered(int per_second, double seconds);
void run_bulk(int connections, int mebibytes, char kind);
void run_echo(int count);
void run_idle(int count);

#endif
