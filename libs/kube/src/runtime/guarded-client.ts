import { TypedError } from '@interlock/api';
import type { CallOptions, Client } from '../client/types.js';
import { linkSignals } from './link-signals.js';

interface WriteGuard {
  /** Called before each write and each repeat of a write. */
  mayWrite(): boolean;
  /** Aborts running writes. */
  revoked: AbortSignal;
}

/**
 * Returns a client that writes only while it is allowed to. Once leadership is lost another process may act, and a
 * write of this process would conflict with it. Refused writes throw `TypedError` `Conflict`, reason `LeadershipLost`;
 * reads continue.
 */
export function guardWrites(client: Client, guard: WriteGuard): Client {
  const write = async <R, O extends CallOptions>(
    options: O | undefined,
    call: (options: O & { signal: AbortSignal }) => Promise<R>,
  ): Promise<R> => {
    if (guard.revoked.aborted || !guard.mayWrite()) throw leadershipLost();
    const { signal, unlink } = linkSignals(guard.revoked, options?.signal);
    try {
      /* A process that was frozen may repeat a call before a timer reports the loss. */
      const mayRepeat = (): boolean => guard.mayWrite();
      return await call({ ...options, signal, mayRepeat } as O & { signal: AbortSignal });
    } finally {
      unlink();
    }
  };
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    listPages: (kind, options) => client.listPages(kind, options),
    watch: (kind, options) => client.watch(kind, options),
    create: (kind, object, options) => write(options, (linked) => client.create(kind, object, linked)),
    update: (kind, object, options) => write(options, (linked) => client.update(kind, object, linked)),
    patch: (kind, key, patch, options) => write(options, (linked) => client.patch(kind, key, patch, linked)),
    apply: (kind, object, options) => write(options, (linked) => client.apply(kind, object, linked)),
    delete: (kind, key, options) => write(options, (linked) => client.delete(kind, key, linked)),
    resolveKind: (apiVersion, kind, options) => client.resolveKind(apiVersion, kind, options),
    raw: (request, options) =>
      request.method === 'GET'
        ? client.raw(request, options)
        : write(options, (linked) => client.raw(request, linked)),
    close: () => client.close(),
  };
}

function leadershipLost(): TypedError {
  return new TypedError('Conflict', 'This process no longer leads, so it does not write.', {
    reason: 'LeadershipLost',
  });
}
