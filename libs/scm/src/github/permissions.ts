import type { ScmUse } from '../scm.js';

type Level = 'read' | 'write';
/** Names as in the REST API, "Create an installation access token for an app". */
export type Permissions = Partial<
  Record<'metadata' | 'contents' | 'pull_requests' | 'checks' | 'statuses', Level>
>;

/* A merge writes contents, and depends on checks and statuses. */
const needs: Readonly<Record<ScmUse, Permissions>> = {
  contents: { contents: 'write' },
  pullRequests: { contents: 'write', pull_requests: 'write', checks: 'read', statuses: 'read' },
  statuses: { checks: 'write' },
};

/** Returns what a token needs for all of `uses`. It is never empty, because GitHub would treat that as all permissions. */
export function permissionsFor(uses: readonly ScmUse[]): Permissions {
  const all: Permissions = { metadata: 'read' };
  for (const [name, level] of uses.flatMap((use) => entriesOf(needs[use]))) {
    if (all[name] !== 'write') all[name] = level;
  }
  return all;
}

/** Returns the permissions of `needed` that an installation was granted, at the granted level. */
export function grantedOf(needed: Permissions, granted: Readonly<Record<string, string>>): Permissions {
  const both: Permissions = { metadata: 'read' };
  for (const [name, level] of entriesOf(needed)) {
    const most = granted[name];
    if (most !== undefined) both[name] = most === 'read' ? 'read' : level;
  }
  return both;
}

/** Returns whether two sets are the same. */
export function samePermissions(a: Permissions, b: Permissions): boolean {
  const entries = entriesOf(a);
  return entries.length === entriesOf(b).length && entries.every(([name, level]) => b[name] === level);
}

function entriesOf(permissions: Permissions): [keyof Permissions, Level][] {
  return Object.entries(permissions) as [keyof Permissions, Level][];
}
