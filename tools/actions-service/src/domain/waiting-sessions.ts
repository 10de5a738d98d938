import type { SeededRandom } from '../random.js';
import type { Runner, Session } from './model.js';

/** Sessions whose runners may take the same jobs. */
interface Pool {
  key: string;
  sessions: Session[];
  /** The position of each session in `sessions`. */
  positions: Map<Session, number>;
}

/**
 * The sessions whose polls wait for a job, grouped by the jobs that their runners may take. An installation has thousands of sessions
 * but few sets of labels, so a job is matched with the groups and not with each session.
 */
export class WaitingSessions {
  readonly #pools = new Map<string, Pool>();
  readonly #poolOf = new Map<Session, Pool>();

  get size(): number {
    return this.#poolOf.size;
  }

  /** Records that the poll of a session waits. A poll that reports a busy runner does not wait for a job. */
  add(session: Session): void {
    this.delete(session);
    if (session.poll?.status !== 'online') return;
    const key = poolKey(session.runner);
    const pool = this.#pools.get(key) ?? { key, sessions: [], positions: new Map<Session, number>() };
    this.#pools.set(key, pool);
    this.#poolOf.set(session, pool);
    pool.positions.set(session, pool.sessions.length);
    pool.sessions.push(session);
  }

  delete(session: Session): void {
    const pool = this.#poolOf.get(session);
    if (pool === undefined) return;
    this.#poolOf.delete(session);
    swap(pool, pool.positions.get(session) ?? 0, pool.sessions.length - 1);
    pool.positions.delete(session);
    pool.sessions.pop();
    if (pool.sessions.length === 0) this.#pools.delete(pool.key);
  }

  /**
   * Chooses sessions at random, each with the same chance.
   *
   * @param count how many at most
   * @param mayRun returns whether a runner may take the job; called once for all runners that may take the same jobs
   * @param isFree returns whether a session can be offered a job now
   */
  choose(
    random: SeededRandom,
    count: number,
    mayRun: (runner: Runner) => boolean,
    isFree: (session: Session) => boolean,
  ): Session[] {
    const rests = [...this.#pools.values()]
      .filter(({ sessions: [first] }) => first !== undefined && mayRun(first.runner))
      .map((pool) => ({ pool, rest: pool.sessions.length }));
    let total = rests.reduce((sum, { rest }) => sum + rest, 0);
    const chosen: Session[] = [];
    while (chosen.length < count && total > 0) {
      const session = draw(rests, random.below(total));
      total -= 1;
      if (session !== undefined && isFree(session)) chosen.push(session);
    }
    return chosen;
  }
}

/**
 * Draws the session at `index` of the sessions that were not drawn yet: moves it behind them in its pool, and returns
 * it.
 */
function draw(rests: { pool: Pool; rest: number }[], index: number): Session | undefined {
  let at = index;
  for (const one of rests) {
    if (at < one.rest) {
      one.rest -= 1;
      swap(one.pool, at, one.rest);
      return one.pool.sessions[one.rest];
    }
    at -= one.rest;
  }
  return undefined;
}

function swap({ sessions, positions }: Pool, a: number, b: number): void {
  const [first, second] = [sessions[a], sessions[b]];
  if (first === undefined || second === undefined) return;
  sessions[a] = second;
  sessions[b] = first;
  positions.set(first, b);
  positions.set(second, a);
}

/** Returns the key of the group of runners that may take the same jobs: scope, runner group and labels. */
function poolKey({ scope, groupId, labels }: Runner): string {
  return JSON.stringify([scope, groupId, ...labels.map((label) => label.toLowerCase()).sort()]);
}
