import { describe, expect, it } from '@jest/globals';
import type { ErrorType, TypedError } from '@interlock/api';
import { ApiError } from '@interlock/kube';
import { Attempts } from './attempts.js';

const refusal = (type: ErrorType, code: number, message = 'it is wrong') =>
  new ApiError(type, message, { method: 'PATCH', path: '/x', code, reason: type });

/** Attempts writes in order; those with an error are refused. Returns what was written, and the error at the end. */
async function attempt(writes: readonly [kind: string, name: string, error?: Error][]) {
  const attempts = new Attempts();
  const written: string[] = [];
  for (const [kind, name, error] of writes) {
    if (attempts.holds({ kind }, name)) continue;
    await attempts.run({ kind }, name, () => {
      if (error !== undefined) return Promise.reject(error);
      written.push(name);
      return Promise.resolve();
    });
  }
  try {
    attempts.finish();
  } catch (error) {
    return { written, error: error as TypedError };
  }
  return { written, error: undefined };
}

describe('Attempts', () => {
  it('continue after a refused object, and report it with its reason', async () => {
    const { written, error } = await attempt([
      ['PodDisruptionBudget', 'budget', refusal('Invalid', 422)],
      ['Deployment', 'controller'],
      ['RoleBinding', 'binding', refusal('Unauthorized', 403, 'it is forbidden')],
      ['RunnerGroup', 'linux'],
    ]);
    expect(written).toEqual(['controller', 'linux']);
    expect(error).toMatchObject({ type: 'Invalid', reason: 'Invalid' });
    expect(error?.message).toBe(
      'PodDisruptionBudget budget: PATCH /x: it is wrong; RoleBinding binding: PATCH /x: it is forbidden',
    );
  });

  it.each(['Namespace', 'NetworkPolicy', 'Secret'])('start no pods while a %s is refused', async (kind) => {
    const { written, error } = await attempt([
      [kind, 'first', refusal('Invalid', 422)],
      ['Deployment', 'controller'],
      ['RoleBinding', 'binding'],
      ['RunnerGroup', 'linux'],
    ]);
    expect(written).toEqual(['binding']);
    expect(error?.message).toContain('not applied until then: Deployment controller, RunnerGroup linux');
  });

  it.each<[ErrorType, [ErrorType, number][]]>([
    [
      'Transient',
      [
        ['Invalid', 422],
        ['Transient', 500],
      ],
    ],
    [
      'Conflict',
      [
        ['Unauthorized', 403],
        ['Conflict', 409],
      ],
    ],
    [
      'Invalid',
      [
        ['Unauthorized', 403],
        ['Invalid', 422],
      ],
    ],
  ])('end with %s, which is retried first', async (type, refusals) => {
    const writes = refusals.map(([one, code]): [string, string, Error] => [
      'Service',
      one,
      refusal(one, code),
    ]);
    expect((await attempt(writes)).error?.type).toBe(type);
  });

  it('end with the error of the API server if an object was only changed meanwhile', async () => {
    const conflict = refusal('Conflict', 409);
    expect(
      (
        await attempt([
          ['Service', 'a', conflict],
          ['Service', 'b'],
        ])
      ).error,
    ).toBe(conflict);
  });

  it('report a limited number of objects and of characters', async () => {
    const long = refusal('Invalid', 422, 'x'.repeat(100_000));
    const groups = Array.from({ length: 20 }, (_, at): [string, string, Error] => [
      'RunnerGroup',
      `${at}`,
      long,
    ]);
    const { error } = await attempt(groups);
    expect(error?.message).toMatch(/; 15 more$/);
    expect(error?.message.length).toBeLessThan(6_000);
  });

  it.each([
    ['there is no answer', refusal('Transient', 0)],
    ['the server limits the rate', refusal('RateLimited', 429)],
    ['another error occurs', new Error('a defect')],
  ])('stop when %s', async (_, error) => {
    await expect(attempt([['Service', 'a', error]])).rejects.toBe(error);
  });
});
