import type { Environment } from '@marcbachmann/cel-js';
import { compareValues } from './compare.js';

/** Registers the comparisons of bytes, which the engine does not support. */
export function registerComparisons(env: Environment): void {
  env
    .registerOperator('bytes < bytes', (a: Uint8Array, b: Uint8Array) => compareValues(a, b) < 0)
    .registerOperator('bytes <= bytes', (a: Uint8Array, b: Uint8Array) => compareValues(a, b) <= 0)
    .registerOperator('bytes > bytes', (a: Uint8Array, b: Uint8Array) => compareValues(a, b) > 0)
    .registerOperator('bytes >= bytes', (a: Uint8Array, b: Uint8Array) => compareValues(a, b) >= 0);
}
