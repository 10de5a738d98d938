/** The metrics of the client, with the names of client-go. */
export interface ClientMetrics {
  /**
   * Records one HTTP request; each repeat counts separately: `rest_client_requests_total{code,method,host}` and
   * `rest_client_request_duration_seconds{verb,host}`.
   *
   * @param code the HTTP status, or `<error>` if there was no answer
   * @param seconds time until the answer was read; for a watch, until it was open
   */
  requested(method: string, host: string, code: string, seconds: number): void;
}

export const noClientMetrics: ClientMetrics = { requested: () => undefined };
