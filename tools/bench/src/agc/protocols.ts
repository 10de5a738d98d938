/** Protocols between sessions and the service; `tcp` and `tls` use HTTP/1.1. */
export type Protocol = 'tcp' | 'tls' | 'h2';

/** Names of the protocols in figures. */
export const protocolNames: Readonly<Record<Protocol, string>> = {
  tcp: 'TCP',
  tls: 'TLS HTTP/1.1',
  h2: 'TLS HTTP/2',
};

export const protocols: readonly Protocol[] = ['tcp', 'tls', 'h2'];

/** The endpoint of a service. */
export interface Endpoint {
  protocol: Protocol;
  port: number;
  /** PEM; empty for `tcp`. */
  ca: string;
}

/** Returns the URL of a service on this machine. */
export function urlOf({ protocol, port }: Pick<Endpoint, 'protocol' | 'port'>): string {
  return `${protocol === 'tcp' ? 'http' : 'https'}://127.0.0.1:${port}`;
}

/** Returns the time in nanoseconds of a clock that all processes of this machine share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint());
}
