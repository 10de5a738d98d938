import { beforeEach, describe, expect, it } from '@jest/globals';
import { Gate, GateBinding, GateKeeper, GateOverride, timestampOf } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { indexGateCaches, type GateCaches } from '../caches.js';
import { EndedOverrides } from './ended-overrides.js';

const apiVersion = 'gating.toolkit.fluxcd.io/v1alpha1';
const namespace = 'team';
const key = { name: 'door', namespace };
const hour = 3_600_000;
const minute = 60_000;
const now = Date.UTC(2030, 0, 1, 12);

const status = {
  state: 'Closed' as const,
  since: timestampOf(now - 2 * hour),
  validUntil: timestampOf(now + 5 * minute),
};

function gate(uid = 'u'): Gate {
  return {
    apiVersion,
    kind: 'Gate',
    metadata: { ...key, uid, creationTimestamp: timestampOf(now - 9 * hour) },
    spec: { closed: true, maxOverride: '24h', failurePolicy: 'Closed' },
    status,
  };
}

function override(
  name: string,
  spec: Partial<GateOverride['spec']> = {},
  madeMs = -20 * minute,
): GateOverride {
  return {
    apiVersion,
    kind: 'GateOverride',
    metadata: { name, namespace, creationTimestamp: timestampOf(now + madeMs) },
    spec: { gateRef: { name: 'door' }, effect: 'Open', reason: 'CVE', once: false, duration: '1m', ...spec },
  };
}

const ended = (one: GateOverride, endedMs = -10 * minute): GateOverride => ({
  ...one,
  status: { phase: 'Expired', endedAt: timestampOf(now + endedMs) },
});

let gates: MemoryCache<Gate>;
let overrides: MemoryCache<GateOverride>;
let known: EndedOverrides;

beforeEach(() => {
  gates = new MemoryCache(Gate, gate());
  overrides = new MemoryCache(GateOverride);
  const caches: GateCaches = {
    gates,
    overrides,
    keepers: new MemoryCache(GateKeeper),
    bindings: new MemoryCache(GateBinding),
  };
  known = new EndedOverrides(indexGateCaches(caches), hour);
});

const names = (of = gates.get(key)!) => known.relevantTo(of).map(({ metadata }) => metadata.name);
const record = (inView = known.inView(key), of = gates.get(key)!, at = now) => known.recorded(of, inView, at);

describe('overrides that ended after the state of their gate was written', () => {
  it('are considered until the recorded state includes their ends, and cost nothing afterwards', () => {
    for (let index = 0; index < 500; index++) overrides.set(ended(override(`ended-${index}`)));
    overrides.set(override('live'));
    expect(names()).toHaveLength(501);
    record();
    expect(names()).toEqual(['live']);
    expect(known.inView(key)).toEqual([]);
    expect(known.recordedAt(gates.get(key)!)).toBe(now);
  });

  it('count if they ended while the state was written', () => {
    overrides.set(ended(override('before')));
    overrides.set(override('during'));
    const inView = known.inView(key);
    overrides.set(ended(override('during')));
    record(inView);
    expect(names()).toEqual(['during']);
    record();
    expect(names()).toEqual([]);
  });

  it('do not count again when another part of them changes', () => {
    const one = ended(override('old'));
    overrides.set(one);
    record();
    overrides.set({ ...one, metadata: { ...one.metadata, labels: { seen: 'true' } } });
    expect(names()).toEqual([]);
  });

  it('count for a recreated gate', () => {
    overrides.set(ended(override('old')));
    const inView = known.inView(key);
    const { status: _, ...anew } = gate('another');
    record(inView);
    overrides.set(ended(override('new')));
    gates.remove(key);
    expect(known.recordedAt(gate())).toBeUndefined();
    gates.set(anew);
    expect(names(anew)).toEqual(['new']);
    expect(known.recordedAt(anew)).toBeUndefined();
  });

  it('are dropped with their objects', () => {
    overrides.set(ended(override('old')));
    overrides.remove({ name: 'old', namespace });
    expect(known.inView(key)).toEqual([]);
  });
});

describe('a Close that is recorded as ended', () => {
  const close = (endedMs: number) =>
    ended(override('close', { effect: 'Close', duration: '0s' }, endedMs), endedMs);

  it('counts as long as an Open that it may end is live', () => {
    overrides.set(override('open', { duration: '1h' }));
    overrides.set(close(-10 * minute));
    record();
    expect(names()).toEqual(['open', 'close']);
    overrides.set(ended(override('open', { duration: '1h' })));
    record();
    expect(names()).toEqual([]);
    expect(known.inView(key)).toEqual([]);
  });

  it('ends an Open that was requested before the Close but is created after it', () => {
    overrides.set(close(-1_000));
    record();
    expect(names()).toEqual([]);
    overrides.set(override('late', { duration: '1h' }, -2_000));
    expect(names()).toEqual(['late', 'close']);
  });
});
