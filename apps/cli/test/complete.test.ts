import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fixture } from './harness/fixture.js';

const objects = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: change-freeze }
spec: { closed: true }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: old }
spec: { closed: false }
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: change-freeze-gatekeeper }
spec: { gate: change-freeze, type: cronexpression, cronjob: { closed: ['* * 20-30 11 *'] } }
`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.apply(objects);
});
afterAll(() => fixture.close());

test.each([
  [['gate', 'op'], 'open\tOpen a gate for a limited time, with a reason\n:4\n'],
  [['gate', 'get', 'h'], 'holds\n:4\n'],
  [['gate', 'open', '--kubeconfig', 'KUBECONFIG', ''], 'change-freeze\nold\n:4\n'],
  [['gate', 'get', 'keeper', '--kubeconfig', 'KUBECONFIG', 'c'], 'change-freeze-gatekeeper\n:4\n'],
  [
    ['gate', 'open', 'old', '--ti'],
    '--timeout\ttime limit\n--ticket\tnumber of a ticket, incident or change\n:4\n',
  ],
  [['gate', 'open', '--namespace=other', '--kubeconfig', 'KUBECONFIG', ''], ':4\n'],
  /* Bash splits --flag=value into three words. */
  [
    ['gate', 'open', '--namespace', '=', 'flux-system', '--kubeconfig', '=', 'KUBECONFIG', 'c'],
    'change-freeze\n:4\n',
  ],
  [['gate', 'get', 'gates', '--output', '='], 'table\njson\nyaml\n:4\n'],
  [['gate', 'get', 'gates', '--output', '=', 'j'], 'json\n:4\n'],
  [['gate', 'get', 'gates', '--kubeconfig', 'KUBECONFIG', '-o', ''], 'table\njson\nyaml\n:4\n'],
  [['gate', 'open', '--kubeconfig', 'KUBECONFIG', '--for', ''], ':4\n'],
  [['gate', 'open', '--kubeconfig', ''], ':0\n'],
  [['gate', 'lint', ''], ':0\n'],
  [['gate', 'completion', ''], 'bash\nzsh\nfish\n:4\n'],
  [['gate', 'open', '--kubeconfig', '/nonexistent', ''], ':4\n'],
])('completes %j', async (words, expected) => {
  const own = words.map((word) => (word === 'KUBECONFIG' ? fixture.kubeconfig : word));
  const result = await fixture.cli(['__complete', ...own]);
  expect(result).toEqual({ code: 0, stdout: expected, stderr: '' });
});

test('completes as a plugin of Flux, without the word gate', async () => {
  const { stdout } = await fixture.cli(['__complete', 'cl'], { as: 'flux-gate' });
  expect(stdout).toBe('close\tEnd the overrides that open a gate; can also keep it closed\n:4\n');
});
