import { ApiError, badRequest, invalid } from '../api/api-error.js';
import type { KubeObject } from '../object.js';
import { fromStorage, type Resource } from '../registry/resource.js';
import { forbidden, notSupported } from '../schema/field-error.js';
import type { Cause } from '../schema/types.js';
import { compileFieldSelector } from '../selectors/fields.js';
import { matchesLabels, parseLabelSelector } from '../selectors/labels.js';
import type { Entry } from '../store/entry.js';
import { isTrue } from './request-info.js';

/** The selection of objects for a list, watch or deletion. */
export interface Selection {
  matches: (entry: Entry) => boolean;
  /** Whether the selection filters objects. */
  selective: boolean;
}

/** Reads `labelSelector` and `fieldSelector`. Throws a 400. */
export function selectionOf(resource: Resource, query: URLSearchParams): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const text = query.get('fieldSelector') ?? '';
  const fields = text === '' ? undefined : compileFieldSelector(text, resource);
  const tests: ((object: KubeObject) => boolean)[] = [];
  if (labels.length > 0) tests.push(({ metadata }) => matchesLabels(labels, metadata.labels));
  if (fields !== undefined) tests.push(({ ...object }) => fields.matches(fromStorage(resource, object)));
  return {
    selective: tests.length > 0,
    matches: ({ object }) => tests.every((test) => test(object)),
  };
}

export interface ListOptions {
  limit: number | undefined;
  /** The key after which the page starts, and the revision of the list, which is undefined for the current state. */
  continued: { after: string; revision: number | undefined } | undefined;
  /** undefined: the latest state. */
  resourceVersion: number | undefined;
  exact: boolean;
}

/** Reads and checks the options of a list. Throws a 400 or 422. Source: apimachinery internalversion/validation. */
export function listOptions(query: URLSearchParams): ListOptions {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const token = query.get('continue') ?? '';
  checkMatch(match, version, token, query);
  const limitText = query.get('limit');
  const limit = limitText === null || limitText === '' ? 0 : Number(limitText);
  if (!Number.isInteger(limit)) throw badRequest(`invalid limit: ${JSON.stringify(limitText)}`);
  if (token !== '' && version !== '' && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const revision = version === '' ? undefined : parseListRevision(version);
  return {
    limit: limit > 0 ? limit : undefined,
    continued: token === '' ? undefined : decodeContinue(token),
    resourceVersion: revision === 0 ? undefined : revision,
    exact: match === 'Exact' || (match === '' && limit > 0 && (revision ?? 0) > 0),
  };
}

function checkMatch(match: string, version: string, token: string, query: URLSearchParams): void {
  const causes: Cause[] = [];
  const field = 'resourceVersionMatch';
  if (match !== '') {
    if (version === '')
      causes.push(forbidden(field, `${field} is forbidden unless resourceVersion is provided`));
    if (token !== '') causes.push(forbidden(field, `${field} is forbidden when continue is provided`));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      causes.push(forbidden(field, `${field} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (query.has('sendInitialEvents')) {
    causes.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  throwListOptions(causes);
}

export interface WatchOptions {
  /** The revision to start from, or the minimum for initial events; undefined for the current state. */
  resourceVersion: number | undefined;
  /** Whether the current state is sent first; the default without a resourceVersion. */
  sendInitialEvents: boolean;
  bookmarks: boolean;
  timeoutSeconds: number | undefined;
}

/** Reads and checks the options of a watch. Throws a 422, or a 500 for a resourceVersion that is not a number. */
export function watchOptions(query: URLSearchParams): WatchOptions {
  const match = query.get('resourceVersionMatch') ?? '';
  const initial = query.get('sendInitialEvents');
  const causes: Cause[] = [];
  const field = 'resourceVersionMatch';
  if (initial !== null && match !== 'NotOlderThan') {
    causes.push(forbidden(field, `sendInitialEvents requires setting ${field} to NotOlderThan`));
  }
  if (match !== '') {
    if (initial === null) {
      causes.push(forbidden(field, `${field} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== 'NotOlderThan') causes.push(notSupported(field, match, ['NotOlderThan']));
  }
  throwListOptions(causes);
  const version = query.get('resourceVersion') ?? '';
  const timeout = Number(query.get('timeoutSeconds') ?? '');
  return {
    resourceVersion: version === '' || version === '0' ? undefined : parseWatchRevision(version),
    sendInitialEvents: initial === null ? version === '' || version === '0' : isTrue(initial),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: Number.isFinite(timeout) && timeout > 0 ? timeout : undefined,
  };
}

function throwListOptions(causes: readonly Cause[]): void {
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, causes);
}

function parseListRevision(text: string): number {
  const problem = revisionProblem(text);
  if (problem !== undefined) throw badRequest(`invalid resource version: ${problem}`);
  return Number(text);
}

function parseWatchRevision(text: string): number {
  const problem = revisionProblem(text);
  if (problem !== undefined) throw new ApiError(500, undefined, problem);
  return Number(text);
}

function revisionProblem(text: string): string | undefined {
  if (/^\d{1,15}$/.test(text)) return undefined;
  return `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`;
}

interface ContinueToken {
  v: 'meta.k8s.io/v1';
  /** -1 for the current state (an inconsistent continuation). */
  rv: number;
  start: string;
}

/** Returns the continue token for the page after `key`. */
export function encodeContinue(key: string, revision: number): string {
  const token: ContinueToken = { v: 'meta.k8s.io/v1', rv: revision, start: `/${key}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function decodeContinue(text: string): { after: string; revision: number | undefined } {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  let token: Partial<ContinueToken>;
  try {
    token = JSON.parse(decoded) as Partial<ContinueToken>;
  } catch {
    const first = decoded.charAt(0);
    const why =
      first === '{' || first === ''
        ? 'unexpected end of JSON input'
        : `invalid character '${first}' looking for beginning of value`;
    throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
  }
  const { v, rv, start } = token;
  if (v !== 'meta.k8s.io/v1') {
    throw badRequest(
      'invalid continue token: continue key is not valid: server does not recognize this encoded version ""',
    );
  }
  if (typeof rv !== 'number' || typeof start !== 'string' || rv === 0) {
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    );
  }
  return { after: start.slice(1).replace(/\0$/, ''), revision: rv < 0 ? undefined : rv };
}
