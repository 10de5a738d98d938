import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, GateOverride } from '@interlock/api';
import { auditSigner, auditVerifier, verifyAudit } from '@interlock/gating';
import { eventually } from '@interlock/kube/testing';
import { Fixture } from './harness/fixture.js';

const hour = 3_600_000;
const auditTtlMs = 24 * hour;
const keys = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
let fixture: Fixture;

beforeAll(async () => {
  const sign = auditSigner(keys.privateKey);
  fixture = await Fixture.start({ at: '2030-07-01T09:00:00Z', auditTtlMs, sign });
});
afterAll(() => fixture.close());

async function closedGate(spec = 'closed: true'): Promise<string> {
  const namespace = await fixture.namespaceWith(`
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: door }
spec: { ${spec} }
`);
  await fixture.gateIs(namespace, 'door', ({ status }) => expect(status?.state).toBeDefined());
  return namespace;
}

function make(namespace: string, name: string, spec: object, more: object = {}): Promise<GateOverride> {
  const common = { gateRef: { name: 'door' }, reason: 'because' };
  return fixture.client.create(GateOverride, {
    metadata: { name, namespace, ...more },
    spec: { ...common, ...spec },
  });
}

const phaseIs = (namespace: string, name: string, status: object) =>
  fixture.passes(GateOverride, { namespace, name }, (override) =>
    expect(override.status).toMatchObject(status),
  );

const stateIs = (namespace: string, state: string, cause: string) =>
  fixture.gateIs(namespace, 'door', ({ status }) => expect(status).toMatchObject({ state, cause }));

describe('an override', () => {
  it('opens the gate until it expires, is kept for the signed audit trail, and is then deleted', async () => {
    const namespace = await closedGate();
    await make(namespace, 'visit', { effect: 'Open', duration: '30m', ticket: 'INC-42' });
    const open = await stateIs(namespace, 'Open', 'GateOverride/visit');
    const { at } = open.status?.next ?? {};
    await phaseIs(namespace, 'visit', { phase: 'Active', actor: 'unverified', expiresAt: at });
    expect(open.status?.history?.at(-1)).toMatchObject({ reason: 'because', ticket: 'INC-42' });
    expect(verifyAudit(open.status?.history, auditVerifier(keys.publicKey)(open))).toEqual([]);
    expect(await fixture.process.metric('gate_override_active', { effect: 'Open' })).toBe(1);
    await fixture.process.rest();
    fixture.travel(at!);
    const closed = await stateIs(namespace, 'Closed', 'Default');
    expect(closed.status?.since).toBe(at);
    await phaseIs(namespace, 'visit', { phase: 'Expired', endedAt: at });
    expect(await fixture.process.metric('gate_override_active', { effect: 'Open' })).toBe(0);
    await fixture.process.rest();
    fixture.forward(auditTtlMs + 1_000);
    await eventually(() =>
      expect(fixture.client.get(GateOverride, { namespace, name: 'visit' })).rejects.toMatchObject({
        type: 'NotFound',
      }),
    );
    const { status } = await fixture.gate(namespace, 'door');
    expect(status?.history?.map(({ cause }) => cause)).toEqual(['Default', 'GateOverride/visit', 'Default']);
  });

  it('that closes takes precedence over one that opens, until it is deleted', async () => {
    const namespace = await closedGate('closed: false');
    const stop = await make(namespace, 'stop', { effect: 'Close', reason: 'data is being lost' });
    await stateIs(namespace, 'Closed', 'GateOverride/stop');
    fixture.forward(1_000);
    await make(namespace, 'try', { effect: 'Open', duration: '30m' });
    await phaseIs(namespace, 'try', { phase: 'Active' });
    await stateIs(namespace, 'Closed', 'GateOverride/stop');
    await fixture.remove(GateOverride, stop);
    await stateIs(namespace, 'Open', 'GateOverride/try');
  });

  it('has no effect before a freeze begins', async () => {
    const namespace = await closedGate('closed: false');
    await make(namespace, 'early', { effect: 'Open', duration: '1h' });
    await phaseIs(namespace, 'early', { phase: 'Active' });
    const from = new Date(fixture.clock.now() + 10 * 60_000).toISOString().replace(/\.\d+Z/, 'Z');
    const to = new Date(fixture.clock.now() + 20 * hour).toISOString().replace(/\.\d+Z/, 'Z');
    await fixture.apply(
      namespace,
      `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata: { name: freeze }
spec: { gate: door, type: schedule, schedule: { closed: [{ from: '${from}', to: '${to}' }] } }
`,
    );
    await fixture.gateIs(namespace, 'door', ({ status }) => {
      expect(status?.contributions?.map(({ source }) => source)).toContain('GateKeeper/freeze');
    });
    await fixture.process.rest();
    fixture.travel(from);
    await stateIs(namespace, 'Open', 'GateOverride/early');
    await fixture.process.rest();
    fixture.forward(hour);
    await stateIs(namespace, 'Closed', 'GateKeeper/freeze');
  });

  it.each([
    [
      'longer than the gate allows',
      { effect: 'Open', duration: '2h' },
      /spec.duration: 2h is longer than .* 1h.* \(maxOverride\)/,
    ],
    [
      'for a gate that does not exist',
      { effect: 'Open', duration: '5m', gateRef: { name: 'window' } },
      /spec.gateRef.name: Gate window does not exist in the namespace; name an existing one/,
    ],
    [
      'with a duration of zero',
      { effect: 'Open', duration: '0s' },
      /spec.duration: the override would never be in force with 0s; set a longer duration or a later expiresAt/,
    ],
  ])('%s is rejected, without an effect on the gate', async (_, spec, message) => {
    const namespace = await closedGate();
    await make(namespace, 'bad', spec);
    const { status } = await phaseIs(namespace, 'bad', {
      phase: 'Rejected',
      message: expect.stringMatching(message),
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Rejected' }),
      ]),
    });
    expect(status?.endedAt).toBeDefined();
    await fixture.process.rest();
    await stateIs(namespace, 'Closed', 'Default');
    await fixture.apply(
      namespace,
      `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata: { name: ${'gateRef' in spec ? 'window' : 'door'} }
spec: { maxOverride: 8h }
`,
    );
    await fixture.process.rest();
    await phaseIs(namespace, 'bad', { phase: 'Rejected' });
  });

  it.each([
    ['without a reason', { reason: ' ', effect: 'Open', duration: '5m' }, /spec.reason/],
    ['that opens without an end', { effect: 'Open' }, /must set expiresAt or duration/],
    ['with two ends', { effect: 'Open', duration: '5m', expiresAt: '2030-01-01T00:00:00Z' }, /at most one/],
    ['that closes once', { effect: 'Close', once: true }, /require effect Open/],
  ])('%s is refused by the API server', async (_, spec, message) => {
    const namespace = await closedGate();
    await expect(make(namespace, 'bad', spec)).rejects.toThrow(message);
  });

  it('cannot be changed', async () => {
    const namespace = await closedGate();
    await make(namespace, 'visit', { effect: 'Open', duration: '5m' });
    const patch = { spec: { duration: '50m' } };
    await expect(
      fixture.client.patch(GateOverride, { namespace, name: 'visit' }, { type: 'merge', patch }),
    ).rejects.toThrow(/immutable/);
  });

  it('has an unverified author while admission does not authenticate annotations', async () => {
    const namespace = await closedGate();
    const metadata = {
      annotations: { [annotations.actor]: 'root', [annotations.requestedAt]: '2040-01-01T00:00:00Z' },
    };
    await make(namespace, 'forged', { effect: 'Open', duration: '5m' }, metadata);
    await stateIs(namespace, 'Open', 'GateOverride/forged');
    await phaseIs(namespace, 'forged', { actor: 'unverified' });
  });
});

describe('overrides that have ended', () => {
  it('are neither reconciled nor counted when a new override is created', async () => {
    const namespace = await closedGate();
    const names = Array.from({ length: 40 }, (_, index) => `old-${index}`);
    for (const name of names) await make(namespace, name, { effect: 'Open', duration: '1m' });
    fixture.forward(2 * 60_000);
    for (const name of names) await phaseIs(namespace, name, { phase: 'Expired' });
    await stateIs(namespace, 'Closed', 'Default');
    await fixture.process.rest();
    expect(fixture.process.overridesOf({ namespace, name: 'door' })).toEqual([]);
    const before = await fixture.process.reconciles();
    await make(namespace, 'new', { effect: 'Open', duration: '1m' });
    await stateIs(namespace, 'Open', 'GateOverride/new');
    await phaseIs(namespace, 'new', { phase: 'Active' });
    await fixture.process.rest();
    expect((await fixture.process.reconciles()) - before).toBeLessThan(names.length / 2);
  });
});
