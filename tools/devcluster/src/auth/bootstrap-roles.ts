import type { Binding, PolicyRule, Role } from './rbac-types.js';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from './users.js';

const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

function rule(apiGroup: string, resources: string[], verbs: string[]): PolicyRule {
  return { verbs, apiGroups: [apiGroup], resources };
}

function role(name: string, rules: PolicyRule[], labels: Record<string, string> = {}): Role {
  return { kind: 'ClusterRole', metadata: { name, labels: { ...LABELS, ...labels } }, rules };
}

function aggregate(name: string, into: string, own: Record<string, string> = {}): Role {
  const clusterRoleSelectors = [{ matchLabels: aggregateTo(into) }];
  return { ...role(name, [], own), aggregationRule: { clusterRoleSelectors } };
}

function aggregateTo(name: string): Record<string, string> {
  return { [`${RBAC}/aggregate-to-${name}`]: 'true' };
}

function urls(nonResourceURLs: string[]): PolicyRule {
  return { verbs: ['get'], nonResourceURLs };
}

const WORKLOADS = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
];
const CORE = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'replicationcontrollers/scale',
  'serviceaccounts',
  'services',
];

const VIEW: PolicyRule[] = [
  rule('', [...CORE, 'endpoints', 'persistentvolumeclaims/status'], READ),
  rule(
    '',
    [
      'bindings',
      'events',
      'limitranges',
      'namespaces/status',
      'pods/log',
      'pods/status',
      'replicationcontrollers/status',
      'resourcequotas',
      'resourcequotas/status',
      'services/status',
    ],
    READ,
  ),
  rule('', ['namespaces'], READ),
  rule('discovery.k8s.io', ['endpointslices'], READ),
  rule(
    'apps',
    [
      'controllerrevisions',
      ...WORKLOADS,
      'daemonsets/status',
      'deployments/status',
      'replicasets/status',
      'statefulsets/status',
    ],
    READ,
  ),
  rule('autoscaling', ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], READ),
  rule('batch', ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], READ),
  rule('policy', ['poddisruptionbudgets', 'poddisruptionbudgets/status'], READ),
  rule('networking.k8s.io', ['ingresses', 'ingresses/status', 'networkpolicies'], READ),
  rule('coordination.k8s.io', ['leases'], READ),
];

const EDIT: PolicyRule[] = [
  rule('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'], READ),
  rule('', ['serviceaccounts'], ['impersonate']),
  rule('', ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'], WRITE),
  rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule('', [...CORE.filter((resource) => resource !== 'pods'), 'events', 'secrets', 'services/proxy'], WRITE),
  rule('apps', [...WORKLOADS, 'deployments/rollback'], WRITE),
  rule('autoscaling', ['horizontalpodautoscalers'], WRITE),
  rule('batch', ['cronjobs', 'jobs'], WRITE),
  rule('policy', ['poddisruptionbudgets'], WRITE),
  rule('networking.k8s.io', ['ingresses', 'networkpolicies'], WRITE),
  rule('coordination.k8s.io', ['leases'], [...WRITE, ...READ]),
];

const ADMIN: PolicyRule[] = [
  rule('authorization.k8s.io', ['localsubjectaccessreviews'], ['create']),
  rule(RBAC, ['rolebindings', 'roles'], [...WRITE, ...READ]),
];

/**
 * The ClusterRoles that a cluster starts with, as far as they are about kinds served here; the rules of the aggregated
 * ones (admin, edit, view) are filled in by `aggregateRules`. Source: Kubernetes bootstrappolicy/policy.go.
 */
export const BOOTSTRAP_CLUSTER_ROLES: readonly Role[] = [
  role('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  role('system:discovery', [
    urls([
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ]),
  ]),
  role('system:public-info-viewer', [urls(['/healthz', '/livez', '/readyz', '/version', '/version/'])]),
  role('system:basic-user', [
    rule('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    rule('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
  ]),
  role('system:auth-delegator', [
    rule('authentication.k8s.io', ['tokenreviews'], ['create']),
    rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  ]),
  aggregate('admin', 'admin'),
  aggregate('edit', 'edit', aggregateTo('admin')),
  aggregate('view', 'view', aggregateTo('edit')),
  role('system:aggregate-to-admin', ADMIN, aggregateTo('admin')),
  role('system:aggregate-to-edit', EDIT, aggregateTo('edit')),
  role('system:aggregate-to-view', VIEW, aggregateTo('view')),
];

/** The bindings that a cluster starts with. */
export const BOOTSTRAP_CLUSTER_ROLE_BINDINGS: readonly Binding[] = [
  bind('cluster-admin', MASTERS),
  bind('system:discovery', AUTHENTICATED),
  bind('system:basic-user', AUTHENTICATED),
  bind('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
];

function bind(name: string, ...groups: string[]): Binding {
  return {
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: LABELS },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: RBAC, name: group })),
  };
}
