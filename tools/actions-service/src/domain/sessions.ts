import type { DomainContext } from './context.js';
import type { Runner, Session } from './model.js';
import { Refused } from '../record/refused.js';

/** The sessions of runners. */
export class Sessions {
  readonly #context: DomainContext;

  constructor(context: DomainContext) {
    this.#context = context;
  }

  /**
   * Creates the session of a runner.
   *
   * @throws Refused 409 while the runner has a session.
   */
  create(runner: Runner, ownerName: string): Session {
    const { state, random, events } = this.#context;
    if (runner.session !== undefined) {
      throw new Refused(
        409,
        `The actions runner ${runner.name} already has an active session for owner ${runner.session.ownerName}.`,
        {
          kind: 'RunnerSessionConflict',
        },
      );
    }
    const session: Session = {
      id: random.guid(),
      runner,
      ownerName,
      poll: undefined,
      messages: [],
      offer: undefined,
      idleTimer: undefined,
      redeliveryTimer: undefined,
    };
    runner.session = session;
    runner.connected = true;
    runner.unusedTimer?.cancel();
    state.sessions.set(session.id, session);
    this.touch(session);
    events.record('session-created', { runner: runner.id, session: session.id });
    return session;
  }

  /** Restarts the time after which a session without a poll expires. */
  touch(session: Session): void {
    const { clock, settings } = this.#context;
    session.idleTimer?.cancel();
    session.idleTimer = clock.setTimeout(
      () => this.end(session, 'session-expired'),
      settings.timings.sessionIdle,
    );
  }

  /** Keeps a session from expiring while its poll waits. */
  hold(session: Session): void {
    session.idleTimer?.cancel();
    session.idleTimer = undefined;
  }

  end(session: Session, type: 'session-deleted' | 'session-expired'): void {
    const { state, events } = this.#context;
    if (!state.sessions.delete(session.id)) return;
    session.idleTimer?.cancel();
    session.redeliveryTimer?.cancel();
    if (session.runner.session === session) session.runner.session = undefined;
    events.record(type, { runner: session.runner.id, session: session.id });
    this.onEnded(session);
  }

  /** Called after a session ended; the dispatcher sets this callback. */
  onEnded: (session: Session) => void = () => undefined;
}
