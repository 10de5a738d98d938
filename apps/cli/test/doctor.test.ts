import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fixture } from './harness/fixture.js';

const now = '2026-11-21T12:00:00Z';
let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

test('fails in a namespace that does not exist', async () => {
  expect(await fixture.gate(['doctor', '-n', 'typo'], { now })).toMatchObject({
    code: 1,
    stderr: '✗ namespace typo not found\n',
  });
});

test('reports keepers of one gate that are never open at the same time', async () => {
  const keeper = (name: string, cron: string) => `
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: ${name} }
spec: { gate: narrow, type: schedule, schedule: { open: [{ start: '${cron}', duration: 1h }] } }
`;
  const namespace = 'ugallu-system';
  await fixture.apply(
    `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: narrow }
spec: { closed: true }
${keeper('mornings', '0 8 * * 1-5')}${keeper('evenings', '0 20 * * 1-5')}`,
    namespace,
  );
  const { code, stdout } = await fixture.gate(['doctor', '-n', namespace, '-o', 'json'], { now });
  expect(code).toBe(1);
  expect((JSON.parse(stdout) as { findings: object[] }).findings).toContainEqual({
    severity: 'error',
    object: 'Gate/narrow',
    message: expect.stringMatching(/evenings, mornings are never open at the same time.*require: oneOf/),
  });
});
