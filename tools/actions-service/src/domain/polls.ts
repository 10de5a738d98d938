import { onAbort } from '@interlock/base';
import type { DomainContext } from './context.js';
import type { Dispatcher } from './dispatcher.js';
import { noMessage } from './message-text.js';
import type { PendingPoll, PollReply, Session, SessionStatus, Timer } from './model.js';
import type { Sessions } from './sessions.js';

/** The polls that wait for a message. A session has one at a time. */
export class Polls {
  readonly #context: DomainContext;
  readonly #sessions: Sessions;
  readonly #dispatcher: Dispatcher;

  constructor(context: DomainContext, sessions: Sessions, dispatcher: Dispatcher) {
    this.#context = context;
    this.#sessions = sessions;
    this.#dispatcher = dispatcher;
  }

  /** Waits for a message of a session, up to the time that a poll is held. @param request the number of the poll in the journal */
  wait(session: Session, status: SessionStatus, signal: AbortSignal, request: number): Promise<PollReply> {
    const { clock, settings, state } = this.#context;
    if (signal.aborted) return Promise.resolve({ reply: noMessage });
    const previous = session.poll;
    return new Promise((resolve) => {
      const timers: Timer[] = [];
      const poll: PendingPoll = {
        status,
        superseded: false,
        answer: (reply) => {
          for (const timer of timers) timer.cancel();
          off();
          if (session.poll === poll) this.#leave(session);
          poll.answer = () => undefined;
          resolve(reply);
        },
      };
      const off = onAbort(signal, () => poll.answer({ reply: noMessage }));
      timers.push(clock.setTimeout(() => poll.answer({ reply: noMessage }), settings.timings.pollHold));
      if (previous !== undefined) this.#supersede(previous, request);
      session.poll = poll;
      state.waiting.add(session);
      this.#sessions.hold(session);
      this.#dispatcher.serve(session);
    });
  }

  /**
   * Replaces the earlier poll of a session. A client that changes its status aborts one poll and sends another, and the service may
   * notice the abort later, so only a poll that still exists after a short time counts as overlapping.
   */
  #supersede(previous: PendingPoll, request: number): void {
    const { clock, settings, violations } = this.#context;
    previous.superseded = true;
    const timer = clock.setTimeout(() => {
      violations.record('overlapping-polls', 'a session has two polls at a time', request);
      previous.answer({ reply: noMessage });
    }, settings.timings.pollOverlap);
    const { answer } = previous;
    previous.answer = (reply) => {
      timer.cancel();
      answer(reply);
    };
  }

  #leave(session: Session): void {
    session.poll = undefined;
    this.#context.state.waiting.delete(session);
    if (this.#context.state.sessions.has(session.id)) this.#sessions.touch(session);
  }
}
