import { describe, expect, it } from '@jest/globals';
import { annotations, type Gate, type GateOverride } from '@interlock/api';
import { problemsOfNewOverride } from './gate-override.js';

const apiVersion = 'gating.toolkit.fluxcd.io/v1alpha1';
const now = Date.UTC(2030, 0, 1, 12);
const metadata = { name: 'door', namespace: 'team' };
const gate: Gate = {
  apiVersion,
  kind: 'Gate',
  metadata,
  spec: { closed: true, maxOverride: '24h', failurePolicy: 'Closed' },
};

const open = { effect: 'Open', duration: '10m' } as const;
const close = { effect: 'Close' } as const;
const closeOne = { effect: 'Close', targets: [{ kind: 'GitRepository', name: 'shop' }] } as const;

function override(spec: object, name = 'new'): GateOverride {
  return {
    apiVersion,
    kind: 'GateOverride',
    metadata: {
      name,
      namespace: 'team',
      creationTimestamp: new Date(now).toISOString(),
      annotations: { [annotations.actor]: 'ann', [annotations.requestedAt]: new Date(now).toISOString() },
    },
    spec: { gateRef: { name: 'door' }, reason: 'CVE', once: false, ...spec } as GateOverride['spec'],
  };
}

const live = (count: number, spec: object) =>
  Array.from({ length: count }, (_, index) => override(spec, `live-${index}`));

describe('problemsOfNewOverride', () => {
  it.each([
    ['opens', open, live(255, open), undefined],
    ['opens', open, live(256, open), 'the gate has 256 overrides that have not ended'],
    ['opens', open, [...live(128, open), ...live(128, close)], 'the gate has 256 overrides'],
    ['closes', close, live(256, open), undefined],
    ['closes', close, [...live(255, close), ...live(256, closeOne)], undefined],
    ['closes', close, live(256, close), 'the gate has 256 overrides that close it, and stays closed'],
    ['closes for a target', closeOne, [...live(255, closeOne), ...live(256, close)], undefined],
    ['closes for a target', closeOne, live(256, closeOne), 'close it for some targets; delete some'],
  ])(
    'limits the number of live overrides of a gate when a new override %s: %#',
    (_what, spec, others, refusal) => {
      const problems = problemsOfNewOverride({ override: override(spec), gate, others }, now);
      expect(problems).toEqual(
        refusal === undefined
          ? []
          : [
              expect.objectContaining({
                field: 'spec.gateRef.name',
                message: expect.stringContaining(refusal),
              }),
            ],
      );
    },
  );
});
