import { isIP } from 'node:net';
import { onAbort } from '@interlock/base';
import type { ProxyContext } from '../context.js';
import type { ConnectRequest } from '../head/request.js';
import { isRefused, refuse, type Refusal } from '../refusal.js';
import { deadlineOf } from './deadline.js';
import { dialFirst, type DialedTarget } from './dial.js';
import { ResolverBusy } from './resolver.js';

/**
 * Connects to the target of a request: the policy checks what is asked for, then each address of the name, and one of the
 * addresses that it permits is dialled. The name is not resolved again, so a later answer changes nothing.
 *
 * @param gone aborts when the client is not there any more
 */
export async function openTarget(
  { host, port }: ConnectRequest,
  context: ProxyContext,
  gone: AbortSignal,
): Promise<DialedTarget | Refusal> {
  const { policy } = context;
  const refusal = policy.checkTarget(host, port);
  if (refusal !== undefined) return refusal;
  const found = isIP(host) === 0 ? await addressesOf(host, context, gone) : [host];
  if (isRefused(found)) return found;
  const permitted = policy.permit(host, found);
  if (isRefused(permitted)) return permitted;
  return reach(permitted, port, context, gone);
}

async function addressesOf(
  host: string,
  { resolve, clock, limits }: ProxyContext,
  gone: AbortSignal,
): Promise<readonly string[] | Refusal> {
  const deadline = deadlineOf(clock, limits.resolveMs);
  const either = new AbortController();
  const offs = [deadline.signal, gone].map((signal) => onAbort(signal, () => either.abort()));
  try {
    return await resolve(host, either.signal);
  } catch (error) {
    if (error instanceof ResolverBusy) {
      return refuse(503, 'TooManyLookups', 'too many names are being resolved; try again');
    }
    return deadline.signal.aborted
      ? refuse(504, 'ResolveTimeout', `${host} is not resolved in time`)
      : refuse(502, 'NameNotResolved', `${host} has no address${codeOf(error)}`);
  } finally {
    deadline.cancel();
    for (const off of offs) off();
  }
}

async function reach(
  addresses: readonly string[],
  port: number,
  { dial, clock, limits, metrics }: ProxyContext,
  gone: AbortSignal,
): Promise<DialedTarget | Refusal> {
  const deadline = deadlineOf(clock, limits.dialMs);
  const either = new AbortController();
  const offs = [deadline.signal, gone].map((signal) => onAbort(signal, () => either.abort()));
  try {
    return await dialFirst(dial, clock, { addresses, port }, either.signal);
  } catch (error) {
    metrics.dialErrors += 1;
    return deadline.signal.aborted
      ? refuse(504, 'DialTimeout', 'the target does not answer in time')
      : refuse(502, 'DialFailed', `the target cannot be reached${codeOf(error)}`);
  } finally {
    deadline.cancel();
    for (const off of offs) off();
  }
}

/** Returns the code of an error of the system, such as ` (ECONNREFUSED)`; it names no address. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : '';
}
