import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateBinding, GateKeeper, GateOverride, type AuditRecord } from '@interlock/api';
import type { LogLine } from '@interlock/base/testing';
import { verifyAudit } from '@interlock/gating';
import { eventually } from '@interlock/kube/testing';
import { gate, manifests, scheduleKeeper } from './harness/manifests.js';
import { binding, Environment, expectPhases } from './harness/promotions.js';
import { Fixture } from './harness/fixture.js';

const minute = 60_000;
const hour = 60 * minute;
const start = '2030-03-01T10:00:00Z';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start({ at: start });
});
afterAll(() => fixture.close());

/** Returns an instant some whole minutes after the next full minute. */
function soon(minutes: number): { ms: number; text: string } {
  const ms = Math.ceil(fixture.clock.now() / minute + minutes) * minute;
  return { ms, text: new Date(ms).toISOString().replace('.000Z', 'Z') };
}

/** Returns a gate that is closed from one instant to another. */
async function closing(from: string, to: string, name = 'night'): Promise<string> {
  const namespace = await fixture.namespace();
  await fixture.apply(
    namespace,
    manifests(gate(name, { closed: false }), scheduleKeeper(name, { closed: [{ from, to }] })),
  );
  await fixture.gateIs(namespace, name, ({ status }) => {
    expect(status).toMatchObject({ state: 'Open', next: { at: from, state: 'Closed' } });
  });
  return namespace;
}

/**
 * Loses the answer to the next write of a status. Returns a function that stops this, and requires that an answer was
 * lost.
 */
function loseAnswer(namespace: string, name: string): () => void {
  let lost = 0;
  const heal = fixture.cluster.faults.inject({
    when: ({ method, path }) => method === 'PATCH' && path.includes(`${namespace}/gates/${name}/status`),
    cutAfterEffect: true,
    times: 1,
    onHit: () => void lost++,
  });
  return () => {
    heal();
    expect(lost).toBe(1);
  };
}

const transitions = (namespace: string): readonly LogLine[] =>
  fixture.process.log.filter(
    ({ namespace: of, controllerKind }) => of === namespace && controllerKind === Gate.kind,
  );

async function history(namespace: string, name: string): Promise<AuditRecord[]> {
  const { status } = await fixture.gate(namespace, name);
  expect(verifyAudit(status?.history)).toEqual([]);
  return status?.history ?? [];
}

describe('a gate', () => {
  it('is written again before its state expires, and not at other times', async () => {
    const namespace = await fixture.namespace();
    await fixture.apply(namespace, manifests(gate('still')));
    const first = await fixture.gateIs(namespace, 'still', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'Default' });
    });
    await fixture.process.rest();
    fixture.forward(20 * minute);
    await fixture.process.rest();
    const same = await fixture.gate(namespace, 'still');
    expect(same.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    fixture.forward(15 * minute);
    await fixture.gateIs(namespace, 'still', ({ status }) => {
      expect(Date.parse(status?.validUntil ?? '')).toBeGreaterThan(fixture.clock.now() + 50 * minute);
    });
    expect(await history(namespace, 'still')).toHaveLength(1);
  });

  it('changes with its spec and its keepers, even if a keeper is deleted during its window', async () => {
    const namespace = await fixture.namespace();
    await fixture.apply(namespace, manifests(gate('any', { closed: false })));
    await fixture.gateIs(namespace, 'any', ({ status }) => expect(status?.state).toBe('Open'));
    const past = '2030-01-01T00:00:00Z';
    const [keeper] = await fixture.apply(
      namespace,
      manifests(
        scheduleKeeper('any', {
          closed: [{ from: past, to: '2031-01-01T00:00:00Z', description: 'the year' }],
        }),
      ),
    );
    await fixture.gateIs(namespace, 'any', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'GateKeeper/any-keeper' });
    });
    await fixture.remove(GateKeeper, keeper!);
    const before = fixture.clock.now();
    const open = await fixture.gateIs(namespace, 'any', ({ status }) => expect(status?.state).toBe('Open'));
    expect(Math.abs(Date.parse(open.status?.since ?? '') - before)).toBeLessThan(5_000);
    await fixture.apply(namespace, manifests(gate('any', { closed: true })));
    await fixture.gateIs(namespace, 'any', ({ status }) => expect(status?.state).toBe('Closed'));
    expect((await history(namespace, 'any')).map(({ from, to }) => [from, to])).toEqual([
      [undefined, 'Open'],
      ['Open', 'Closed'],
      ['Closed', 'Open'],
      ['Open', 'Closed'],
    ]);
    expect(transitions(namespace).map(({ closed }) => closed)).toEqual([false, true, false, true]);
  });

  it('keeps the last twenty records in a chain', async () => {
    const namespace = await fixture.namespace();
    for (let round = 0; round < 22; round++) {
      await fixture.apply(namespace, manifests(gate('busy', { closed: round % 2 === 0 })));
      const state = round % 2 === 0 ? 'Closed' : 'Open';
      await fixture.gateIs(namespace, 'busy', ({ status }) => expect(status?.state).toBe(state));
    }
    expect(await history(namespace, 'busy')).toHaveLength(20);
    expect(transitions(namespace)).toHaveLength(22);
  });

  it('reports a transition that the controller missed while it was down, with its exact time', async () => {
    const [from, to] = [soon(5), soon(65)];
    const namespace = await closing(from.text, to.text);
    await fixture.process.rest();
    await fixture.end();
    fixture.travel(new Date(from.ms + 7 * minute).toISOString());
    await fixture.begin();
    await fixture.gateIs(namespace, 'night', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', since: from.text, next: { at: to.text } });
    });
    const records = await history(namespace, 'night');
    expect(records.map(({ to: state }) => state)).toEqual(['Open', 'Closed']);
    expect(records[1]).toMatchObject({ since: from.text });
    expect(Date.parse(records[1]!.at) - from.ms).toBeGreaterThanOrEqual(7 * minute);
    await eventually(() => expect(transitions(namespace).map(({ closed }) => closed)).toEqual([true]));
  });

  it('is recorded once if the answer to the write is lost', async () => {
    const [from, to] = [soon(5), soon(65)];
    const namespace = await closing(from.text, to.text);
    await fixture.process.rest();
    const expectLoss = loseAnswer(namespace, 'night');
    fixture.travel(from.text);
    await eventually(() => expect(transitions(namespace).map(({ closed }) => closed)).toEqual([false, true]));
    expectLoss();
    expect(await history(namespace, 'night')).toHaveLength(2);
  });

  it('is reported once if the answer to its first write is lost', async () => {
    const namespace = await fixture.namespace();
    const expectLoss = loseAnswer(namespace, 'new');
    await fixture.apply(namespace, manifests(gate('new')));
    await eventually(() => expect(transitions(namespace).map(({ closed }) => closed)).toEqual([true]));
    expectLoss();
    expect(await history(namespace, 'new')).toHaveLength(1);
  });

  it('changes as soon as the API server is back after an outage', async () => {
    const [from, to] = [soon(5), soon(65)];
    const namespace = await closing(from.text, to.text);
    await fixture.process.rest();
    const heal = fixture.cluster.faults.inject({
      when: ({ user }) => user?.username.includes('gate-controller') === true,
      status: 503,
    });
    fixture.travel(from.text);
    await eventually(() =>
      expect(
        fixture.process.log.some(({ message, name }) => message === 'reconcile failed' && name === 'night'),
      ).toBe(true),
    );
    expect((await fixture.gate(namespace, 'night')).status?.state).toBe('Open');
    heal();
    await fixture.cluster.restart();
    fixture.forward(minute);
    await fixture.gateIs(namespace, 'night', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', since: from.text });
    });
    expect(await history(namespace, 'night')).toHaveLength(2);
  });

  it('does not open while the clock is wrong', async () => {
    const [from, to] = [soon(5), soon(65)];
    const namespace = await closing(from.text, to.text);
    await fixture.process.rest();
    fixture.travel(from.text);
    await fixture.gateIs(namespace, 'night', ({ status }) => expect(status?.state).toBe('Closed'));
    await fixture.apply(namespace, manifests(gate('open', { closed: false })));
    const open = await fixture.gateIs(namespace, 'open', ({ status }) => expect(status?.state).toBe('Open'));
    await fixture.process.rest();
    fixture.skewMs = 90_000;
    fixture.travel(to.text);
    await fixture.gateIs(namespace, 'night', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'ClockSkew' });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          reason: 'ClockSkew',
          message: expect.stringContaining('90 s ahead of the clock of the API server; correct it'),
        }),
      );
    });
    expect(await fixture.process.metric('gate_clock_skew_seconds')).toBe(90);
    await fixture.gateIs(namespace, 'open', ({ status }) => {
      expect(status).toMatchObject({ state: 'Closed', cause: 'ClockSkew' });
      expect(Date.parse(status?.since ?? '')).toBeGreaterThanOrEqual(
        Date.parse(open.status?.validUntil ?? ''),
      );
    });
    fixture.skewMs = 0;
    fixture.forward(minute);
    for (const name of ['night', 'open']) {
      await fixture.gateIs(namespace, name, ({ status }) => {
        expect(status?.state).toBe('Open');
        expect(status?.conditions).toContainEqual(
          expect.objectContaining({ type: 'Ready', status: 'True', reason: 'Evaluated' }),
        );
      });
    }
  });
});

describe('after a start', () => {
  it('releases nothing before every gate has been evaluated', async () => {
    const [from, to] = [soon(5), soon(65)];
    const namespace = await closing(from.text, to.text);
    const other = await fixture.namespace();
    await fixture.apply(other, manifests(gate('elsewhere')));
    await fixture.gateIs(other, 'elsewhere', ({ status }) => expect(status?.state).toBe('Closed'));
    await fixture.process.rest();
    fixture.travel(from.text);
    await fixture.apply(namespace, manifests(binding('hold', ['night'])));
    await new Environment(fixture, namespace, 'prod').propose('one');
    await expectPhases(fixture, namespace, { one: 'in_progress' });
    await fixture.process.rest();
    await fixture.end();
    fixture.travel(to.text);
    /* The gate must be written, because its state has expired meanwhile. */
    let refused = 0;
    const heal = fixture.cluster.faults.inject({
      when: ({ method, path }) => method === 'PATCH' && path.includes(`${other}/gates/elsewhere/status`),
      status: 409,
      onHit: () => void refused++,
    });
    await fixture.begin();
    await fixture.gateIs(namespace, 'night', ({ status }) => expect(status?.state).toBe('Open'));
    await fixture.passes(GateBinding, { namespace, name: 'hold' }, ({ status }) => {
      expect(status?.state).toBe('Open');
    });
    await eventually(() => expect(refused).toBeGreaterThan(1));
    await expectPhases(fixture, namespace, { one: 'in_progress' });
    heal();
    await expectPhases(fixture, namespace, { one: 'success' });
  });

  it('keeps the overrides and their states', async () => {
    const namespace = await fixture.namespace();
    await fixture.apply(namespace, manifests(gate('door', { maxOverride: '8h' })));
    const spec = { gateRef: { name: 'door' }, effect: 'Open', reason: 'a visit', duration: '2h' };
    await fixture.client.create(GateOverride, { metadata: { name: 'visit', namespace }, spec });
    const open = await fixture.gateIs(namespace, 'door', ({ status }) => expect(status?.state).toBe('Open'));
    await fixture.process.rest();
    await fixture.end();
    fixture.forward(hour);
    await fixture.begin();
    await fixture.process.rest();
    const same = await fixture.gate(namespace, 'door');
    expect(same.status).toMatchObject({ state: 'Open', since: open.status?.since });
    await fixture.end();
    fixture.forward(2 * hour);
    await fixture.begin();
    const closed = await fixture.gateIs(namespace, 'door', ({ status }) =>
      expect(status?.state).toBe('Closed'),
    );
    expect(closed.status?.since).toBe(open.status?.next?.at);
    await fixture.passes(GateOverride, { namespace, name: 'visit' }, ({ status }) => {
      expect(status).toMatchObject({ phase: 'Expired', endedAt: open.status?.next?.at });
    });
  });
});
