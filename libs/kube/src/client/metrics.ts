/** What the client reports, under the names that client-go gives them. */
export interface ClientMetrics {
  /**
   * One HTTP request, repeats counted apiece: `rest_client_requests_total{code,method,host}` and
   * `rest_client_request_duration_seconds{verb,host}`.
   *
   * @param code the HTTP status, or `<error>` when no answer came
   * @param seconds until the answer was read; for a watch, until it was open
   */
  requested(method: string, host: string, code: string, seconds: number): void;
}

export const noClientMetrics: ClientMetrics = { requested: () => undefined };
