import { isIP } from 'node:net';
import type { ProxyContext } from '../context.js';
import type { Attempt } from '../relay/attempt.js';
import type { ConnectRequest } from '../head/request.js';
import { isRefused, refuse, type Refusal } from '../refusal.js';
import { Deadline } from './deadline.js';
import { dialFirst, type DialedTarget } from './dial.js';
import { ResolverBusy } from './resolver.js';

/**
 * Connects to the target of a request. The policy checks the requested host and port, then each address of the name,
 * and one of the permitted addresses is dialled. The name is not resolved again, so a later DNS answer has no effect.
 *
 * @param attempt given up by the caller when the client disconnects, and here at the time limit
 */
export async function openTarget(
  { host, port }: ConnectRequest,
  context: ProxyContext,
  attempt: Attempt,
): Promise<DialedTarget | Refusal> {
  const { policy } = context;
  const refusal = policy.checkTarget(host, port);
  if (refusal !== undefined) return refusal;
  if (isIP(host) !== 0) return reach([host], port, context, attempt);
  const found = await addressesOf(host, context, attempt);
  if (isRefused(found)) return found;
  const permitted = policy.permit(host, found);
  if (isRefused(permitted)) return permitted;
  return reach(permitted, port, context, attempt);
}

async function addressesOf(
  host: string,
  { resolve, clock, limits }: ProxyContext,
  attempt: Attempt,
): Promise<readonly string[] | Refusal> {
  const deadline = new Deadline(clock, limits.resolveMs, attempt);
  try {
    return await resolve(host, attempt);
  } catch (error) {
    if (error instanceof ResolverBusy) {
      return refuse(503, 'TooManyLookups', 'too many names are being resolved; try again');
    }
    return deadline.isOver
      ? refuse(504, 'ResolveTimeout', `${host} was not resolved in time`)
      : refuse(502, 'NameNotResolved', `${host} has no address${codeOf(error)}`);
  } finally {
    deadline.cancel();
  }
}

async function reach(
  addresses: readonly string[],
  port: number,
  { dial, clock, limits, metrics }: ProxyContext,
  attempt: Attempt,
): Promise<DialedTarget | Refusal> {
  const deadline = new Deadline(clock, limits.dialMs, attempt);
  try {
    return await dialFirst(dial, clock, { addresses, port }, attempt);
  } catch (error) {
    metrics.dialErrors += 1;
    return deadline.isOver
      ? refuse(504, 'DialTimeout', 'the target did not answer in time')
      : refuse(502, 'DialFailed', `the target cannot be reached${codeOf(error)}`);
  } finally {
    deadline.cancel();
  }
}

/** Returns the code of a system error, such as ` (ECONNREFUSED)`, without an address. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : '';
}
