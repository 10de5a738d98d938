import type { Environment } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';

/** What the engine's optional values lack: `optional.ofNonZeroValue`. */
export function registerOptionals(env: Environment): void {
  env.registerFunction(
    'OptionalNamespace.ofNonZeroValue(A): optional<A>',
    (_namespace: unknown, value: unknown) => (isZero(value) ? Optional.none() : Optional.of(value)),
  );
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  if (value instanceof Duration) return value.valueOf() === 0;
  return value === '' || value === false || value === null || value === 0 || value === 0n;
}
