/**
 * The behavior of an Actions service. `live`: GitHub today. `seed`: the early contract, in which runners stay registered and claim one
 * job after the other.
 */
export interface Dialect {
  name: 'live' | 'seed';
  createSessionPath: string;
  /** Returns the path of the call. @param sessionId undefined when unknown; the token then identifies the session */
  deleteSessionPath(sessionId: string | undefined): string;
  /** Whether a runner runs one job only, and no longer exists after it has claimed one. */
  isSingleUse: boolean;
}

const live: Dialect = {
  name: 'live',
  createSessionPath: 'session',
  deleteSessionPath: (sessionId) =>
    sessionId === undefined ? 'session' : `session?sessionId=${encodeURIComponent(sessionId)}`,
  isSingleUse: true,
};

const seed: Dialect = {
  name: 'seed',
  createSessionPath: 'sessions',
  deleteSessionPath: (sessionId) =>
    sessionId === undefined ? 'sessions' : `sessions/${encodeURIComponent(sessionId)}`,
  isSingleUse: false,
};

export const dialects: Readonly<Record<Dialect['name'], Dialect>> = { live, seed };
