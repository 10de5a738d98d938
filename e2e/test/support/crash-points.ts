import type { FaultRequest } from '@interlock/devcluster';
import type { Platform } from '@interlock/stack';
import { embeddedOf, type Fixture } from './fixture.js';

/** A moment of a scenario: right before the effect of a call, or right after it and before its response. */
export interface CrashPoint {
  /** The call without the parts that differ between teams. */
  call: string;
  /** The number of the same call in a scenario, from 1. */
  occurrence: number;
  moment: 'before' | 'after';
}

/** The tenant of a scenario: objects in a namespace or named after it, and further resources. */
export interface Tenant {
  /** Name of the namespace, and of cluster-scoped objects. */
  readonly name: string;
  /** Deletes the objects of the tenant in the cluster. */
  leave(): Promise<void>;
}

/** A tenant with a repository at the forge. */
export interface ForgeTenant extends Tenant {
  readonly repository: { fullName: string };
  /** Login under which the forge records the requests of the apps. */
  readonly login: string;
  /** Id of the installation of the GitHub App. */
  readonly installationId: number | undefined;
}

/** Observes the calls of an app for one tenant, and can stop the app at one of them. */
export interface CallObserver<T extends Tenant> {
  /** Records the calls. @returns a function that stops recording and returns the calls in order */
  record(tenant: T): () => string[];
  /** Calls `crash` at the point, if it occurs, and does not answer the call. @returns a function that disarms it */
  arm(tenant: T, point: CrashPoint, crash: () => Promise<void>): () => void;
}

/* The same call occurs after each change, and the fourth occurrence tests nothing new. */
const maxOccurrences = { read: 1, write: 3 };
/** How often the same call is used as a crash point. */
export type Occurrences = typeof maxOccurrences;

/**
 * Returns the moments at which an app can be killed at a call. For a read there is only one moment, because the state
 * does not change.
 */
function momentsOf(call: string): CrashPoint['moment'][] {
  return isRead(call) ? ['after'] : ['before', 'after'];
}

/** Returns a call without the name of the environment, because an app makes the same calls for each environment. */
function kindOf(call: string): string {
  return call.replace(/-environments-[a-z]+(\S*)-[0-9a-f]{8}(?!\S)/, '-environments$1');
}

/** Returns the moments of every call, but only of the first few occurrences of a call and of the first environment. */
export function crashPointsOf(calls: readonly string[], most: Occurrences = maxOccurrences): CrashPoint[] {
  const seen = new Map<string, number>();
  const firsts = new Map<string, string>();
  return calls.flatMap((call): CrashPoint[] => {
    const kind = kindOf(call);
    if (!firsts.has(kind)) firsts.set(kind, call);
    if (firsts.get(kind) !== call) return [];
    const occurrence = (seen.get(call) ?? 0) + 1;
    seen.set(call, occurrence);
    if (occurrence > most[isRead(call) ? 'read' : 'write']) return [];
    return momentsOf(call).map((moment) => ({ call, occurrence, moment }));
  });
}

/** Whether this is `npm run test:long`. */
export const isLongRun = process.env['INTERLOCK_LONG_TESTS'] === '1';
const fewPoints = 15;

/**
 * Returns the number n for which a run uses every n-th point; `npm run test:long` uses each point. The number is odd,
 * because the two moments of a write alternate, so an even number would always select the same moment. It is smaller
 * for few points, because a point may not occur.
 */
function strideOf(points: readonly CrashPoint[]): number {
  if (isLongRun) return 1;
  return points.length < fewPoints ? 3 : 5;
}

/**
 * Returns the points of this run: all points, or a fixed sample of the whole scenario, before and after calls.
 *
 * @param name the name of the scenario; scenarios with the same calls have different samples.
 */
export function sampleOf(points: readonly CrashPoint[], name: string): CrashPoint[] {
  const stride = strideOf(points);
  return points.filter((_, index) => index % stride === name.length % stride);
}

function isRead(call: string): boolean {
  return call.startsWith('GET ') || call.endsWith('/git-upload-pack');
}

export function describePoint({ call, occurrence, moment }: CrashPoint): string {
  return `${moment} ${call} #${occurrence}`;
}

interface ForgeMatch {
  /** Prefix of the path. */
  path: string;
  actor?: string;
}

/** Returns the calls to the forge: the calls of its REST API, the calls of git, or both by default. */
export function forgeCalls({ forge }: Platform, api?: 'rest' | 'git'): CallObserver<ForgeTenant> {
  const only = api === undefined ? {} : { api };
  /* Tokens are requested with the key of the App. In addition to the app, a user makes requests for the repository. */
  const matchesOf = ({ name, repository, installationId, login }: ForgeTenant): ForgeMatch[] => [
    { path: `/api/v3/app/installations/${installationId}/` },
    { path: `/${name}/`, actor: login },
    { path: `/api/v3/repos/${name}/`, actor: login },
    { path: `/api/v1/repos/${repository.fullName}/`, actor: login },
    { path: `/api/v4/projects/${encodeURIComponent(repository.fullName)}`, actor: login },
  ];
  const isOf = (entry: Required<ForgeMatch>, team: ForgeTenant): boolean =>
    matchesOf(team).some(
      ({ path, actor = entry.actor }) => entry.path.startsWith(path) && entry.actor === actor,
    );
  return {
    record(team) {
      const { seq } = forge.journal;
      return () =>
        forge.journal
          .entries({ since: seq, ...only })
          .filter((entry) => isOf(entry, team))
          .map(({ method, route }) => `${method} ${route}`);
    },
    arm(team, { call, occurrence, moment }, crash) {
      const [method = '', route = ''] = call.split(' ');
      const faults = matchesOf(team).map(({ path, ...who }) =>
        forge.faults.add({
          match: { ...only, ...who, method, route, path: `${path}*` },
          skip: occurrence - 1,
          onHit: crash,
          ...(moment === 'before' ? { cutBeforeResponse: true } : { cutAfterEffect: true }),
        }),
      );
      return () => faults.forEach((fault) => fault.remove());
    },
  };
}

const writingVerbs = ['create', 'update', 'patch', 'delete'];

/**
 * Returns the writes of an app to the embedded cluster, except for events, for which the app does not wait.
 * @throws Error for another cluster, whose calls cannot be observed.
 */
export function clusterWrites(fixture: Fixture, app: string): CallObserver<Tenant> {
  const embedded = embeddedOf(fixture);
  const writeOf = (tenant: Tenant, { info, user }: FaultRequest): string | undefined => {
    const { resource, verb } = info;
    if (resource === undefined || !writingVerbs.includes(verb)) return undefined;
    if (user?.username.endsWith(`:${app}`) !== true) return undefined;
    const { namespace, plural, name, subresource } = resource;
    const isNamedAfter = namespace === '' && name === tenant.name;
    if ((namespace !== tenant.name && !isNamedAfter) || plural === 'events') return undefined;
    return [verb, plural, !isNamedAfter && name, subresource].filter(Boolean).join(' ');
  };
  return {
    record(tenant) {
      const writes: string[] = [];
      const stop = embedded.faults.inject({
        when: (request) => {
          const write = writeOf(tenant, request);
          if (write !== undefined) writes.push(write);
          return false;
        },
      });
      return () => {
        stop();
        return writes;
      };
    },
    arm(tenant, { call, occurrence, moment }, crash) {
      let seen = 0;
      return embedded.faults.inject({
        when: (request) => writeOf(tenant, request) === call && ++seen === occurrence,
        onHit: crash,
        ...(moment === 'before' ? { cutAfterBytes: 0 } : { cutAfterEffect: true }),
      });
    },
  };
}
