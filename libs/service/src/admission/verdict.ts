import type { KubeObject } from '@interlock/api';
import { semanticEqual, truncate, type FieldProblem } from '@interlock/base';
import type { AdmissionRequest, Allowed, Denied } from './types.js';

const shownFields = 10;
const longestValue = 256;
const longestMessage = 1024;

/**
 * Returns the verdict on an object with these problems. Each field is named once, with its value and the correction. At most ten
 * fields are named.
 */
export function verdictOn(
  { kind, metadata }: KubeObject,
  problems: readonly FieldProblem[],
  warnings: readonly string[] = [],
): Allowed | Denied {
  if (problems.length === 0) return { allowed: true, warnings };
  const first = problems.filter(({ field }, at) => problems.findIndex((one) => one.field === field) === at);
  const causes = first.slice(0, shownFields).map(({ field, value = '', message: whole }) => {
    const message = truncate(whole, longestMessage);
    if (value === '') return { field, message };
    return { field, message: `Invalid value: ${JSON.stringify(truncate(value, longestValue))}: ${message}` };
  });
  const name = metadata.name === '' ? (metadata.generateName ?? '') : metadata.name;
  const more = first.length - causes.length;
  const all = [
    ...causes.map(({ field, message }) => `${field}: ${message}`),
    ...(more > 0 ? [`${more} more fields are invalid; correct these first`] : []),
  ].join('; ');
  return { allowed: false, message: `${kind} "${name}" is invalid: ${all}`, causes, warnings };
}

/**
 * Judges an object if its spec has changed. Objects that were created before admission was served must remain
 * removable, with their finalizers.
 */
export async function judgeChange<T extends KubeObject & { spec: unknown }>(
  { object, oldObject }: AdmissionRequest<T>,
  judge: (object: T, old: T | undefined) => Promise<Allowed | Denied> | Allowed | Denied,
): Promise<Allowed | Denied> {
  if (object === undefined) return { allowed: true };
  if (oldObject !== undefined && semanticEqual(object.spec, oldObject.spec)) return { allowed: true };
  return judge(object, oldObject);
}
