import { invalid } from '../../schema/field-error.js';
import type { Cause } from '../../schema/types.js';

/** A level of the Pod Security Standards. */
export type Level = 'privileged' | 'baseline' | 'restricted';

/** A level in a version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  /** The minor version, or infinity for `latest`. */
  readonly minor: number;
}

/** The policy of a namespace for its pods. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

/** The levels from the least to the most strict. */
const levels: readonly Level[] = ['privileged', 'baseline', 'restricted'];

const labelPrefix = 'pod-security.kubernetes.io/';

/** Returns a level and its version as messages name it: `restricted:latest`, `baseline:v1.30`. */
export function formatLevel({ level, minor }: LevelVersion): string {
  return `${level}:${minor === Infinity ? 'latest' : `v1.${String(minor)}`}`;
}

/** Returns whether the first level is stricter than the second. */
export function isStricter(level: Level, than: Level): boolean {
  return levels.indexOf(level) > levels.indexOf(than);
}

/**
 * Reads the labels of a namespace. Always returns a policy, even with causes: if the level is invalid, the restricted
 * level is enforced, without audit and warnings. Source: pod-security-admission api/helpers.go.
 */
export function policyOf(labels: Readonly<Record<string, string>>): { policy: Policy; causes: Cause[] } {
  const causes: Cause[] = [];
  const read = (mode: 'enforce' | 'audit' | 'warn'): LevelVersion => {
    const [levelKey, versionKey] = [`${labelPrefix}${mode}`, `${labelPrefix}${mode}-version`];
    const text = labels[levelKey] ?? 'privileged';
    const known = levels.find((one) => one === text);
    if (known === undefined) {
      causes.push(invalid(field(levelKey), text, `must be one of ${levels.join(', ')}`));
    }
    const version = labels[versionKey] ?? 'latest';
    const minor = minorOf(version);
    if (minor === undefined) causes.push(invalid(field(versionKey), version, 'must be "latest" or "v1.x"'));
    const fallback = mode === 'enforce' ? 'restricted' : 'privileged';
    return { level: known ?? fallback, minor: minor ?? Infinity };
  };
  return { policy: { enforce: read('enforce'), audit: read('audit'), warn: read('warn') }, causes };
}

function field(label: string): string {
  return `metadata.labels[${label}]`;
}

function minorOf(version: string): number | undefined {
  if (version === 'latest') return Infinity;
  const minor = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}
