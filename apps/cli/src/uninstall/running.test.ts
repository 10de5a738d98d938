import { describe, expect, it } from '@jest/globals';
import { labels, projectName } from '@interlock/api';
import type { Deployment, Lease } from '@interlock/kube';
import { runningApps } from './running.js';

const renewTime = '2026-11-22T12:00:00.000000Z';
const renewedAt = Date.parse(renewTime);

function lease(name: string, spec: Lease['spec'] = {}): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'interlock-system' },
    spec: { holderIdentity: 'pod-1', leaseDurationSeconds: 15, renewTime, ...spec },
  };
}

function deployment(name: string, replicas: number, metadata: object = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: `fleet-${name}`,
      namespace: 'interlock-system',
      labels: { [labels.partOf]: projectName, [labels.appName]: name },
      ...metadata,
    },
    spec: { replicas, selector: {}, template: {} },
  };
}

function appsOf(parts: { leases?: Lease[]; deployments?: Deployment[] }, now: number): string[] {
  const { leases = [], deployments = [] } = parts;
  return runningApps({ leases, deployments }, now).map(({ app }) => app);
}

describe('runningApps', () => {
  it.each<[string, Lease, number, string[]]>([
    ['counts a Lease that was just renewed', lease('promoter'), renewedAt, ['promoter']],
    ['counts a Lease until its duration has elapsed', lease('promoter'), renewedAt + 14_999, ['promoter']],
    ['does not count a Lease after its duration', lease('promoter'), renewedAt + 15_000, []],
    ['counts a Lease that a fast clock renewed', lease('promoter'), renewedAt - 60_000, ['promoter']],
    ['does not count a released Lease', lease('promoter', { holderIdentity: '' }), renewedAt, []],
    ['does not count a Lease that was never renewed', lease('promoter', { renewTime: '' }), renewedAt, []],
    ['ignores the Leases of other projects', lease('kube-scheduler'), renewedAt, []],
    ['recognizes additional responders', lease('gitops-responder-team-b'), renewedAt, ['gitops-responder']],
    ['ignores names that only begin with the name of an app', lease('promoter-of-others'), renewedAt, []],
  ])('detects running apps by their Leases: %s', (_case, object, now, expected) => {
    expect(appsOf({ leases: [object] }, now)).toEqual(expected);
  });

  it('names the Lease, the holder and the correction', () => {
    expect(runningApps({ leases: [lease('gate-controller')], deployments: [] }, renewedAt)).toEqual([
      {
        app: 'gate-controller',
        kind: 'Lease',
        object: 'interlock-system/gate-controller',
        holder: 'pod-1',
        message:
          'gate-controller is running: pod-1 renewed Lease interlock-system/gate-controller at 2026-11-22T12:00:00Z, for 15s; uninstall the app (helm uninstall), and try again when the Lease has expired',
      },
    ]);
  });

  it.each<[string, Deployment, string[]]>([
    ['counts a Deployment with desired replicas', deployment('promoter', 2), ['promoter']],
    ['does not count a Deployment that is scaled to 0', deployment('promoter', 0), []],
    [
      'does not count a Deployment that is being deleted',
      deployment('promoter', 1, { deletionTimestamp: renewTime }),
      [],
    ],
    ['ignores other parts of the project', deployment('dashboard', 1), []],
  ])('detects running apps by their Deployments: %s', (_case, object, expected) => {
    expect(appsOf({ deployments: [object] }, renewedAt)).toEqual(expected);
  });
});
