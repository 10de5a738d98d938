import { runnerLabels, workloadComponent, type ActionsGateway } from '@interlock/api';
import { NetworkPolicy } from '@interlock/kube';
import type * as networking from 'kubernetes-types/networking/v1.js';
import { usualApiServerPorts } from '../meta/api-server-ports.js';
import type { TenantContext } from './context.js';
import { names, ports } from './names.js';
import { targetPorts } from './proxy.js';
import { labelsOf, objectOf, selectorOf, withoutReference, type Rendered } from './objects.js';
import { tracingRules } from './tracing.js';

/** The ports of the pods that serve the DNS: the usual port, that of OpenShift, and that of Gardener. Policies apply to them, not to the port of the Service. */
const dnsPorts = [53, 5353, 8053];

/**
 * The peers that serve the cluster DNS: the pods of kube-dns, or those of OpenShift, and the cache on each node, which has a link-local
 * address.
 */
const dns: networking.NetworkPolicyEgressRule = {
  to: [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
      podSelector: {
        matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns', 'node-local-dns'] }],
      },
    },
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-dns' } },
      podSelector: { matchLabels: { 'dns.operator.openshift.io/daemonset-dns': 'default' } },
    },
    { ipBlock: { cidr: '169.254.0.0/16' } },
  ],
  ports: dnsPorts.flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ port, protocol }))),
};

const workload = { matchLabels: { [runnerLabels.component]: workloadComponent } };

/**
 * Returns the NetworkPolicies that isolate a tenant. Workers and the controller can reach their own proxy and the DNS; the
 * controller can also reach the API server and its trace collector, and the proxy can reach GitHub. No client can connect to a worker.
 */
export function networkPolicies(gateway: ActionsGateway, context: TenantContext): Rendered[] {
  const policy = (name: string, part: 'agc' | 'egress-proxy', spec: networking.NetworkPolicySpec): Rendered =>
    /* They isolate workers that have not ended yet when their gateway is deleted. */
    withoutReference(
      gateway,
      objectOf(gateway, NetworkPolicy, name, labelsOf(gateway, part, context.installation), { spec }),
    );
  const proxyPods = { matchLabels: selectorOf(gateway, 'egress-proxy') };
  /* The kubelet sends the probes, and no selector can match its address. */
  const probes: networking.NetworkPolicyIngressRule = { ports: [{ port: 'probes' }] };
  /* Policies apply to the address of a pod, not to that of its Service. */
  const toProxy = { ports: [{ port: ports.proxy }], to: [{ podSelector: proxyPods }] };
  return [
    policy(names.proxy, 'egress-proxy', {
      podSelector: proxyPods,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [{ port: 'proxy' }], from: [{ podSelector: workload }] }, probes],
      egress: [dns, ...githubRules(gateway, context)],
    }),
    /* No incoming connection is allowed. An empty list of rules would be written again at every apply. */
    policy(names.workload, 'agc', {
      podSelector: workload,
      policyTypes: ['Ingress', 'Egress'],
      egress: [dns, toProxy],
    }),
    policy(names.controller, 'agc', {
      podSelector: { matchLabels: selectorOf(gateway, 'agc') },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [probes, { ports: [{ port: 'metrics' }], from: [{ namespaceSelector: {} }] }],
      egress: [
        dns,
        {
          ports: (context.apiServerPorts ?? usualApiServerPorts).map((port) => ({ port })),
          ...(context.installation.apiServerRanges.length > 0 && {
            to: blocks(context.installation.apiServerRanges),
          }),
        },
        toProxy,
        ...tracingRules(gateway.spec.tracing),
      ],
    }),
  ];
}

/**
 * Returns the egress rules for the networks of GitHub. There are none while the networks are unknown, and with
 * `managedNetworkPolicy: false`, because the platform team then adds policies that name hosts.
 */
function githubRules(
  gateway: ActionsGateway,
  { githubRanges = [] }: TenantContext,
): networking.NetworkPolicyEgressRule[] {
  if (!gateway.spec.proxy.managedNetworkPolicy || githubRanges.length === 0) return [];
  return [{ ports: targetPorts(gateway).map((port) => ({ port })), to: blocks(githubRanges) }];
}

function blocks(ranges: readonly string[]): networking.NetworkPolicyPeer[] {
  return [...ranges].sort().map((cidr) => ({ ipBlock: { cidr } }));
}
