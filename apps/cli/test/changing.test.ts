import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Gate, GateBinding, GateOverride } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { Fixture } from './harness/fixture.js';

const namespace = 'flux-system';
let fixture: Fixture;

/** The gates of the working examples. */
const gates = ['change-freeze', 'bypass-signoff']
  .map(
    (name) => `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata:
  name: ${name}
spec:
  closed: true
`,
  )
  .join('---');

beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.apply(gates);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const { metadata } of await overrides())
    await fixture.client.delete(GateOverride, { namespace, name: metadata.name });
});

async function overrides(): Promise<GateOverride[]> {
  return (await fixture.client.list(GateOverride, { namespace })).items;
}

const held = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: sources }
spec:
  refs: [{ name: change-freeze }, { name: other-gate }]
  targets: [{ kind: GitRepository, name: app }]
status:
  state: Closed
  message: other-gate is closed
  holds: [{ kind: GitRepository, name: app, since: "2026-11-20T00:00:00Z", confirmed: true }]
`;

/** Sets the status of the next override, as the controller does. */
async function activated(): Promise<void> {
  const made = await eventually(async () => {
    const [first] = await overrides();
    if (first === undefined) throw new Error('there is no override yet');
    return first;
  });
  const key = { namespace, name: made.metadata.name };
  const patch = { status: { phase: 'Active' } };
  await fixture.client.patch(GateOverride, key, { type: 'merge', patch }, { subresource: 'status' });
}

function release(): Promise<unknown> {
  const key = { namespace, name: 'sources' };
  const patch = { status: { state: 'Open', holds: [] } };
  return fixture.client.patch(GateBinding, key, { type: 'merge', patch }, { subresource: 'status' });
}

const anonymous = (text: string) => text.replace(/(-(?:open|close)-)[a-z0-9]{5}/g, '$1xxxxx');

describe('open', () => {
  test('opens a gate with the command of the working examples, for the longest time that the gate allows', async () => {
    const reason = 'Patching a CVE: Signed off by Bob the builder';
    const { code, stdout, stderr } = await fixture.cli(
      ['open', 'bypass-signoff', reason, '--kubeconfig', fixture.kubeconfig],
      {
        as: 'flux-gate',
      },
    );
    expect(anonymous(stderr)).toBe(
      [
        '► opening Gate bypass-signoff in flux-system namespace',
        '✚ GateOverride bypass-signoff-open-xxxxx created',
        `✔ Gate bypass-signoff opened for 1h: ${reason}`,
        '',
      ].join('\n'),
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect((await overrides()).map(({ spec }) => spec)).toEqual([
      { gateRef: { name: 'bypass-signoff' }, effect: 'Open', reason, duration: '1h', once: false },
    ]);
  });

  test('opens a gate with all flags', async () => {
    const commit = '0ee437c33f499e2f588f60e6a92a547f6d5845f8';
    const { code, stdout, stderr } = await fixture.gate([
      ...['open', 'change-freeze', 'CVE-2026-1234', '--for', '30m', '--once', '--revision', commit],
      ...[
        '--target',
        'ks/app',
        '--target',
        'gitrepositories/flux-system',
        '--ticket',
        'INC-42',
        '-o',
        'json',
      ],
    ]);
    expect(stderr).toContain(
      '✔ Gate change-freeze opened for kustomization/app, gitrepository/flux-system for 30m, once: CVE-2026-1234',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'GateOverride',
      spec: {
        effect: 'Open',
        duration: '30m',
        once: true,
        revisions: [commit],
        targets: [
          { kind: 'Kustomization', name: 'app' },
          { kind: 'GitRepository', name: 'flux-system' },
        ],
        ticket: 'INC-42',
      },
    });
  });

  test('opens a gate until a given time', async () => {
    const now = '2026-11-21T12:00:00Z';
    const args = ['open', 'change-freeze', 'CVE', '--until'];
    expect((await fixture.gate([...args, '2026-11-21T13:30:00+01:00'], { now })).code).toBe(0);
    expect((await overrides())[0]?.spec.expiresAt).toBe('2026-11-21T12:30:00Z');
    expect(await fixture.gate([...args, '2026-11-21T11:00:00Z'], { now })).toMatchObject({
      code: 2,
      stderr: '✗ --until 2026-11-21T11:00:00Z is in the past; write a later time\n',
    });
    expect(await fixture.gate([...args, 'tomorrow'], { now })).toMatchObject({
      code: 2,
      stderr: '✗ --until tomorrow is not a time; write for example 2026-12-01T08:00:00Z\n',
    });
  });

  test.each([
    [
      ['none', 'CVE'],
      1,
      'Gate none not found in flux-system namespace; existing gates are bypass-signoff, change-freeze',
    ],
    [['change-freeze', ' '], 2, 'the reason is empty; state why the gate is opened, for the audit trail'],
    [
      ['change-freeze', 'CVE', '--for', '2h'],
      1,
      '2h0m0s is longer than the 1h that Gate change-freeze allows (spec.maxOverride); request less time',
    ],
    [['change-freeze', 'CVE', '--for', '2d'], 2, '--for 2d: there is no unit for days; write 48h'],
    [['change-freeze', 'CVE', '--for', 'soon'], 2, '--for: "soon" is not a duration'],
    [
      ['change-freeze', 'CVE', '--until', '2999-12-01'],
      2,
      '--until 2999-12-01 is not a time; write the time of day and the zone as well: 2999-12-01T00:00:00Z',
    ],
    [
      ['change-freeze', 'CVE', '--until', '2998-11-31T08:00:00Z'],
      2,
      '--until 2998-11-31T08:00:00Z: there is no day 2998-11-31; write an existing date',
    ],
    [
      ['change-freeze', 'CVE', '--for', '0s'],
      2,
      '--for 0s is not a positive duration; write for example 30m',
    ],
    [['change-freeze', 'CVE', '--for', '5m', '--until', 'x'], 2, 'use only one of --for and --until'],
    [
      ['change-freeze', 'CVE', '--target', 'app'],
      2,
      '"app" is not KIND/NAME; write one such as gitrepository/app',
    ],
  ])('given %j, exits with %i', async (args, code, message) => {
    const result = await fixture.gate(['open', ...args]);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(`✗ ${message}`);
    expect(await overrides()).toEqual([]);
  });

  test('refuses while an override keeps the gate closed, unless the command ends that override', async () => {
    await fixture.gate(['close', 'change-freeze', 'Data loss', '--hold']);
    const refused = await fixture.gate(['open', 'change-freeze', 'CVE']);
    expect(refused.code).toBe(1);
    expect(anonymous(refused.stderr)).toBe(
      [
        '► opening Gate change-freeze in flux-system namespace',
        '✗ GateOverride change-freeze-close-xxxxx of unverified closes the gate until it is ended: Data loss; add --end-hold to end it',
        '',
      ].join('\n'),
    );
    const opened = await fixture.gate(['open', 'change-freeze', 'CVE', '--end-hold']);
    expect(opened.code).toBe(0);
    expect(anonymous(opened.stderr)).toContain(
      '⚠️ ended: GateOverride change-freeze-close-xxxxx of unverified',
    );
    expect((await overrides()).map(({ spec }) => spec.effect)).toEqual(['Open']);
  });

  test('keeps the hold in place if the override is refused', async () => {
    await fixture.gate(['close', 'change-freeze', 'Data loss', '--hold']);
    const refused = await fixture.gate([
      ...['open', 'change-freeze', 'CVE', '--end-hold', '--ticket', 'x'.repeat(300)],
    ]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('spec.ticket');
    expect((await overrides()).map(({ spec }) => [spec.effect, spec.reason])).toEqual([
      ['Close', 'Data loss'],
    ]);
  });

  test('refuses an abbreviated revision, in the command and in the cluster', async () => {
    const short = await fixture.gate(['open', 'change-freeze', 'CVE', '--revision', '0ee437c3']);
    expect(short).toMatchObject({ code: 2, stdout: '' });
    expect(short.stderr).toContain('--revision 0ee437c3 is not a full commit SHA or digest');
    const made = fixture.client.create(GateOverride, {
      metadata: { name: 'short', namespace },
      spec: {
        gateRef: { name: 'change-freeze' },
        effect: 'Open',
        reason: 'CVE',
        duration: '5m',
        revisions: ['0ee437c3'],
      },
    });
    await expect(made).rejects.toThrow('spec.revisions');
    expect(await overrides()).toEqual([]);
  });

  test('warns of objects that it does not release', async () => {
    await fixture.apply(`
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateBinding
metadata: { name: sources }
spec:
  refs: [{ name: change-freeze }]
  targets: [{ kind: GitRepository, name: app }]
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: app }
spec: {}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: other }
spec: {}
`);
    const commit = '0ee437c33f499e2f588f60e6a92a547f6d5845f8';
    const open = async (...args: string[]) =>
      (await fixture.gate(['open', 'change-freeze', 'CVE', ...args])).stderr.match(/^⚠️.*$/gm) ?? [];
    expect(await open()).toEqual([]);
    expect(await open('--target', 'gitrepository/app')).toEqual([]);
    expect(await open('--target', 'gitrepository/other', '--target', 'gitrepository/none')).toEqual([
      '⚠️ Gate change-freeze does not hold gitrepository/other: no GateBinding or annotation binds it',
      '⚠️ gitrepository/none does not exist in flux-system namespace',
    ]);
    expect(await open('--once', '--revision', commit)).toEqual([
      expect.stringMatching(/^⚠️ GateBinding sources has mode Suspend, which holds all revisions or none/),
    ]);
    await fixture.client.delete(GateBinding, { namespace, name: 'sources' });
    expect(await open('--revision', commit)).toEqual([
      '⚠️ no GateBinding in flux-system namespace refers to Gate change-freeze',
    ]);
  });

  test('opens a gate although what it holds is not read in time, because the override exists', async () => {
    let answer: (() => void) | undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const remove = fixture.faults.inject({
      when: ({ method, path }) => method === 'GET' && path.includes('/gatebindings'),
      onHit: () => answered,
    });
    const { code, stderr } = await fixture.gate(['open', 'change-freeze', 'CVE', '--timeout', '5s']);
    remove();
    answer?.();
    expect(await overrides()).toHaveLength(1);
    expect(stderr).toContain(
      '⚠️ what Gate change-freeze holds was not checked: no result within 5s (--timeout)',
    );
    expect(code).toBe(0);
  });

  test('continues to wait with --wait while the API server is overloaded, because the override exists', async () => {
    await fixture.apply(held);
    const overload = (part: string) =>
      fixture.faults.inject({
        when: ({ method, path }) => method === 'GET' && path.includes(part),
        ...{ status: 429, retryAfterSeconds: 3600, times: 1 },
      });
    const opened = fixture.gate(['open', 'change-freeze', 'CVE', '--wait', '--timeout', '60s'], {
      onError: (text) => {
        if (text.includes('waiting for GateOverride')) overload('/gateoverrides/');
        if (text.includes('waiting for the release')) {
          overload('/gatebindings');
          void release();
        }
      },
    });
    await eventually(async () => expect(await overrides()).toHaveLength(1));
    await activated();
    expect((await opened).stderr).toContain('✔ Gate change-freeze opened');
    expect(await opened).toMatchObject({ code: 0 });
    await fixture.client.delete(GateBinding, { namespace, name: 'sources' });
  });

  test('waits with --wait until the bound objects are released, and names the objects that are still held', async () => {
    await fixture.apply(held);
    const args = ['open', 'change-freeze', 'CVE', '--wait', '--timeout'];
    const late = fixture.gate([...args, '5s']);
    await activated();
    expect(await late).toMatchObject({ code: 1 });
    expect((await late).stderr).toContain(
      'still held: gitrepository/app by GateBinding sources: other-gate is closed',
    );
    for (const { metadata } of await overrides())
      await fixture.client.delete(GateOverride, { namespace, name: metadata.name });
    const released = fixture.gate([...args, '60s'], {
      onError: (text) => text.includes('waiting for the release') && void release(),
    });
    await activated();
    expect(await released).toMatchObject({ code: 0 });
    expect((await released).stderr).toContain('✔ Gate change-freeze opened');
    await fixture.client.delete(GateBinding, { namespace, name: 'sources' });
  });

  test.each([
    ['Active', 0, '✔ Gate change-freeze opened'],
    ['Rejected', 1, 'is Rejected: too long'],
  ] as const)('waits with --wait until the override is %s', async (phase, code, message) => {
    const waiting = fixture.gate(['open', 'change-freeze', 'CVE', '--wait', '--timeout', '30s']);
    for (let done = false; !done;) {
      const [made] = await overrides();
      if (made === undefined) continue;
      const patch = { status: { phase, message: 'too long' } };
      const key = { namespace, name: made.metadata.name };
      await fixture.client.patch(GateOverride, key, { type: 'merge', patch }, { subresource: 'status' });
      done = true;
    }
    const result = await waiting;
    expect(result.code).toBe(code);
    expect(result.stderr).toContain('◎ waiting for GateOverride');
    expect(result.stderr).toContain(message);
  });

  test('stops waiting at the time limit', async () => {
    const { code, stderr } = await fixture.gate([
      'open',
      'change-freeze',
      'CVE',
      '--wait',
      '--timeout',
      '1s',
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /✗ GateOverride change-freeze-open-\w+ was created and has not taken effect yet; check that the gate-controller is running\n/,
    );
  });
});

test.each([
  ['open', `a-${'b'.repeat(50)}`],
  ['close', `a-${'b'.repeat(49)}`],
])('%s names the override of a gate with a long name', async (command, name) => {
  const metadata = { namespace, name };
  await fixture.client.apply(Gate, { metadata, spec: { closed: true } }, { fieldManager: 'test' });
  const { code } = await fixture.gate([command, name, 'CVE', '--for', '5m']);
  expect(code).toBe(0);
  const [made] = await overrides();
  expect(made?.metadata.name).toMatch(new RegExp(`^b+-${command}-\\w{5}$`));
});

describe('close', () => {
  test('ends the overrides that open the gate', async () => {
    await fixture.gate(['open', 'bypass-signoff', 'CVE']);
    const { code, stderr } = await fixture.gate(['close', 'bypass-signoff']);
    expect(code).toBe(0);
    expect(anonymous(stderr)).toBe(
      [
        '► closing Gate bypass-signoff in flux-system namespace',
        '✚ GateOverride bypass-signoff-close-xxxxx created',
        '► ending GateOverride bypass-signoff-open-xxxxx of unverified: CVE',
        '✔ Gate bypass-signoff closed',
        '',
      ].join('\n'),
    );
    const made = (await overrides()).find(({ spec }) => spec.effect === 'Close');
    expect(made?.spec).toMatchObject({ duration: '0s' });
    expect(anonymous(made?.spec.reason ?? '')).toBe('ends bypass-signoff-open-xxxxx (CVE)');
  });

  test('ends only the overrides for the given target', async () => {
    await fixture.gate(['open', 'bypass-signoff', 'A', '--target', 'ks/a']);
    await fixture.gate(['open', 'bypass-signoff', 'B', '--target', 'ks/b']);
    const { stderr } = await fixture.gate(['close', 'bypass-signoff', '--target', 'ks/a']);
    expect(anonymous(stderr).match(/^► ending.*$/gm)).toEqual([
      '► ending GateOverride bypass-signoff-open-xxxxx of unverified: A',
    ]);
  });

  test('escapes and indents the reason of another user, so that it neither controls the terminal nor resembles progress', async () => {
    const reason = 'CVE\u001b[2J\u202e\n✔ Gate bypass-signoff is already closed';
    await fixture.gate(['open', 'bypass-signoff', reason]);
    const { code, stderr } = await fixture.gate(['close', 'bypass-signoff']);
    expect(code).toBe(0);
    expect(stderr).toContain('of unverified: CVE␛[2J\ufffd\n  ✔ Gate bypass-signoff is already closed\n');
    expect(stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(stderr.split('\n').filter((line) => line.startsWith('✔'))).toEqual([
      '✔ Gate bypass-signoff closed',
    ]);
  });

  test('changes nothing if the gate is already closed', async () => {
    expect(await fixture.gate(['close', 'change-freeze'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '✔ Gate change-freeze is already closed\n',
    });
  });

  test('requires a duration for a gate that is open without an override', async () => {
    const status = { state: 'Open', validUntil: '2999-01-01T00:00:00Z' };
    const key = { namespace, name: 'change-freeze' };
    await fixture.client.patch(Gate, key, { type: 'merge', patch: { status } }, { subresource: 'status' });
    expect(await fixture.gate(['close', 'change-freeze'])).toMatchObject({
      code: 2,
      stderr:
        '✗ Gate change-freeze is not opened by an override that can be ended; use --for, --until or --hold to set how long the gate stays closed\n',
    });
  });

  test.each([
    [['--for', '2h'], { duration: '2h' }, ' for 2h'],
    [
      ['--until', '2999-01-01T00:00:00Z'],
      { expiresAt: '2999-01-01T00:00:00Z' },
      ' until 2999-01-01T00:00:00Z',
    ],
    [['--hold'], {}, ' until the hold is ended'],
  ])('keeps the gate closed with %j', async (flags, lifetime, text) => {
    const { code, stderr } = await fixture.gate(['close', 'change-freeze', 'Data loss', ...flags]);
    expect(code).toBe(0);
    expect(stderr).toContain(`✔ Gate change-freeze closed${text}: Data loss`);
    const [made] = await overrides();
    expect(made?.spec).toEqual({
      gateRef: { name: 'change-freeze' },
      effect: 'Close',
      reason: 'Data loss',
      once: false,
      ...lifetime,
    });
  });

  test.each([
    [['change-freeze', '--hold'], 'the reason is missing; write interlock gate close change-freeze "why" …'],
    [['change-freeze', 'x', '--hold', '--for', '1h'], 'use only one of --hold, --for and --until'],
  ])('exits with 2 for %j', async (args, message) => {
    expect(await fixture.gate(['close', ...args])).toEqual({ code: 2, stdout: '', stderr: `✗ ${message}\n` });
  });
});
