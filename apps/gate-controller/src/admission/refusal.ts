import type { KubeObject } from '@interlock/api';
import type { ObjectProblem } from '@interlock/gating';
import type { Allowed, Denied } from '@interlock/service';

/** @returns the verdict on an object with these problems: each field is named once, with its value and what to write instead. */
export function verdictOn(
  { kind, metadata }: KubeObject,
  problems: readonly ObjectProblem[],
  warnings: readonly string[] = [],
): Allowed | Denied {
  if (problems.length === 0) return { allowed: true, warnings };
  const first = problems.filter(({ field }, at) => problems.findIndex((one) => one.field === field) === at);
  const causes = first.map(({ field, value, message }) => ({
    field,
    message: value === '' ? message : `Invalid value: ${JSON.stringify(value)}: ${message}`,
  }));
  const name = metadata.name === '' ? (metadata.generateName ?? '') : metadata.name;
  const all = causes.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return { allowed: false, message: `${kind} "${name}" is invalid: ${all}`, causes, warnings };
}
