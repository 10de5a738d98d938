/**
 * The behavior of an Actions service. `live`: GitHub today. `seed`: the early contract, in which runners stay registered and claim one
 * job after the other.
 */
export interface Dialect {
  name: 'live' | 'seed';
  createSessionPath: string;
  /** Returns the path of the call, and its query. @param sessionId undefined when unknown; the token then identifies the session */
  deleteSessionPath(sessionId: string | undefined): { path: string; search?: string };
  /** Whether a runner runs one job only, and no longer exists after it has claimed one. */
  isSingleUse: boolean;
}

const live: Dialect = {
  name: 'live',
  createSessionPath: 'session',
  deleteSessionPath: (sessionId) => ({
    path: 'session',
    search: sessionId === undefined ? '' : `?sessionId=${encodeURIComponent(sessionId)}`,
  }),
  isSingleUse: true,
};

const seed: Dialect = {
  name: 'seed',
  createSessionPath: 'sessions',
  deleteSessionPath: (sessionId) => ({
    path: sessionId === undefined ? 'sessions' : `sessions/${encodeURIComponent(sessionId)}`,
  }),
  isSingleUse: false,
};

export const dialects: Readonly<Record<Dialect['name'], Dialect>> = { live, seed };
