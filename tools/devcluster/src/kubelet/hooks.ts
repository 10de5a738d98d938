import type { Clock } from '@interlock/base';
import { valueAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { HandlerResult } from './container-runtime.js';

/**
 * Runs a lifecycle hook with its timeout. `sleep` is a delay; `call` runs the other handlers. A hook without a handler
 * does nothing.
 */
export async function runHook(
  clock: Clock,
  handler: JsonObject,
  timeoutMs: number,
  call: () => Promise<HandlerResult>,
): Promise<HandlerResult> {
  const seconds = valueAt(handler, 'sleep', 'seconds');
  let timer: { cancel(): void } | undefined;
  const wait = (ms: number, result: HandlerResult): Promise<HandlerResult> =>
    new Promise((resolve) => (timer = clock.setTimeout(() => resolve(result), ms)));
  if (typeof seconds === 'number')
    return wait(Math.min(seconds * 1000, timeoutMs), { isSuccess: true, output: '' });
  const isCall = ['exec', 'httpGet', 'tcpSocket'].some((field) => field in handler);
  if (!isCall) return { isSuccess: true, output: '' };
  const late = { isSuccess: false, output: 'the hook did not complete in time' };
  const result = await Promise.race([call(), wait(timeoutMs, late)]);
  timer?.cancel();
  return result;
}
