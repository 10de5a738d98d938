import { expect, it } from '@jest/globals';
import { isTyped, RunnerGroup, runnerAnnotations, TypedError } from '@interlock/api';
import type { AgentRecord } from '@interlock/broker';
import { ApiError, type Client, type Secret } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import { AgentSecrets, runnerNamePrefix } from './agent-secrets.js';

const signal = AbortSignal.timeout(60_000);
const bound: AgentRecord = { name: 'linux-1', phase: 'bound', runnerId: '1', jitConfig: 'jit' };

/** A server of the Secret of one runner. */
class Server {
  secret: Secret | undefined;
  /** Answers the next creation. */
  refusal: ApiError | undefined;
  #version = 0;

  /** Stores the Secret as another client does. */
  put(secret: Secret): Secret {
    const metadata = { ...secret.metadata, resourceVersion: String(++this.#version) };
    return (this.secret = { ...secret, metadata });
  }

  storeOf(identity: string): AgentSecrets {
    const groups = new MemoryCache(RunnerGroup);
    const client = {
      list: async () => ({ items: [this.secret] }),
      get: async () => {
        if (this.secret === undefined) throw new TypedError('NotFound', 'not found');
        return this.secret;
      },
      create: async (_kind: unknown, secret: Secret) => {
        const { refusal } = this;
        this.refusal = undefined;
        if (refusal !== undefined) throw refusal;
        return this.put(secret);
      },
      update: async (_kind: unknown, secret: Secret) => {
        if (secret.metadata.resourceVersion !== this.secret?.metadata.resourceVersion)
          throw new TypedError('Conflict', 'changed');
        return this.put(secret);
      },
    } as unknown as Client;
    return new AgentSecrets({ client, groups, group: 'linux', namespace: 'team-a', identity });
  }
}

/** Lets a replica take over the record of a runner that has a job. */
async function takenOver() {
  const server = new Server();
  await server.storeOf('first').save(bound, signal);
  const store = server.storeOf('second');
  await store.list(signal);
  return { server, store };
}

it('changes the record of a runner with a job that another client has changed since it was taken over', async () => {
  const { server, store } = await takenOver();
  const { metadata, ...rest } = server.secret!;
  server.put({ ...rest, metadata: { ...metadata, labels: { ...metadata.labels, 'backup/id': '7' } } });
  await store.save({ ...bound, phase: 'retiring' }, signal);
  expect(server.secret?.metadata.annotations?.[runnerAnnotations.ledBy]).toBe('second');
});

it('does not change the record of a runner with a job that a later leader has changed', async () => {
  const { server, store } = await takenOver();
  const third = server.storeOf('third');
  await third.list(signal);
  await third.save({ ...bound, sessionId: 'session' }, signal);
  const saved = store.save({ ...bound, phase: 'retiring' }, signal).catch((error: unknown) => error);
  expect(isTyped(await saved, 'Conflict')).toBe(true);
  expect(server.secret?.metadata.annotations?.[runnerAnnotations.ledBy]).toBe('third');
});

it('keeps the source when the record of a new runner meets a conflict about a ResourceQuota', async () => {
  const server = new Server();
  const store = server.storeOf('first');
  server.refusal = new ApiError(
    'Conflict',
    'Operation cannot be fulfilled on resourcequotas "team": the object has been modified (409 Conflict)',
    { method: 'POST', path: '/api/v1/namespaces/team-a/secrets', code: 409, reason: 'Conflict' },
  );
  const refused = await store.save(bound, signal).catch((error: unknown) => error);
  expect(isTyped(refused, 'Transient')).toBe(true);
  await store.save(bound, signal);
  expect(server.secret?.metadata.annotations?.[runnerAnnotations.ledBy]).toBe('first');
});

it('gives the runners of groups with long names different prefixes, in the 40 characters that the source keeps', () => {
  const prefixes = ['x64', 'arm'].map((end) =>
    runnerNamePrefix(`gateway-of-team-a-linux-runners-with-a-gpu-${end}`),
  );
  expect(new Set(prefixes.map((prefix) => prefix.slice(0, 40))).size).toBe(2);
});
