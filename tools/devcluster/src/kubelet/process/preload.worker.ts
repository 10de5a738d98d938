import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { Server, Socket } from 'node:net';
import type { ServiceTable } from './service-table.js';

/** The script of this module, which Node.js processes of pods load first; the bundler puts it here. */
export declare const source: string;

interface Target {
  host?: string | undefined;
  port?: number | string | undefined;
  /** Undici represents an absent address as null. */
  localAddress?: string | null | undefined;
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

/** Connections within the machine come from the address of the pod, as within a cluster. */
function fromPod<T extends Target>(target: T): T {
  const { host = '', localAddress } = target;
  if (podIp === '' || localAddress || !/^127\.[\d.]+$/.test(host)) return target;
  return { ...target, localAddress: podIp };
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
    first[0] = fromPod(resolve(first[0] as Target));
    return args;
  }
  if (typeof first === 'object' && first !== null)
    return [fromPod(resolve(first as Target)), second, ...rest];
  if (typeof first !== 'number' || typeof second !== 'string') return args;
  return [fromPod(resolve({ port: first, host: second })), ...rest];
}

function wrap(prototype: object, method: string, change: (args: unknown[]) => unknown[]): void {
  const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
  Reflect.set(prototype, method, function changed(this: unknown, ...args: unknown[]) {
    return Reflect.apply(original, this, change(args));
  });
}

if (podIp !== '') wrap(Server.prototype, 'listen', ownAddress);
wrap(Socket.prototype, 'connect', resolved);
/* Resolves the address of a name instead, which returns the address itself. */
const byAddress = ([host, ...rest]: unknown[]): unknown[] => [hosts.get(String(host)) ?? host, ...rest];
wrap(dns, 'lookup', byAddress);
wrap(dns.promises, 'lookup', byAddress);
