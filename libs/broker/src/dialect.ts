/**
 * How an Actions service behaves. `live`: GitHub today. `seed`: the early contract, with runners that stay registered and claim one
 * job after the other.
 */
export interface Dialect {
  name: 'live' | 'seed';
  createSessionPath: string;
  /** @param sessionId undefined: unknown, so that the token alone names the session */
  deleteSessionPath(sessionId: string | undefined): string;
  /** A runner is for one job, and does not exist any more once it has claimed one. */
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
