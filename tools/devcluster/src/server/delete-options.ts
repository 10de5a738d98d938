import { badRequest } from '../api/api-error.js';
import type { WriteContext } from '../api/cluster.js';
import type { DeleteOptions } from '../api/delete.js';
import { invalid as invalidValue, notSupported } from '../schema/field-error.js';
import { isObject } from '../schema/json.js';
import type { Cause, Json, JsonObject } from '../schema/types.js';
import { defaultManager, dryRunCauses, invalidOptions, type WriteParams } from './write-request.js';

const policies = ['Foreground', 'Background', 'Orphan'] as const;

/** The options of a deletion, and whether it is a dry run. */
export type ParsedDeleteOptions = DeleteOptions & { dryRun: boolean };

/** Returns the DeleteOptions of the body or, without a body, of the query. Throws a 400 or 422. */
export function deleteOptions(body: JsonObject | undefined, query: URLSearchParams): ParsedDeleteOptions {
  const sent = body ?? queryOptions(query);
  const orphan = sent['orphanDependents'];
  const orphanDependents = isSet(orphan) ? orphan === true || orphan === 'true' : undefined;
  const policy = sent['propagationPolicy'];
  const propagationPolicy = policies.find((name) => name === policy);
  const dryRun = [sent['dryRun'] ?? []].flat().filter(isSet);
  const causes: Cause[] = [];
  if (isSet(policy) && orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    causes.push(invalidValue('propagationPolicy', policy, detail));
  }
  if (isSet(policy) && propagationPolicy === undefined) {
    causes.push(notSupported('propagationPolicy', policy, [...policies, 'nil']));
  }
  causes.push(...dryRunCauses(dryRun));
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  const gracePeriodSeconds = secondsOf(sent['gracePeriodSeconds']);
  const preconditions = preconditionsOf(sent['preconditions']);
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
    dryRun: dryRun.length > 0,
  };
}

function queryOptions(query: URLSearchParams): JsonObject {
  const options: JsonObject = { dryRun: query.getAll('dryRun') };
  for (const name of ['gracePeriodSeconds', 'propagationPolicy', 'orphanDependents']) {
    options[name] = query.get(name);
  }
  return options;
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

function secondsOf(value: Json | undefined): number | undefined {
  if (!isSet(value)) return undefined;
  const seconds = Number(value);
  if (!Number.isInteger(seconds)) throw badRequest(`invalid gracePeriodSeconds: ${JSON.stringify(value)}`);
  return seconds;
}

function preconditionsOf(value: Json | undefined): DeleteOptions['preconditions'] {
  if (!isObject(value)) return undefined;
  const { uid, resourceVersion } = value;
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
}

/** Returns the context of a deletion with these options. */
export function deleteContext(
  { userAgent, user, warn }: WriteParams,
  { dryRun, preconditions, ...rest }: ParsedDeleteOptions,
): WriteContext {
  return {
    user,
    warn,
    manager: defaultManager(userAgent),
    dryRun,
    options: {
      ...rest,
      ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
      ...(dryRun ? { dryRun: ['All'] } : {}),
    },
  };
}
