import type { Environment } from '@marcbachmann/cel-js';
import { Semver } from './semver.js';

/** Registers Kubernetes' library for semantic versions. */
export function registerSemver(env: Environment): void {
  const type = 'kubernetes.Semver';
  env
    .registerType(type, Semver)
    .registerFunction(`semver(string): ${type}`, (text: string) => parse(text))
    .registerFunction(`semver(string, bool): ${type}`, parse)
    .registerFunction('isSemver(string): bool', (text: string) => Semver.parse(text) !== undefined)
    .registerFunction(
      'isSemver(string, bool): bool',
      (text: string, isTolerant: boolean) => Semver.parse(text, isTolerant) !== undefined,
    )
    .registerFunction(`${type}.major(): int`, (version: Semver) => version.major)
    .registerFunction(`${type}.minor(): int`, (version: Semver) => version.minor)
    .registerFunction(`${type}.patch(): int`, (version: Semver) => version.patch)
    .registerFunction(`${type}.compareTo(${type}): int`, (a: Semver, b: Semver) => a.compareTo(b))
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: Semver, b: Semver) => a.compareTo(b) < 0n)
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: Semver, b: Semver) => a.compareTo(b) > 0n)
    .registerOperator(`${type} == ${type}`, (a: Semver, b: Semver) => a.compareTo(b) === 0n);
}

function parse(text: string, isTolerant = false): Semver {
  const version = Semver.parse(text, isTolerant);
  if (version === undefined) throw new Error(`not a semantic version: ${JSON.stringify(text)}`);
  return version;
}
