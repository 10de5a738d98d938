import { deliveryFields, jobFields, type DomainContext } from './context.js';
import { isIdle, mayRun } from './matching.js';
import { brokerError, cancellationReply, jobRequestReply, messageReply } from './message-text.js';
import type { Delivery, DeliveryState, Job, PollReply, Session } from './model.js';

/** Offers queued jobs to the sessions whose polls wait, and chooses what a poll returns. */
export class Dispatcher {
  readonly #context: DomainContext;

  constructor(context: DomainContext) {
    this.#context = context;
  }

  /** Queues a job that is not offered, and offers it at once to a waiting session. */
  enqueue(job: Job): void {
    this.#context.state.queue.add(job);
    const [session] = this.#idleSessions(job, 1);
    if (session !== undefined) this.serve(session);
  }

  /** Answers the waiting poll of a session when there is a message for it. */
  serve(session: Session): void {
    const { poll } = session;
    if (poll === undefined || poll.superseded) return;
    const reply = this.#next(session);
    if (reply !== undefined) poll.answer(reply);
  }

  /** Ends an offer; the job returns to the queue when it is not offered to another session. */
  withdraw(delivery: Delivery, state: DeliveryState, reason: string): void {
    if (delivery.state !== 'offered') return;
    this.settle(delivery, state);
    this.#context.events.record('job-withdrawn', { ...deliveryFields(delivery), reason });
    const { job } = delivery;
    if (job.status === 'queued' && !job.deliveries.some((other) => other.state === 'offered'))
      this.enqueue(job);
  }

  /** Sets the state of an offer, and ends its timers. */
  settle(delivery: Delivery, state: DeliveryState): void {
    const { session } = delivery;
    delivery.state = state;
    delivery.offerTimer?.cancel();
    if (session.offer === delivery) {
      session.offer = undefined;
      session.redeliveryTimer?.cancel();
    }
  }

  /** Stops the redelivery of an offer, and restarts the time within which its runner has to acquire it. */
  acknowledge(delivery: Delivery): void {
    delivery.acknowledged = true;
    delivery.session.redeliveryTimer?.cancel();
    this.#startWindow(delivery);
    this.#context.events.record('job-acknowledged', deliveryFields(delivery));
  }

  /** Ends the poll and the offer of a session that has ended. */
  release(session: Session): void {
    const { state, settings } = this.#context;
    const reply = state.runners.has(session.runner.id)
      ? brokerError(settings.sessionInvalidStatus, 'RunnerSessionInvalid', 'The session has expired.')
      : brokerError(404, 'RunnerNotFound', `Runner ${String(session.runner.id)} not found.`);
    session.poll?.answer({ reply });
    if (session.offer !== undefined) this.withdraw(session.offer, 'withdrawn', 'session ended');
  }

  #next(session: Session): PollReply | undefined {
    const message = session.messages.shift();
    if (message !== undefined) {
      return {
        reply: messageReply(this.#context, message.type, message.body),
        lost: () => session.messages.unshift(message),
      };
    }
    const { poll, runner, offer } = session;
    if (poll?.status === 'busy') return this.#cancellation(session);
    if (poll?.status !== 'online') return undefined;
    if (this.#context.settings.dialect !== 'seed' && runner.held.size > 0) return undefined;
    return offer === undefined ? this.#offerNext(session) : this.#redeliver(session, offer);
  }

  #cancellation(session: Session): PollReply | undefined {
    const cancelled = [...session.runner.held].find(({ job }) => job.run.cancelRequested);
    if (cancelled === undefined) return undefined;
    this.#context.events.record('cancellation-delivered', deliveryFields(cancelled));
    return { reply: cancellationReply(this.#context, cancelled) };
  }

  #offerNext(session: Session): PollReply | undefined {
    if (!isIdle(this.#context, session)) return undefined;
    for (const job of this.#context.state.queue) {
      if (!mayRun(this.#context, session.runner, job)) continue;
      const isFirst = job.deliveries.length === 0;
      const delivery = this.#offer(session, job);
      if (isFirst) this.#fanOut(job);
      return this.#send(delivery);
    }
    return undefined;
  }

  /** Offers a job to further waiting sessions, with a separate id for each. */
  #fanOut(job: Job): void {
    const { random, settings } = this.#context;
    const chance = random.next() < settings.fanOutProbability ? 1 : 0;
    const count = job.request.siblings ?? chance;
    for (const session of this.#idleSessions(job, count)) {
      session.poll?.answer(this.#send(this.#offer(session, job)));
    }
  }

  #offer(session: Session, job: Job): Delivery {
    const { state, random, events } = this.#context;
    state.queue.delete(job);
    const delivery: Delivery = {
      id: random.guid(),
      job,
      runner: session.runner,
      session,
      state: 'offered',
      shard: 1 + random.below(9),
      acknowledged: false,
      sentAt: undefined,
      refused: false,
      started: false,
      token: '',
      lockedUntil: 0,
      renewedAfterGone: 0,
      offerTimer: undefined,
      lockTimer: undefined,
      unstartedTimer: undefined,
    };
    session.offer = delivery;
    state.deliveries.set(delivery.id, delivery);
    job.deliveries.push(delivery);
    this.#forgetOldest(job);
    this.#startWindow(delivery);
    events.record('job-offered', deliveryFields(delivery));
    return delivery;
  }

  #send(delivery: Delivery): PollReply {
    delivery.sentAt = this.#context.clock.now();
    return {
      reply: jobRequestReply(this.#context, delivery),
      lost: () => (delivery.sentAt = undefined),
    };
  }

  /**
   * Redelivers the offer of a session after the interval for redelivery, unless the job is offered to another
   * session.
   */
  #redeliver(session: Session, delivery: Delivery): PollReply | undefined {
    const { clock, settings, random, events } = this.#context;
    if (delivery.acknowledged) return undefined;
    const rest =
      delivery.sentAt === undefined ? 0 : delivery.sentAt + settings.timings.redelivery - clock.now();
    if (rest > 0) {
      delivery.refused = true;
      session.redeliveryTimer?.cancel();
      session.redeliveryTimer = clock.setTimeout(() => this.serve(session), rest);
      return undefined;
    }
    const others =
      delivery.refused && delivery.job.status === 'queued' ? this.#idleSessions(delivery.job, 1) : [];
    const [next = session] = random.shuffle([session, ...others]);
    if (next !== session) {
      this.withdraw(delivery, 'withdrawn', 'refused');
      return undefined;
    }
    events.record('job-redelivered', deliveryFields(delivery));
    this.#startWindow(delivery);
    return this.#send(delivery);
  }

  #startWindow(delivery: Delivery): void {
    const { clock, settings } = this.#context;
    delivery.offerTimer?.cancel();
    delivery.offerTimer = clock.setTimeout(
      () => this.withdraw(delivery, 'withdrawn', 'not acquired in time'),
      settings.timings.offerWindow,
    );
  }

  #idleSessions(job: Job, count: number): Session[] {
    const { state, random } = this.#context;
    return state.waiting.choose(
      random,
      count,
      (runner) => mayRun(this.#context, runner, job),
      (session) => isIdle(this.#context, session),
    );
  }

  /** Forgets the oldest withdrawn offer, because a job that every runner refuses is offered again and again. */
  #forgetOldest(job: Job): void {
    if (job.deliveries.length <= mostDeliveries) return;
    const index = job.deliveries.findIndex(({ state }) => state === 'withdrawn');
    const [oldest] = index < 0 ? [] : job.deliveries.splice(index, 1);
    if (oldest !== undefined) this.#context.state.deliveries.delete(oldest.id);
    if (index >= 0) this.#context.events.record('job-withdrawn', { ...jobFields(job), reason: 'forgotten' });
  }
}

const mostDeliveries = 100;
