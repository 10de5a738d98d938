import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Files, runOffline } from './harness/files.js';

let files: Files;
beforeAll(async () => (files = await Files.start()));
afterAll(() => files.close());

async function lint(text: string, ...args: string[]) {
  return runOffline(['gate', 'lint', await files.write('gates.yaml', text), ...args]);
}

const keeper = (window: string) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: freeze }
spec:
  gate: change-freeze
  type: schedule
  schedule:
    closed:
      - ${window}
`;

const object = (kind: string, spec: string) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: ${kind}
metadata: { name: x }
spec: { ${spec} }
`;
const binding = (spec: string) => object('GateBinding', `refs: [{ name: freeze }], ${spec}`);
const override = (spec: string) => object('GateOverride', `gateRef: { name: freeze }, reason: why, ${spec}`);

test('accepts objects that follow the rules of the cluster', async () => {
  const text = [
    binding('targets: [{ kind: Bucket }]'),
    binding('mode: CommitStatus, commitStatus: { key: freeze }, expr: gates.freeze'),
    override('effect: Open, duration: 5m, once: true'),
    override('effect: Close'),
  ].join('---');
  expect(await lint(text)).toEqual({ code: 0, stdout: '', stderr: '✔ 1 file checked\n' });
});

test('accepts valid objects, and objects of other projects', async () => {
  const text = `${keeper("{ cron: '* * 20-30 11 *' }")}---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n`;
  expect(await lint(text)).toEqual({ code: 0, stdout: '', stderr: '✔ 1 file checked\n' });
});

test.each([
  [keeper("{ cron: '* * 31 2 *' }"), 'spec.schedule.closed[0].cron', 'never matches'],
  [keeper("{ start: '0 1 * * *' }"), 'spec.schedule.closed[0].duration', 'is not a duration'],
  [keeper('{ cron: 5 }'), 'spec.schedule.closed[0].cron', 'expected string'],
  [
    keeper("{ cron: '* * 20-30 11 *' }").replace('metadata: { name: freeze }', 'metadata: {}'),
    'metadata.name',
    'it has no name; add one',
  ],
  [keeper('{}').replace('GateKeeper', 'Gatekeeper'), 'kind', 'does not have this kind; it has'],
  [
    keeper("{ cron: '* * * 11 *', descriptoin: x }"),
    'spec.schedule.closed[0].descriptoin',
    'this field does not exist',
  ],
  [
    binding('mode: Pin, targets: [{ kind: Bucket, name: a }]'),
    'spec',
    'mode Pin supports targets of kind GitRepository and',
  ],
  [
    binding('targets: [{ kind: Bucket, name: a, selector: { matchLabels: { a: b } } }]'),
    'spec.targets[0]',
    'at most one of',
  ],
  [
    binding("require: any, expr: 'true', targets: [{ kind: Bucket }]"),
    'spec',
    'at most one of require and expr',
  ],
  [override('effect: Open'), 'spec', 'must set expiresAt or duration'],
  [override('effect: Close, once: true'), 'spec', 'once and revisions require effect Open'],
  [
    'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: { name: a }\nspec: { gates: { require: oneOf, refs: [freeze, signoff] } }\n',
    'spec.gates',
    'gating.toolkit.fluxcd.io/gates: freeze,signoff and gating.toolkit.fluxcd.io/require: oneOf',
  ],
  [
    'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: { name: a }\nspec: { gates: { refs: [freeze] } }\n',
    'spec.gates',
    'write a GateBinding with scope All',
  ],
  ['a: [', '', 'Flow sequence in block collection'],
])('reports an error with its field: %#', async (text, field, message) => {
  const { code, stdout, stderr } = await lint(text, '-o', 'json');
  expect(code).toBe(1);
  expect(stderr).toBe('');
  const { results } = JSON.parse(stdout) as { results: object[] };
  expect(results).toContainEqual(
    expect.objectContaining({ severity: 'error', field, message: expect.stringContaining(message) }),
  );
});

test('does not treat a warning as an error', async () => {
  const { code, stdout } = await lint(keeper("{ cron: '* * 13 * 5' }"));
  expect(code).toBe(0);
  expect(stdout.split('\n')[1]).toMatch(
    /gates\.yaml\twarning +\tGateKeeper\/freeze\t +\tclosed\[0\]: .* both a day of the month and a day of the week/,
  );
});

const indented = (text: string) => text.trim().replaceAll('\n', '\n    ');

test('checks the items of a list, as get prints them', async () => {
  const text = `
apiVersion: v1
kind: List
items:
  - ${indented(keeper('{ cron: "99 * * * *" }'))}
`;
  const { code, stdout } = await lint(text);
  expect(stdout).toContain('GateKeeper/freeze\tspec.schedule.closed[0].cron');
  expect(code).toBe(1);
});

test.each([
  ['an alias without an anchor', 'spec: *none', 'Unresolved alias'],
  [
    'aliases that multiply',
    [
      'a: &a [x, x, x, x, x, x, x, x]',
      'b: &b [*a, *a, *a, *a, *a, *a, *a, *a]',
      'c: &c [*b, *b, *b, *b, *b, *b, *b, *b]',
      'd: [*c, *c, *c, *c]',
    ].join('\n'),
    'Excessive alias count',
  ],
])('reports %s with the file, and checks the other documents', async (_what, document, message) => {
  const { code, stdout } = await lint(`${document}\n---${object('Gate', 'closd: true')}`);
  expect(stdout).toMatch(new RegExp(`gates\\.yaml\\terror.*${message}`));
  expect(stdout).toContain('spec.closd');
  expect(code).toBe(1);
});

test('checks the other documents beside one whose apiVersion or name is not a text', async () => {
  const text = `apiVersion: 7\nkind: Gate\n---${object('Gate', 'closed: true').replace('name: x', 'name: 123')}`;
  const { code, stdout } = await lint(text);
  expect(stdout).toContain('123 is not a text; write it in quotes');
  expect(code).toBe(1);
});

const closed = object('Gate', 'closed: true');
test.each([
  ['metadata.name', closed.replace('name: x', 'name: { toString: a }')],
  ['metadata.annotations.a', closed.replace('name: x', 'name: x, annotations: { a: { toString: b } }')],
  ['kind', closed.replace('kind: Gate', 'kind: { toString: Gate }')],
])(
  'checks the other documents beside one whose %s is a map with a field of any name',
  async (field, text) => {
    const { code, stdout } = await lint(`${text}---${object('Gate', 'closd: true')}`);
    expect(stdout).toMatch(new RegExp(`gates\\.yaml\terror.*\t${field.replaceAll('.', '\\.')} *\t`));
    expect(stdout).toContain('spec.closd');
    expect(code).toBe(1);
  },
);

/* Each was read with kubectl 1.32 (sigs.k8s.io/yaml). */
test.each([
  ['y, yes and on as true', object('Gate', 'closed: y') + '---' + object('Gate', 'closed: on')],
  ['a merge key', `${override('effect: Open, duration: 5m, <<: { once: yes }')}`],
  ['times as texts', override('effect: Open, expiresAt: 2026-11-28T12:00:00Z')],
  ['numbers to the base 60 as texts', object('Gate', 'closed: true').replace('name: x', 'name: 1:30')],
])('reads %s, like kubectl', async (_what, text) => {
  expect(await lint(text)).toEqual({ code: 0, stdout: '', stderr: '✔ 1 file checked\n' });
});

test.each([
  ['spec.gateRef.name', object('GateOverride', 'gateRef: { name: on }, reason: why, effect: Close')],
  ['spec.gateRef.name', object('GateOverride', 'gateRef: { name: 1_000 }, reason: why, effect: Close')],
  ['spec.reason', object('GateOverride', 'gateRef: { name: a }, reason: yes, effect: Close')],
  ['metadata.name', object('Gate', 'closed: true').replace('name: x', 'name: off')],
  [
    'metadata.labels.held',
    object('Gate', 'closed: true').replace('name: x', 'name: x, labels: { held: yes }'),
  ],
  [
    'metadata.annotations.a',
    object('Gate', 'closed: true').replace('name: x', 'name: x, annotations: { a: 7 }'),
  ],
])('refuses a value of %s that kubectl does not send as a text: %#', async (field, text) => {
  const { code, stdout } = await lint(text, '-o', 'json');
  expect(code).toBe(1);
  const { results } = JSON.parse(stdout) as { results: object[] };
  expect(results).toEqual([expect.objectContaining({ severity: 'error', field })]);
});
