/*
 * The two ends of the tunnels that `npm run bench -- proxy` measures. It is small, so that the proxy between them determines the time.
 *
 *   load sink                                          prints its port; serves until its standard input ends
 *   load tunnels PROXY SINK CLIENTS SECONDS            prints: tunnels, and seconds
 *   load bulk PROXY SINK CONNECTIONS MIB up|down       prints: seconds
 *   load echo PROXY SINK COUNT                         prints: p50 and p99 in microseconds
 *   load idle PROXY SINK COUNT                         prints "ready", then waits for the end of its standard input
 *   load denied PROXY SINK CLIENTS SECONDS             prints: requests, and seconds
 *   load offered PROXY SINK RATE SECONDS               starts RATE requests per second, however many are answered; all must be denied;
 *                                                      prints: requests, and how many were denied, refused otherwise and not answered
 *
 * PROXY and SINK are ports of 127.0.0.1; PROXY 0 connects directly. With `tls` before the mode, the clients of all modes but `denied`
 * and `offered` connect to the proxy over TLS.
 */
#include "stream.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int main(int count, char **arguments) {
  struct rlimit files = {MAX_FILES, MAX_FILES};
  if (setrlimit(RLIMIT_NOFILE, &files) < 0) {
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  is_tls = count > 1 && strcmp(arguments[1], "tls") == 0;
  count -= is_tls;
  arguments += is_tls;
  const char *what = count > 1 ? arguments[1] : "";
  int number[6] = {0};
  for (int i = 2; i < count && i < 8; i++) number[i - 2] = atoi(arguments[i]);
  proxy_port = number[0];
  sink_port = number[1];
  if (strcmp(what, "sink") == 0) run_sink();
  else if (strcmp(what, "tunnels") == 0 && is_tls) run_tls_tunnels(number[2], number[3]);
  else if (strcmp(what, "tunnels") == 0) run_requests(number[2], number[3], sink_port, 200);
  else if (strcmp(what, "denied") == 0) run_requests(number[2], number[3], 1, 403);
  else if (strcmp(what, "offered") == 0) run_offered(number[2], number[3]);
  else if (strcmp(what, "bulk") == 0) run_bulk(number[2], number[3], strcmp(arguments[6], "up") == 0 ? COUNT : SEND);
  else if (strcmp(what, "echo") == 0) run_echo(number[2]);
  else if (strcmp(what, "idle") == 0) run_idle(number[2]);
  else return 2;
  return 0;
}
