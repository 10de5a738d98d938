import type { Gate, GateBinding, GateKeeper, GateOverride, Schedule } from '@interlock/api';

const apiVersion = 'gating.toolkit.fluxcd.io/v1alpha1';
const namespace = 'flux-system';

export function gate(spec: Partial<Gate['spec']> = {}, status?: Gate['status']): Gate {
  return {
    apiVersion,
    kind: 'Gate',
    metadata: { name: 'change-freeze', namespace, creationTimestamp: '2020-01-01T00:00:00Z' },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed', ...spec },
    ...(status && { status }),
  };
}

export function keeper(spec: Partial<GateKeeper['spec']>, name = 'keeper'): GateKeeper {
  return {
    apiVersion,
    kind: 'GateKeeper',
    metadata: { name, namespace, creationTimestamp: '2020-01-01T00:00:00Z' },
    spec: { gate: 'change-freeze', type: 'schedule', ...spec },
  };
}

export function scheduleKeeper(schedule: Partial<Schedule>, name = 'keeper'): GateKeeper {
  return keeper({ schedule: { timeZone: 'UTC', dayMatch: 'any', ...schedule } }, name);
}

export function override(
  spec: Partial<GateOverride['spec']>,
  createdAt: string,
  name = `override-${createdAt.toLowerCase().replaceAll(':', '-')}`,
): GateOverride {
  return {
    apiVersion,
    kind: 'GateOverride',
    metadata: { name, namespace, creationTimestamp: createdAt },
    spec: { gateRef: { name: 'change-freeze' }, effect: 'Open', reason: 'CVE', once: false, ...spec },
  };
}

export function binding(spec: Partial<GateBinding['spec']> = {}): GateBinding {
  return {
    apiVersion,
    kind: 'GateBinding',
    metadata: { name: 'binding', namespace },
    spec: {
      refs: [{ name: 'change-freeze' }],
      targets: [{ kind: 'GitRepository', name: 'app' }],
      mode: 'Suspend',
      scope: 'Updates',
      ...spec,
    },
  };
}
