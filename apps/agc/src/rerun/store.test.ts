import { expect, it } from '@jest/globals';
import { ApiError, type Client } from '@interlock/kube';
import { group, now } from '../job/testing/builders.js';
import { RerunStore } from './store.js';

const line = { method: 'POST', path: '/api/v1/namespaces/team-a/configmaps' };
const missing = new ApiError('NotFound', 'it does not exist', { ...line, code: 404, reason: 'NotFound' });

/** Schedules a rerun at an API server that refuses to create its record. Returns the error and the number of attempts. */
async function schedule(refusal: ApiError) {
  let creates = 0;
  const client: Partial<Client> = {
    get: () => Promise.reject(missing),
    create: () => Promise.reject(++creates > 10 ? new Error('too many attempts') : refusal),
  };
  const store = new RerunStore(client as Client, { now: () => now });
  const error: unknown = await store
    .scheduleLost(group, 'linux-1', AbortSignal.timeout(60_000))
    .catch((thrown: unknown) => thrown);
  return { error, creates };
}

it.each([
  ['of a namespace that is being deleted', 403, 'Forbidden'],
  ['of a quota that another API server has just changed', 409, 'Conflict'],
])('leaves it to its caller when a record is created again after a conflict %s', async (_, code, reason) => {
  const refusal = new ApiError('Conflict', 'refused', { ...line, code, reason });
  expect(await schedule(refusal)).toEqual({ error: refusal, creates: 1 });
});
