import { matchesLabels, type LabelSelector } from '@interlock/api';
import type * as meta from 'kubernetes-types/meta/v1.js';
import type * as networking from 'kubernetes-types/networking/v1.js';
import { isIPv6 } from './network.js';

/** The properties of a pod to which NetworkPolicies refer. */
export interface NetworkPod {
  namespace: string;
  labels: Readonly<Record<string, string>>;
  addresses: readonly string[];
  /** Ports by name. */
  ports?: Readonly<Record<string, number>>;
}

/** A NetworkPolicy, with the namespace that it is in. */
interface PolicyObject {
  namespace: string;
  spec: networking.NetworkPolicySpec;
}

interface Cluster {
  policies: readonly PolicyObject[];
  pods: readonly NetworkPod[];
  /** Labels of namespaces by name. */
  namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type Rule = Pick<networking.NetworkPolicyIngressRule, 'from' | 'ports'>;
type Direction = 'Ingress' | 'Egress';

/**
 * Translates the policies that select a pod to a ruleset of nftables for the network namespace of the pod (Kubernetes API, NetworkPolicy v1):
 * in each direction in which a policy isolates the pod, connections that no rule allows are rejected. Answers always pass.
 *
 * @throws Error for unsupported fields, such as port ranges
 */
export function nftRules(pod: NetworkPod, cluster: Cluster): string {
  const selecting = cluster.policies.filter(
    ({ namespace, spec }) => namespace === pod.namespace && selects(spec.podSelector, pod.labels),
  );
  const chains = (['Ingress', 'Egress'] as const).map((direction) =>
    chainOf(pod, direction, selecting, cluster),
  );
  return `table inet policies {\n${chains.join('')}}\n`;
}

function chainOf(
  pod: NetworkPod,
  direction: Direction,
  selecting: readonly PolicyObject[],
  cluster: Cluster,
): string {
  const isolating = selecting.filter(({ spec }) => typesOf(spec).includes(direction));
  if (isolating.length === 0) return '';
  const rules = isolating.flatMap(({ namespace, spec }) =>
    rulesOf(spec, direction).flatMap((rule) => linesOf(rule, direction, namespace, pod, cluster)),
  );
  const [hook, loopback] = direction === 'Ingress' ? ['input', 'iif'] : ['output', 'oif'];
  /* ICMPv6 is needed for neighbor discovery, and policies do not restrict it. */
  const always = [
    `${loopback} lo accept`,
    'meta l4proto ipv6-icmp accept',
    'ct state established,related accept',
  ];
  const lines = [...always, ...rules, 'reject with icmpx admin-prohibited'];
  return `chain ${hook} {\ntype filter hook ${hook} priority 0; policy accept;\n${lines.join('\n')}\n}\n`;
}

function typesOf({ policyTypes, egress }: networking.NetworkPolicySpec): readonly string[] {
  return policyTypes ?? (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']);
}

function rulesOf(spec: networking.NetworkPolicySpec, direction: Direction): Rule[] {
  if (direction === 'Ingress') return spec.ingress ?? [];
  return (spec.egress ?? []).map(({ to, ports }) => ({ ...(to && { from: to }), ...(ports && { ports }) }));
}

/** Returns the lines of nftables for one rule: one for each combination of its peers and ports. */
function linesOf(
  { from = [], ports = [] }: Rule,
  direction: Direction,
  namespace: string,
  pod: NetworkPod,
  cluster: Cluster,
): string[] {
  const side = direction === 'Ingress' ? 'saddr' : 'daddr';
  const peers =
    from.length === 0
      ? [{ match: '', named: direction === 'Ingress' ? [pod] : cluster.pods }]
      : from.flatMap((peer) =>
          peersOf(peer, namespace, side, direction === 'Ingress' ? pod : undefined, cluster),
        );
  return peers.flatMap(({ match, named }) =>
    ports.length === 0
      ? [`${match} accept`]
      : ports.flatMap((port) => numbersOf(port, named).map((number) => `${match} ${number} accept`)),
  );
}

interface Peer {
  match: string;
  /** The pods whose port names a rule refers to. */
  named: readonly NetworkPod[];
}

function peersOf(
  { ipBlock, podSelector, namespaceSelector }: networking.NetworkPolicyPeer,
  namespace: string,
  side: 'saddr' | 'daddr',
  target: NetworkPod | undefined,
  { pods, namespaces }: Cluster,
): Peer[] {
  const at = (address: string) => `${isIPv6(address) ? 'ip6' : 'ip'} ${side} ${address}`;
  if (ipBlock !== undefined) {
    if (ipBlock.except !== undefined) throw new Error('ipBlock.except is not supported');
    return [{ match: at(ipBlock.cidr), named: target ? [target] : [] }];
  }
  return pods
    .filter((pod) =>
      namespaceSelector === undefined
        ? pod.namespace === namespace
        : selects(namespaceSelector, namespaces[pod.namespace] ?? {}),
    )
    .filter(({ labels }) => selects(podSelector ?? {}, labels))
    .flatMap((pod) => pod.addresses.map((address) => ({ match: at(address), named: [target ?? pod] })));
}

function numbersOf(
  { port, protocol = 'TCP', endPort }: networking.NetworkPolicyPort,
  named: readonly NetworkPod[],
): string[] {
  if (endPort !== undefined) throw new Error('port ranges are not supported');
  const transport = protocol.toLowerCase();
  if (port === undefined) return [`meta l4proto ${transport}`];
  if (typeof port === 'number') return [`${transport} dport ${port}`];
  return named.flatMap(({ ports }) =>
    ports?.[port] === undefined ? [] : [`${transport} dport ${ports[port]}`],
  );
}

function selects(selector: meta.LabelSelector, labels: NetworkPod['labels']): boolean {
  return matchesLabels(selector as LabelSelector, labels);
}
