import { objectAt, type KubeObject } from '../../object.js';
import type { PodTemplate } from './checks/check.js';
import { violationsOf } from './evaluate.js';
import { formatLevel, type LevelVersion } from './policy.js';

const maxPods = 3000;

/** Returns the part of a pod, or of a pod template, that the checks read. */
export function templateOf(object: KubeObject): PodTemplate {
  return { annotations: object.metadata.annotations ?? {}, spec: objectAt(object, 'spec') };
}

/**
 * Returns the warnings for a namespace whose pods violate its new level. Pods with the same violations share a warning,
 * which names the first of them. Source: pod-security-admission admission.go, EvaluatePodsInNamespace.
 */
export function warningsAboutPods(
  namespace: string,
  enforce: LevelVersion,
  pods: readonly KubeObject[],
): string[] {
  const byViolations = new Map<string, string[]>();
  const checked = oneOfEachController(pods).slice(0, maxPods);
  for (const pod of checked) {
    const violations = violationsOf(enforce, templateOf(pod));
    if (violations.length === 0) continue;
    const text = violations.map(({ reason }) => reason).join(', ');
    byViolations.set(text, [...(byViolations.get(text) ?? []), pod.metadata.name]);
  }
  const warnings: string[] = [];
  if (checked.length < pods.length) {
    const counts = `${String(checked.length)} of ${String(pods.length)}`;
    warnings.push(`new PodSecurity enforce level only checked against the first ${counts} existing pods`);
  }
  if (byViolations.size === 0) return warnings;
  warnings.push(
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatLevel(enforce)}"`,
  );
  return [...warnings, ...[...byViolations].map(([text, names]) => `${podsText(names)}: ${text}`).sort()];
}

/** Returns the pods with the first one of each controller first, because the pods of a controller are alike. */
function oneOfEachController(pods: readonly KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const isRepeated = ({ metadata }: KubeObject): boolean => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    if (owner === undefined) return false;
    const known = seen.has(owner);
    seen.add(owner);
    return known;
  };
  const marked = pods.map((pod) => ({ pod, repeated: isRepeated(pod) }));
  return [...marked.filter(({ repeated }) => !repeated), ...marked.filter(({ repeated }) => repeated)].map(
    ({ pod }) => pod,
  );
}

function podsText(names: readonly string[]): string {
  const first = [...names].sort()[0] ?? '';
  switch (names.length) {
    case 1:
      return first;
    case 2:
      return `${first} (and 1 other pod)`;
    default:
      return `${first} (and ${String(names.length - 1)} other pods)`;
  }
}
