import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateKeeper, GateOverride } from '@interlock/api';
import { verifyAudit } from '@interlock/gating';
import { Event } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace } from '@interlock/stack';
import { Fixture } from './harness/fixture.js';

/* Copied from the working examples of Flux RFC 3158. */
const gates = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata:
  name: change-freeze
  namespace: flux-system
spec:
  closed: true
---
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: Gate
metadata:
  name: bypass-signoff
  namespace: flux-system
spec:
  closed: true
`;
const keeper = `
apiVersion: gating.toolkit.fluxcd.io/v1alpha1
kind: GateKeeper
metadata:
  name: change-freeze-gatekeeper
  namespace: flux-system
spec:
  gate: change-freeze
  type: cronexpression # cronjob/cronexpression?
  cronjob:
    closed:
    - '* * 20-30 11 *' # Black Friday: 20th-30th November
    - '* * 15-31 12 *' # Xmas: 15th-31st December
`;
const namespace = 'flux-system';
const reason = 'Patching a CVE: Signed off by Bob the builder';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start({ at: '2030-11-10T12:00:00Z' });
  await ensureNamespace(fixture.client, namespace);
  await fixture.apply(namespace, gates + '---' + keeper);
});
afterAll(() => fixture.close());

describe('the page', () => {
  it('has a change freeze that is open until Black Friday, and a bypass that is closed', async () => {
    await fixture.gateIs(namespace, 'change-freeze', ({ status }) => {
      expect(status).toMatchObject({
        state: 'Open',
        cause: 'GateKeeper/change-freeze-gatekeeper',
        next: {
          at: '2030-11-20T00:00:00Z',
          state: 'Closed',
          cause: 'GateKeeper/change-freeze-gatekeeper',
        },
      });
    });
    await fixture.gateIs(namespace, 'bypass-signoff', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'Default' });
      expect(status?.next).toBeUndefined();
    });
    await fixture.passes(GateKeeper, { namespace, name: 'change-freeze-gatekeeper' }, ({ status }) => {
      expect(status).toMatchObject({ effect: 'Abstain', next: '2030-11-20T00:00:00Z' });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Evaluated' }),
      );
    });
  });

  it('closes the change freeze at the first second of Black Friday, and records it in the history', async () => {
    await fixture.process.rest();
    fixture.travel('2030-11-20T00:00:00Z');
    const gate = await fixture.gateIs(namespace, 'change-freeze', ({ status }) => {
      expect(status).toMatchObject({
        state: 'Closed',
        since: '2030-11-20T00:00:00Z',
        next: { at: '2030-12-01T00:00:00Z', state: 'Open' },
      });
    });
    expect(gate.status?.history?.at(-1)).toMatchObject({
      from: 'Open',
      to: 'Closed',
      since: '2030-11-20T00:00:00Z',
      cause: 'GateKeeper/change-freeze-gatekeeper',
    });
    expect(gate.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Open', status: 'False', reason: 'GateKeeper' }),
    );
  });

  it('opens the bypass by an override, with the log line of the page', async () => {
    const spec = { gateRef: { name: 'bypass-signoff' }, effect: 'Open', reason, duration: '30m' };
    await fixture.client.create(GateOverride, { metadata: { name: 'cve', namespace }, spec });
    await fixture.gateIs(namespace, 'bypass-signoff', ({ status }) => {
      expect(status).toMatchObject({ state: 'Open', cause: 'GateOverride/cve', next: { state: 'Closed' } });
    });
    const line = await eventually(() => {
      const found = fixture.process.log.find(
        ({ message }) => message.startsWith('opening gate') && message.includes('CVE'),
      );
      if (found === undefined) throw new Error('no such line');
      return found;
    });
    expect(line).toMatchObject({
      level: 'info',
      message: `opening gate: '${reason}'`,
      closed: false,
      controller: 'gatecontroller',
      controllerGroup: 'gating.toolkit.fluxcd.io',
      controllerKind: 'Gate',
      Gate: { namespace, name: 'bypass-signoff' },
      namespace,
      name: 'bypass-signoff',
      cause: 'GateOverride/cve',
      actor: 'unverified',
      reason,
      next: { state: 'Closed' },
    });
    await eventually(async () => {
      const { items } = await fixture.client.list(Event, { namespace });
      expect(items).toContainEqual(
        expect.objectContaining({
          reason: 'GateOpened',
          note: expect.stringMatching(
            new RegExp(
              `^opened by unverified \\(GateOverride/cve\\): ${reason} \\[record \\d+, digest [0-9a-f]{16}\\]$`,
            ),
          ),
          regarding: expect.objectContaining({ kind: Gate.kind, name: 'bypass-signoff' }),
        }),
      );
    });
  });

  it('closes the bypass again by an override with effect Close', async () => {
    const spec = { gateRef: { name: 'bypass-signoff' }, effect: 'Close', reason: 'released', duration: '0s' };
    fixture.forward(1_000);
    await fixture.client.create(GateOverride, { metadata: { name: 'done', namespace }, spec });
    const gate = await fixture.gateIs(namespace, 'bypass-signoff', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'Default' });
    });
    expect(gate.status?.history?.at(-1)).toMatchObject({
      from: 'Open',
      to: 'Closed',
      cause: 'Default',
      reason: 'released',
    });
    expect(verifyAudit(gate.status?.history)).toEqual([]);
    await fixture.passes(GateOverride, { namespace, name: 'cve' }, ({ status }) => {
      expect(status).toMatchObject({ phase: 'Ended', message: 'ended by GateOverride/done: released' });
    });
  });
});
