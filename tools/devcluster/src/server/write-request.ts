import type { JsonObject } from '../schema/types.js';
import { notSupported } from '../schema/field-error.js';
import type { User } from '../auth/index.js';
import { badRequest, invalid } from '../api/api-error.js';
import type { WriteContext } from '../api/cluster.js';
import type { FieldValidation } from '../api/decode.js';
import type { DeleteOptions } from '../api/delete.js';

/** The part of a request that writes need. */
export interface WriteParams {
  query: URLSearchParams;
  userAgent: string;
  user: User;
  warn: (text: string) => void;
}

/** Options that a write takes from its query: field manager and dry run. Throws a 422 for another `dryRun` than `All`. */
export function writeContext({ query, userAgent, user, warn }: WriteParams, kind: string): WriteContext {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const wrong = dryRun.find((value) => value !== 'All');
  if (wrong !== undefined) {
    const cause = notSupported('dryRun', wrong, ['All']);
    throw invalid({ group: 'meta.k8s.io', kind, name: '' }, [cause]);
  }
  const manager = query.get('fieldManager') ?? '';
  return {
    user,
    warn,
    options: writeOptions(query),
    dryRun: dryRun.length > 0,
    manager: manager === '' ? (userAgent.split('/')[0] ?? '').slice(0, 128) : manager,
  };
}

/** The options of a write that its query gives, as an object of the API. */
function writeOptions(query: URLSearchParams): JsonObject {
  const options: JsonObject = query.get('dryRun') === 'All' ? { dryRun: ['All'] } : {};
  for (const name of ['fieldManager', 'fieldValidation']) {
    const value = query.get(name) ?? '';
    if (value !== '') options[name] = value;
  }
  return options;
}

/** `fieldValidation`: by default unknown fields are dropped with a warning. Throws a 422. */
export function fieldValidation(query: URLSearchParams, kind: string): FieldValidation {
  const value = query.get('fieldValidation') ?? '';
  if (value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  const cause = notSupported('fieldValidation', value, ['Ignore', 'Strict', 'Warn']);
  throw invalid({ group: 'meta.k8s.io', kind, name: '' }, [cause]);
}

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

/** DeleteOptions of the body, or of the query without one. Throws a 400 or 422. */
export function deleteOptions(
  body: JsonObject | undefined,
  query: URLSearchParams,
): DeleteOptions & { dryRun: boolean } {
  const options: DeleteOptions = {};
  const grace = body?.['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds');
  if (grace !== null && grace !== undefined && grace !== '') {
    const seconds = Number(grace);
    if (!Number.isInteger(seconds)) throw badRequest(`invalid gracePeriodSeconds: ${JSON.stringify(grace)}`);
    options.gracePeriodSeconds = seconds;
  }
  const policy = body?.['propagationPolicy'] ?? query.get('propagationPolicy');
  if (policy !== null && policy !== undefined && policy !== '') {
    const known = POLICIES.find((name) => name === policy);
    if (known === undefined) {
      const cause = notSupported('propagationPolicy', policy, [...POLICIES, 'nil']);
      throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions', name: '' }, [cause]);
    }
    options.propagationPolicy = known;
  }
  const orphan = body?.['orphanDependents'] ?? query.get('orphanDependents');
  if (orphan === true || orphan === 'true') options.orphanDependents = true;
  if (orphan === false || orphan === 'false') options.orphanDependents = false;
  const preconditions = body?.['preconditions'];
  if (typeof preconditions === 'object' && preconditions !== null && !Array.isArray(preconditions)) {
    const { uid, resourceVersion } = preconditions;
    options.preconditions = {
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
    };
  }
  const dryRun = body?.['dryRun'];
  return { ...options, dryRun: Array.isArray(dryRun) && dryRun.includes('All') };
}

/** The context of a deletion with these options. */
export function deleteContext(
  params: WriteParams,
  { dryRun, preconditions, ...rest }: ReturnType<typeof deleteOptions>,
): WriteContext {
  const base = writeContext(params, 'DeleteOptions');
  const isDryRun = base.dryRun || dryRun;
  return {
    ...base,
    dryRun: isDryRun,
    options: {
      ...rest,
      ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
      ...(isDryRun ? { dryRun: ['All'] } : {}),
    },
  };
}
