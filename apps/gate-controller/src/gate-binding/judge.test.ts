import { expect, it } from '@jest/globals';
import { Gate, GateBinding, GateKeeper, GateOverride, timestampOf, typeMeta } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { indexGateCaches } from '../caches.js';
import { EvaluationBarrier } from '../gate/barrier.js';
import { GateReader } from '../gate/reader.js';
import { BindingJudge } from './judge.js';
import { binding, gate, now } from './testing/builders.js';

const override: GateOverride = {
  ...typeMeta(GateOverride),
  metadata: { name: 'patch', namespace: 'apps', creationTimestamp: timestampOf(now - 1_000) },
  spec: {
    gateRef: { name: 'freeze' },
    effect: 'Open',
    reason: 'CVE',
    once: false,
    duration: '1h',
    targets: [{ kind: 'GitRepository', name: 'shop' }],
  },
};

it('judges the targets of no override together, because a binding may have thousands', () => {
  const gates = new MemoryCache(Gate, gate(600_000));
  const overrides = new MemoryCache(GateOverride);
  const caches = indexGateCaches({
    gates,
    overrides,
    keepers: new MemoryCache(GateKeeper),
    bindings: new MemoryCache(GateBinding),
  });
  overrides.set(override);
  const reader = new GateReader(caches, { of: (keeper) => ({ keeper }) }, { stamps: 'ignored' });
  const verdict = new BindingJudge(caches, reader, new EvaluationBarrier(gates)).judge(binding(), now);
  const of = (name: string) => verdict.of({ kind: 'GitRepository', name });
  expect(of('shop').state).toBe('Open');
  expect(of('base').state).toBe('Closed');
  expect(of('base')).toBe(of('other'));
});
