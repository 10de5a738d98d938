import { objectAt, textAt, textsAt, valueAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { labelSelectorRequirements, matchesLabels } from '../selectors/labels.js';
import type { NodeInfo, PodInfo, Snapshot } from './snapshot.js';

/**
 * Returns why a node breaks the required rules between pods, in the words of the scheduler; undefined when it satisfies
 * them.
 */
export function brokenPodRule(
  pod: PodInfo,
  node: NodeInfo,
  snapshot: Snapshot,
): { reason: string; unresolvable: boolean } | undefined {
  if (!hasAffine(pod, node, snapshot)) {
    return { reason: "node(s) didn't match pod affinity rules", unresolvable: true };
  }
  const isRepelled = pod.antiAffinity.some((term) =>
    inDomain(term, node, snapshot.nodes).some((other) => isMeant(term, pod, other, snapshot)),
  );
  if (isRepelled) {
    return { reason: "node(s) didn't match pod anti-affinity rules", unresolvable: false };
  }
  const avoided = snapshot.nodes.some((other) =>
    other.averse.some((existing) =>
      existing.antiAffinity.some(
        (term) => isSameDomain(term, node, other) && isMeant(term, existing, pod, snapshot),
      ),
    ),
  );
  if (!avoided) return undefined;
  return { reason: "node(s) didn't satisfy existing pods anti-affinity rules", unresolvable: false };
}

/** Returns whether a pod has required rules about other pods. */
export function hasPodRules({ affinity, antiAffinity }: PodInfo): boolean {
  return affinity.length + antiAffinity.length > 0;
}

/**
 * Returns whether a node satisfies the affinity of a pod. The first pod of a group whose pods require each other has
 * no pod to be near, so any node with the labels fits.
 */
function hasAffine(pod: PodInfo, node: NodeInfo, snapshot: Snapshot): boolean {
  const terms = pod.affinity;
  const meansAll = (other: PodInfo): boolean => terms.every((term) => isMeant(term, pod, other, snapshot));
  const isNear = (term: JsonObject): boolean => inDomain(term, node, snapshot.nodes).some(meansAll);
  if (terms.every(isNear)) return true;
  const isFirst = meansAll(pod) && !snapshot.nodes.some(({ pods }) => pods.some(meansAll));
  return isFirst && terms.every((term) => domainOf(term, node) !== undefined);
}

function domainOf(term: JsonObject, { node }: NodeInfo): string | undefined {
  return node.metadata.labels?.[textAt(term, 'topologyKey')];
}

function isSameDomain(term: JsonObject, node: NodeInfo, other: NodeInfo): boolean {
  const domain = domainOf(term, node);
  return domain !== undefined && domain === domainOf(term, other);
}

function inDomain(term: JsonObject, node: NodeInfo, nodes: readonly NodeInfo[]): PodInfo[] {
  return nodes.filter((other) => isSameDomain(term, node, other)).flatMap(({ pods }) => pods);
}

/** Returns whether a term of a pod selects another pod. */
function isMeant(term: JsonObject, owner: PodInfo, other: PodInfo, snapshot: Snapshot): boolean {
  return isMeantNamespace(term, owner, other, snapshot) && selects(term, 'labelSelector', other.labels);
}

function isMeantNamespace(
  term: JsonObject,
  owner: PodInfo,
  { namespace }: PodInfo,
  snapshot: Snapshot,
): boolean {
  const named = textsAt(term, 'namespaces');
  if (named.includes(namespace)) return true;
  if (valueAt(term, 'namespaceSelector') === undefined)
    return named.length === 0 && namespace === owner.namespace;
  return selects(term, 'namespaceSelector', snapshot.namespaceLabels(namespace));
}

/**
 * Returns whether a selector of a term selects labels. An absent selector selects nothing, and an empty selector
 * selects everything.
 */
function selects(term: JsonObject, field: string, labels: Readonly<Record<string, string>>): boolean {
  if (valueAt(term, field) === undefined) return false;
  return matchesLabels(labelSelectorRequirements(objectAt(term, field)), labels);
}
