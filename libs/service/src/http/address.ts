import type { Flag } from '../flags/define.js';

/** Where to listen. */
export interface BindAddress {
  /** Undefined for all addresses of the machine. */
  host: string | undefined;
  /** 0 for any free port. */
  port: number;
}

const maxPort = 65_535;

/**
 * Parses `:8080`, `127.0.0.1:0` or `[::1]:8080`, the forms of Go's net.Listen. Returns undefined for `0`, which
 * disables a listener as in controller-runtime.
 *
 * @throws Error whose message states the fix
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '0') return undefined;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > maxPort)
    throw new Error('write host:port, :port for all addresses, or 0 to disable it');
  return { host: match[1] ?? (match[2] || undefined), port };
}

/** Returns the host and the port in the form of a URL. */
export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Defines a flag with an address to listen on; `0` disables the listener. */
export function addressFlag(options: {
  description: string;
  default: string;
}): Flag<BindAddress | undefined> {
  return { ...options, placeholder: 'address', required: false, isSwitch: false, parse: parseBindAddress };
}
