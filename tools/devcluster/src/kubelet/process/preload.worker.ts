import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { Server, Socket } from 'node:net';
import type { ServiceTable } from './service-table.js';

/** The script of this module, which Node.js processes of pods load first; the bundler puts it here. */
export declare const source: string;

interface Target {
  host?: string | undefined;
  port?: number | string | undefined;
}

/** A TCP connection of Node.js, below its streams. The egress proxy uses it as well. */
interface TcpHandle {
  bind(address: string, port: number): number;
  getsockname(out: { port?: number }): number;
}

const {
  INTERLOCK_SERVICES: file = '',
  INTERLOCK_POD_IP: podIp = '',
  INTERLOCK_NAMESPACE: namespace = '',
  INTERLOCK_HOSTS: hostsJson = '{}',
} = process.env;
const hosts = new Map(Object.entries(JSON.parse(hostsJson) as Record<string, string>));
const unspecified = ['', '0.0.0.0', '::'];

function table(): ServiceTable {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ServiceTable;
  } catch {
    return {};
  }
}

/** Returns the address of a pod of a Service, or the unchanged name if it does not refer to a Service. */
function resolve<T extends Target>(target: T): T {
  const { host = '', port = '' } = target;
  const name = host.replace(/\.$/, '').replace(/\.svc(\.cluster\.local)?$/, '');
  if (host === '' || /^[\d.]+$|:/.test(host)) return target;
  const services = table();
  const ports = services[name] ?? services[`${name}.${namespace}`];
  const addresses = ports?.[String(port)] ?? [];
  const address = addresses[Math.floor(Math.random() * addresses.length)];
  if (address === undefined) return target;
  const [ip = '', number] = address.split(':');
  return { ...target, host: ip, port: Number(number) };
}

/** Connections within the machine come from the address of the pod, as within a cluster, unless the program has chosen another one. */
function bindToPod(handle: TcpHandle, address: unknown): void {
  if (!/^127\.[\d.]+$/.test(String(address))) return;
  const own: { port?: number } = {};
  const isBound = handle.getsockname(own) === 0 && (own.port ?? 0) !== 0;
  if (!isBound) handle.bind(podIp, 0);
}

/** Returns the arguments of a server with the address of the pod for all addresses, so that pods can share a port. */
function ownAddress(args: unknown[]): unknown[] {
  const [first, second, ...rest] = args;
  if (typeof first === 'object' && first !== null && 'port' in first && !('path' in first)) {
    const { host = '' } = first as Target;
    return [unspecified.includes(host) ? { ...first, host: podIp } : first, second, ...rest];
  }
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first));
  if (!isPort) return args;
  if (typeof second === 'string') return [first, unspecified.includes(second) ? podIp : second, ...rest];
  return [first, podIp, second, ...rest].filter((arg) => arg !== undefined);
}

function resolved(args: unknown[]): unknown[] {
  const [first, second, ...rest] = args;
  if (Array.isArray(first)) {
    /* Node.js passes its own form, which it marks by a symbol. */
    first[0] = resolve(first[0] as Target);
    return args;
  }
  if (typeof first === 'object' && first !== null) return [resolve(first as Target), second, ...rest];
  if (typeof first !== 'number' || typeof second !== 'string') return args;
  return [resolve({ port: first, host: second }), ...rest];
}

function wrap(
  prototype: object,
  method: string,
  change: (args: unknown[], target: unknown) => unknown[],
): void {
  const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
  Reflect.set(prototype, method, function changed(this: unknown, ...args: unknown[]) {
    return Reflect.apply(original, this, change(args, this));
  });
}

if (podIp !== '') {
  wrap(Server.prototype, 'listen', ownAddress);
  const { binding } = process as unknown as { binding: (name: string) => { TCP: { prototype: object } } };
  wrap(binding.call(process, 'tcp_wrap').TCP.prototype, 'connect', (args, handle) => {
    bindToPod(handle as TcpHandle, args[1]);
    return args;
  });
}
wrap(Socket.prototype, 'connect', resolved);
/* Resolves the address of a name instead, which returns the address itself. */
const byAddress = ([host, ...rest]: unknown[]): unknown[] => [hosts.get(String(host)) ?? host, ...rest];
wrap(dns, 'lookup', byAddress);
wrap(dns.promises, 'lookup', byAddress);
