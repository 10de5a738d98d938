import type { Kind, KubeObject } from '@interlock/api';
import type { ApplyConfiguration, ApplyOptions, Client } from '@interlock/kube';

/** A controller process that is killed at one of its writes. */
interface Life {
  readonly client: Client;
  /** Resolves when the controller has been killed. */
  readonly over: Promise<void>;
}

/**
 * Returns a client that simulates a crash at its first write that changes an object: the write takes effect but is never
 * answered, and no later write reaches the API server. Events do not count, because nothing depends on them. An apply without a
 * change does not count either, because a controller applies everything once after its start.
 *
 * A crash before a write is equivalent to a crash after the previous write, because a controller keeps no state except what it has written.
 */
export function mortal(client: Client): Life {
  let kill = (): void => undefined;
  let isDead = false;
  const over = new Promise<void>((resolve) => (kill = resolve));
  const die = (): never => {
    isDead = true;
    kill();
    throw new Error('killed');
  };
  const live = (): void => {
    if (isDead) throw new Error('killed');
  };
  const last =
    <A extends [{ kind: string }, ...unknown[]], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      live();
      const result = await call(...args);
      return args[0].kind === 'Event' ? result : die();
    };
  const apply = async <T extends KubeObject>(
    kind: Kind<T>,
    configuration: ApplyConfiguration,
    options: ApplyOptions,
  ): Promise<T> => {
    live();
    const { name, namespace } = configuration.metadata;
    const before = await client.get(kind, { name, namespace }).catch(() => undefined);
    live();
    const after = await client.apply(kind, configuration, options);
    return before?.metadata.resourceVersion === after.metadata.resourceVersion ? after : die();
  };
  const calls = {
    create: last(client.create.bind(client)),
    update: last(client.update.bind(client)),
    patch: last(client.patch.bind(client)),
    delete: last(client.delete.bind(client)),
    apply,
  };
  const mortalClient = new Proxy(client, {
    get(target, name) {
      if (name in calls) return calls[name as keyof typeof calls];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { client: mortalClient, over };
}
