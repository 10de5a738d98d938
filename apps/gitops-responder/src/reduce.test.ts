import type { Gate } from '@interlock/api';
import { believedState } from '@interlock/gating';
import { expect, it } from '@jest/globals';
import { reduceGate } from './reduce.js';

const large = 'x'.repeat(200_000);

it('keeps little of a gate, whatever its team writes into it, but its state', () => {
  const validUntil = '2026-01-01T01:00:00Z';
  const now = Date.parse('2026-01-01T00:00:00Z');
  const gate: Gate = {
    apiVersion: 'interlock.dev/v1alpha1',
    kind: 'Gate',
    metadata: {
      name: 'freeze',
      namespace: 'team',
      uid: 'u-1',
      resourceVersion: '7',
      annotations: { large },
      labels: { large },
      managedFields: [{ large }],
    },
    spec: { closed: true, description: large, maxOverride: '1h', failurePolicy: 'Closed' },
    status: {
      state: 'Open',
      message: 'nobody closes it',
      validUntil,
      contributions: [{ source: 'GateKeeper/a', effect: 'Open', message: large }],
    },
  };
  const kept = reduceGate(gate);
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
  expect(kept.metadata).toEqual({ name: 'freeze', namespace: 'team', uid: 'u-1', resourceVersion: '7' });
  expect(believedState(kept, now)).toEqual(believedState(gate, now));
});
