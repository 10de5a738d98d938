import type { Operation } from '@interlock/responding';
import { afterAll, describe, expect, it } from '@jest/globals';
import { responseOf } from '@interlock/responding/testing';
import { Planner } from './planner.js';

const planner = new Planner();
afterAll(() => planner.close());

const deletion: Operation = { op: 'yaml.deleteDocument', path: 'a/b.yaml', select: { name: 'b' } };
const manifest = 'kind: ConfigMap\nmetadata: {name: b}\n';
/* Each entry for the deleted file is another edit of the list. */
const hostile = new Map([
  ['a/b.yaml', { text: manifest }],
  ['a/kustomization.yaml', { text: `resources:\n${'- b.yaml\n'.repeat(20_000)}` }],
]);
const harmless = new Map([['a/b.yaml', { text: manifest }]]);
const planned = { files: [{ path: 'a/b.yaml', change: 'delete' }], removed: 2 };

describe('a planner', () => {
  it('returns the plan of a change, or its refusal', async () => {
    expect(await planner.plan('t', [deletion], harmless, {})).toMatchObject(planned);
    await expect(planner.plan('t', [deletion], harmless, { deny: ['a/**'] })).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'PathNotAllowed',
      message: expect.stringContaining('"a/b.yaml" may not be changed'),
    });
  });

  it('returns the requested change of a response, or its refusal', async () => {
    const requesting = (changes: string) =>
      responseOf({ action: { type: 'GitOpsChange', parameters: { changes } } });
    expect(await planner.operations('t', requesting(JSON.stringify([deletion])))).toEqual([deletion]);
    await expect(planner.operations('t', requesting('{}'))).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'InvalidParameters',
      message: expect.stringContaining('it is not a list of operations'),
    });
    await expect(planner.operations('t', requesting('[]'))).rejects.toMatchObject({ reason: 'NoOperations' });
  });

  it('returns the place of a document', async () => {
    const object = { kind: 'ConfigMap', name: 'b' };
    const delivery = {
      type: 'found' as const,
      url: 'https://x/y',
      folder: 'a',
      by: 'Kustomization x/y',
      object,
      isHelm: false,
      transform: { prefix: '', suffix: '' },
      recurse: true,
    };
    const located = await planner.locate('t', delivery, new Map([['a/b.yaml', manifest]]));
    expect(located).toMatchObject({ type: 'found', path: 'a/b.yaml', select: object });
  });

  it('ends with an error for files that take too long, and plans other changes in the meantime', async () => {
    const brief = new Planner({ timeMs: 5_000 });
    let hasEnded = false;
    const ended = expect(
      brief.plan('hostile', [deletion], hostile, {}).finally(() => (hasEnded = true)),
    ).rejects.toMatchObject({
      type: 'Transient',
      reason: 'TimeLimitExceeded',
      message: expect.stringMatching(/^the change cannot be planned: .*; split the files, or write/),
    });
    do {
      expect(await brief.plan('other', [deletion], harmless, {})).toMatchObject(planned);
    } while (!hasEnded);
    await ended;
    await brief.close();
  });
});
