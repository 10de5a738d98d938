import { messageOf } from '@interlock/api';
import type { RemoteAnswer, RemoteMethod, RemoteRequest } from './remote.js';

/** Answers the calls of a `RemoteProcess` in this process, which ends when its parent ends. */
export function serveMethods<M extends Record<keyof M, RemoteMethod>>(methods: M): void {
  process.on('message', (request) => void answer(methods, request as RemoteRequest));
  process.once('disconnect', () => process.exit());
}

async function answer<M extends Record<keyof M, RemoteMethod>>(
  methods: M,
  { id, method, parameters }: RemoteRequest,
): Promise<void> {
  const reply: RemoteAnswer = { id };
  try {
    reply.result = await methods[method as keyof M](parameters as never);
  } catch (error) {
    reply.error = messageOf(error);
  }
  process.send?.(reply);
}
