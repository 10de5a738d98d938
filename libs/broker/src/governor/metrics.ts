/** The kinds of calls that are counted. */
export type Endpoint =
  | 'appToken'
  | 'register'
  | 'runners'
  | 'runs'
  | 'runnerToken'
  | 'session'
  | 'poll'
  | 'acknowledge'
  | 'acquire'
  | 'renew'
  | 'complete';

/** How a call ended: `ok`, the reason of its error, or `aborted`. */
type CallOutcome = string;

/** Receives the measurements of the client; no value holds a secret or a name that others choose. */
export interface BrokerMetrics {
  called(endpoint: Endpoint, outcome: CallOutcome, seconds: number): void;
  /** Records the seconds that a call waited for the budget or a pause of its host. */
  waited(endpoint: Endpoint, seconds: number): void;
  /** Records how many calls are left in the hourly budget of a host, or of its REST API: `<host> REST`. */
  remaining(host: string, calls: number): void;
  /** Counts a message of the broker by its type; `other` for an unknown one. */
  received(type: string): void;
}

const ignore = (): void => undefined;

export const noMetrics: BrokerMetrics = {
  called: ignore,
  waited: ignore,
  remaining: ignore,
  received: ignore,
};
