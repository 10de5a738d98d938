import type { EventResponse, SecurityEvent } from '@interlock/api';

const apiVersion = 'security.ugallu.io/v1alpha1';

/** Returns an event of a cluster-admin binding. */
export function eventOf(spec: Partial<SecurityEvent['spec']> = {}): SecurityEvent {
  return {
    apiVersion,
    kind: 'SecurityEvent',
    metadata: { name: 'se-1', uid: 'u-1' },
    spec: {
      class: 'Detection',
      type: 'ClusterAdminGranted',
      severity: 'high',
      subject: { kind: 'ClusterRoleBinding', name: 'admin', namespace: 'prod-eu', labels: { team: 'a' } },
      ...spec,
    },
  };
}

/** Returns a response of action GitOpsChange for the default responder. */
export function responseOf(
  spec: Partial<EventResponse['spec']> = {},
  metadata: Partial<EventResponse['metadata']> = {},
): EventResponse {
  return {
    apiVersion,
    kind: 'EventResponse',
    metadata: { name: 'er-1', uid: 'u-2', generation: 1, ...metadata },
    spec: {
      securityEventRef: { name: 'se-1' },
      responder: { kind: 'Deployment', name: 'ugallu-gitops-responder' },
      action: { type: 'GitOpsChange', actionRef: 'revoke-clusterrolebinding' },
      ...spec,
    },
  };
}
