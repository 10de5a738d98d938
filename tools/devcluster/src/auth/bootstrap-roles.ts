import type { Binding, PolicyRule, Role } from './rbac-types.js';
import { authenticated, masters, unauthenticated } from './users.js';

const bootstrapLabels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const rbac = 'rbac.authorization.k8s.io';
const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];

function rule(apiGroup: string, resources: string[], verbs: string[]): PolicyRule {
  return { verbs, apiGroups: [apiGroup], resources };
}

function role(name: string, rules: PolicyRule[], labels: Record<string, string> = {}): Role {
  return { kind: 'ClusterRole', metadata: { name, labels: { ...bootstrapLabels, ...labels } }, rules };
}

function aggregate(name: string, into: string, own: Record<string, string> = {}): Role {
  const clusterRoleSelectors = [{ matchLabels: aggregateTo(into) }];
  return { ...role(name, [], own), aggregationRule: { clusterRoleSelectors } };
}

function aggregateTo(name: string): Record<string, string> {
  return { [`${rbac}/aggregate-to-${name}`]: 'true' };
}

function urls(nonResourceURLs: string[]): PolicyRule {
  return { verbs: ['get'], nonResourceURLs };
}

const workloads = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
];
const corePath = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'replicationcontrollers/scale',
  'serviceaccounts',
  'services',
];

const view: PolicyRule[] = [
  rule('', [...corePath, 'endpoints', 'persistentvolumeclaims/status'], read),
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
    read,
  ),
  rule('', ['namespaces'], read),
  rule('discovery.k8s.io', ['endpointslices'], read),
  rule(
    'apps',
    [
      'controllerrevisions',
      ...workloads,
      'daemonsets/status',
      'deployments/status',
      'replicasets/status',
      'statefulsets/status',
    ],
    read,
  ),
  rule('autoscaling', ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'], read),
  rule('batch', ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'], read),
  rule('policy', ['poddisruptionbudgets', 'poddisruptionbudgets/status'], read),
  rule('networking.k8s.io', ['ingresses', 'ingresses/status', 'networkpolicies'], read),
  rule('coordination.k8s.io', ['leases'], read),
];

const edit: PolicyRule[] = [
  rule('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'], read),
  rule('', ['serviceaccounts'], ['impersonate']),
  rule('', ['pods', 'pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'], write),
  rule('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
  rule(
    '',
    [...corePath.filter((resource) => resource !== 'pods'), 'events', 'secrets', 'services/proxy'],
    write,
  ),
  rule('apps', [...workloads, 'deployments/rollback'], write),
  rule('autoscaling', ['horizontalpodautoscalers'], write),
  rule('batch', ['cronjobs', 'jobs'], write),
  rule('policy', ['poddisruptionbudgets'], write),
  rule('networking.k8s.io', ['ingresses', 'networkpolicies'], write),
  rule('coordination.k8s.io', ['leases'], [...write, ...read]),
];

const adminUser: PolicyRule[] = [
  rule('authorization.k8s.io', ['localsubjectaccessreviews'], ['create']),
  rule(rbac, ['rolebindings', 'roles'], [...write, ...read]),
];

/**
 * The ClusterRoles that a cluster starts with, as far as they concern kinds served here; `aggregateRules` adds the
 * rules of the aggregated roles (admin, edit, view). Source: Kubernetes bootstrappolicy/policy.go.
 */
export const bootstrapClusterRoles: readonly Role[] = [
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
  role('system:aggregate-to-admin', adminUser, aggregateTo('admin')),
  role('system:aggregate-to-edit', edit, aggregateTo('edit')),
  role('system:aggregate-to-view', view, aggregateTo('view')),
];

/** The bindings that a cluster starts with. */
export const bootstrapClusterRoleBindings: readonly Binding[] = [
  bind('cluster-admin', masters),
  bind('system:discovery', authenticated),
  bind('system:basic-user', authenticated),
  bind('system:public-info-viewer', authenticated, unauthenticated),
];

function bind(name: string, ...groups: string[]): Binding {
  return {
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: bootstrapLabels },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: groups.map((group) => ({ kind: 'Group', apiGroup: rbac, name: group })),
  };
}
