import type { EventResponse, SecurityEvent } from '@interlock/api';
import { eventFields, isFields, responseFields } from '../facts.js';
import type { Value } from './print.js';

/** The facts for templates. */
export interface TemplateFacts {
  event: SecurityEvent | undefined;
  response: EventResponse;
  cluster: { id: string; name: string };
  route: { index: number; provider: string; repository: string; baseBranch: string };
  change: {
    files: readonly { path: string; change: string }[];
    added: number;
    removed: number;
    digest: string;
  };
  /** The gate of the route, if it has one. */
  gate?: { name: string; namespace: string; open: boolean; reason: string } | undefined;
}

/**
 * Returns the data of templates: `.Source.SE` with the names that the fields have in Go, and `.event`,
 * `.subject`, `.response`, `.cluster`, `.route`, `.change`, `.gate` with the names of the API. Known fields
 * that have no value are empty; any other field that is missing is an error when a template names it.
 */
export function templateData(facts: TemplateFacts): Value {
  const { event, response, cluster, route, change, gate } = facts;
  const eventData = eventFields(event);
  const responseData = responseFields(response);
  return {
    Source: { SE: goNames(eventData) },
    event: jsonValue(eventData),
    subject: jsonValue(eventData['subject']),
    response: jsonValue(responseData),
    cluster: { id: cluster.id, name: cluster.name },
    route: { ...route },
    change: {
      files: change.files.map(({ path, change: kind }) => ({ path, change: kind })),
      added: change.added,
      removed: change.removed,
      digest: change.digest,
    },
    gate: gate === undefined ? {} : { ...gate },
  };
}

function jsonValue(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(jsonValue);
  if (!isFields(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, jsonValue(member)]));
}

/* The author of the object chooses the keys of these. */
const maps = new Set(['labels', 'annotations', 'parameters']);
const initialisms = /^(?:api|uid|id|url|ip|csr|crd)(?![a-z])/;

/**
 * Returns a value whose fields are named as in the Go types of the API: `clusterIdentity` is
 * `ClusterIdentity`, `uid` is `UID`.
 */
function goNames(value: unknown): Value {
  if (Array.isArray(value)) return value.map(goNames);
  if (!isFields(value)) return jsonValue(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      goName(key),
      maps.has(key) ? jsonValue(member) : goNames(member),
    ]),
  );
}

function goName(key: string): string {
  const initial = initialisms.exec(key)?.[0];
  if (initial !== undefined) return initial.toUpperCase() + key.slice(initial.length);
  return key.charAt(0).toUpperCase() + key.slice(1);
}
