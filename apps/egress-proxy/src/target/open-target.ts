import { isIP } from 'node:net';
import type { ProxyContext } from '../context.js';
import type { Attempt } from '../relay/attempt.js';
import type { ConnectRequest } from '../head/request.js';
import { isRefused, refuse, type Refusal } from '../refusal.js';
import { dialFirst, type DialedTarget } from './dial.js';
import { ResolverBusy } from './lookups.js';

/**
 * Connects to the target of a request. The policy checks the requested host and port, then each address of the name,
 * and one of the permitted addresses is dialled. The name is not resolved again, so a later DNS answer has no effect.
 *
 * @param client its address
 * @param attempt given up by the caller when the client disconnects, and here at the time limit
 */
export async function openTarget(
  { host, port }: ConnectRequest,
  client: string,
  context: ProxyContext,
  attempt: Attempt,
): Promise<DialedTarget | Refusal> {
  const { policy, dial, clock, limits, metrics } = context;
  const refusal = policy.checkTarget(host, port);
  if (refusal !== undefined) return refusal;
  const addresses = isIP(host) !== 0 ? [host] : await permittedAddresses(host, client, context, attempt);
  if (isRefused(addresses)) return addresses;
  const deadline = limits.dial.start(() => attempt.giveUp());
  try {
    return await dialFirst(dial, clock, { addresses, port }, attempt);
  } catch (error) {
    /* A client that disconnects says nothing about its target. */
    if (!attempt.isGivenUp || deadline.isOver) metrics.dialErrors += 1;
    return deadline.isOver
      ? refuse(
          504,
          'DialTimeout',
          'the target did not answer in time; check whether it is up, and the NetworkPolicy of the proxy',
        )
      : refuse(
          502,
          'DialFailed',
          `the target cannot be reached${codeOf(error)}; check the target, and the NetworkPolicy of the proxy`,
        );
  } finally {
    deadline.cancel();
  }
}

async function permittedAddresses(
  host: string,
  client: string,
  { policy, resolve, limits }: ProxyContext,
  attempt: Attempt,
): Promise<readonly string[] | Refusal> {
  const deadline = limits.resolve.start(() => attempt.giveUp());
  try {
    return policy.permit(host, await resolve(host, client, attempt));
  } catch (error) {
    if (error instanceof ResolverBusy) {
      return refuse(503, 'TooManyLookups', 'too many names are being resolved; try again');
    }
    return deadline.isOver
      ? refuse(
          504,
          'ResolveTimeout',
          `${host} was not resolved in time; try again, and check the DNS of the cluster`,
        )
      : refuse(
          502,
          'NameNotResolved',
          `${host} could not be resolved${codeOf(error)}; check the name, and the DNS of the cluster`,
        );
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
