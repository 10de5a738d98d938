import type { Cause, JsonObject } from '../schema/types.js';
import { invalid as invalidValue, notSupported, tooLong } from '../schema/field-error.js';
import type { User } from '../auth/index.js';
import { invalid } from '../api/api-error.js';
import type { WriteContext } from '../api/cluster.js';
import type { FieldValidation } from '../api/decode.js';

/** The part of a request that writes need. */
export interface WriteParams {
  query: URLSearchParams;
  userAgent: string;
  user: User;
  warn: (text: string) => void;
}

const maxManagerLength = 128;

/**
 * Returns the options of a write from its query: field manager and dry run. Throws a 422 for a `dryRun` other than
 * `All` and for a field manager that is too long or not printable.
 */
export function writeContext({ query, userAgent, user, warn }: WriteParams, kind: string): WriteContext {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const manager = query.get('fieldManager') ?? '';
  const causes = [...managerCauses(manager), ...dryRunCauses(dryRun)];
  if (causes.length > 0) throw invalidOptions(kind, causes);
  return {
    user,
    warn,
    options: writeOptions(query),
    dryRun: dryRun.length > 0,
    manager: manager === '' ? defaultManager(userAgent) : manager,
  };
}

/** Returns the default manager of a write: the product of its user agent. */
export function defaultManager(userAgent: string): string {
  return (userAgent.split('/')[0] ?? '').slice(0, maxManagerLength);
}

/** Returns the 422 of options that are not valid. */
export function invalidOptions(kind: string, causes: readonly Cause[]): Error {
  return invalid({ group: 'meta.k8s.io', kind, name: '' }, causes);
}

/** Returns the problems with the values of `dryRun`. */
export function dryRunCauses(values: readonly unknown[]): Cause[] {
  const wrong = values.find((value) => value !== 'All');
  return wrong === undefined ? [] : [notSupported('dryRun', wrong, ['All'])];
}

function managerCauses(manager: string): Cause[] {
  const causes =
    Buffer.byteLength(manager) > maxManagerLength ? [tooLong('fieldManager', maxManagerLength)] : [];
  const at = manager.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at < 0) return causes;
  const code = manager.codePointAt(at)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
  const position = Buffer.byteLength(manager.slice(0, at));
  const detail = `invalid character U+${code} (at position ${String(position)})`;
  return [...causes, invalidValue('fieldManager', manager, detail)];
}

/** Returns the options of a write from its query, as an API object. */
function writeOptions(query: URLSearchParams): JsonObject {
  const options: JsonObject = query.get('dryRun') === 'All' ? { dryRun: ['All'] } : {};
  for (const name of ['fieldManager', 'fieldValidation']) {
    const value = query.get(name) ?? '';
    if (value !== '') options[name] = value;
  }
  return options;
}

/** Returns the `fieldValidation` of a query: by default, unknown fields are dropped with a warning. Throws a 422. */
export function fieldValidation(query: URLSearchParams, kind: string): FieldValidation {
  const value = query.get('fieldValidation') ?? '';
  if (value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  const cause = notSupported('fieldValidation', value, ['Ignore', 'Strict', 'Warn']);
  throw invalidOptions(kind, [cause]);
}
