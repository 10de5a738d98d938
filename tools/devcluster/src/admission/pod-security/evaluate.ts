import type { Check, CheckPod, PodTemplate, Violation } from './checks/check.js';
import { checks } from './checks/index.js';
import type { LevelVersion } from './policy.js';

/**
 * Returns the violations of a level by a pod, in the order in which they are reported. Source: pod-security-admission
 * policy/registry.go.
 */
export function violationsOf(levelVersion: LevelVersion, pod: PodTemplate): Violation[] {
  return checksOf(levelVersion).flatMap((check) => check(pod) ?? []);
}

function checksOf({ level, minor }: LevelVersion): CheckPod[] {
  if (level === 'privileged') return [];
  const baseline = checks.filter((check) => check.level === 'baseline');
  if (level === 'baseline') return baseline.flatMap((check) => versionOf(check, minor) ?? []);
  const restricted = checks.filter((check) => check.level === 'restricted' && versionOf(check, minor));
  const overridden = restricted.map(({ overrides }) => overrides);
  return [...baseline.filter(({ id }) => !overridden.includes(id)), ...restricted].flatMap(
    (check) => versionOf(check, minor) ?? [],
  );
}

function versionOf({ versions }: Check, minor: number): CheckPod | undefined {
  return versions.findLast(({ since }) => since <= minor)?.check;
}

/** Returns violations as one text: `privileged (container "c" must not …), hostPort (…)`. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}
