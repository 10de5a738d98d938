import { TypedError } from '@interlock/api';
import { isProblem, waitFor, type OrProblem } from '@interlock/base';
import type { AcquiredJob, RunService } from '../../run-service/run-service.js';
import { absoluteUrl } from '../../wire/absolute-url.js';
import type { Delivery } from '../agent-store.js';
import type { Claim, JobKey, LockReference, Refused, Released } from '../job-source.js';
import { acquireJob } from './acquire-job.js';
import type { Agent } from './agent.js';
import type { Offers, OffersOptions } from './offers.js';
import { concludeSibling } from './siblings.js';
import type { Slot } from './slots.js';

interface ClaimsOptions extends OffersOptions {
  offers: Offers;
  runService: RunService;
}

/** Claims offers, and frees the places of jobs. Every step that cannot be undone is recorded before it is taken. */
export class Claims {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Implements `JobSource.claim`. Concurrent claims of one offer share one attempt. */
  async claim(key: JobKey, signal: AbortSignal): Promise<Claim | Refused> {
    const slot = this.#options.slots.get(key);
    if (slot?.claim !== undefined) return slot.claim;
    if (slot?.claiming !== undefined) return waitFor(slot.claiming, signal);
    const { agent, offer, state } = slot ?? {};
    if (slot === undefined || agent === undefined || offer === undefined || state !== 'offered') {
      const reason = state === 'claimed' ? 'taken' : 'gone';
      return { mode: 'refused', key, reason, message: `job ${key} is not offered` };
    }
    slot.claiming = this.#claim(slot, agent, signal).finally(() => (slot.claiming = undefined));
    return slot.claiming;
  }

  /** Implements `JobSource.settled`. The payload is no longer kept. */
  async settled(key: JobKey, signal: AbortSignal): Promise<void> {
    const slot = this.#options.slots.get(key);
    if (slot?.agent === undefined || slot.state !== 'claimed') return;
    await waitFor(this.#options.agents.update(slot.agent, { phase: 'bound' }), signal);
    slot.claim = undefined;
  }

  /** Implements `JobSource.release`. */
  async release(key: JobKey, signal: AbortSignal): Promise<Released> {
    const { slots, offers, pollers } = this.#options;
    const slot = slots.get(key);
    if (slot?.claiming !== undefined) await waitFor(Promise.allSettled([slot.claiming]), signal);
    if (slot === undefined || slots.get(key) !== slot) return 'expires';
    const isUntouched = slot.state !== 'claimed' && !slot.isAmbiguous;
    slots.remove(slot, isUntouched ? 'returned' : 'unusable');
    if (isUntouched && slot.agent !== undefined) pollers.resume(slot.agent);
    offers.fill();
    if (isUntouched) return 'returned';
    return slot.agent === undefined ? 'expires' : waitFor(this.#dismiss(slot.agent), signal);
  }

  async #claim(slot: Slot, agent: Agent, signal: AbortSignal): Promise<Claim | Refused> {
    const { broker, agents, timings, runService } = this.#options;
    const { clock, random } = broker;
    const { offer } = slot;
    if (offer === undefined) throw new TypedError('Permanent', `job ${slot.key} has no offer`);
    const { shouldAcknowledge, ...delivery } = offer;
    /* An ambiguous claim is recorded. Otherwise the record in memory may be newer than the stored one, which could not be changed. */
    if (!slot.isAmbiguous) await agents.update(agent, { phase: 'claiming', delivery });
    if (shouldAcknowledge) await agent.session.acknowledge(slot.key, signal);
    const acquisition = await acquireJob(
      {
        ...{ delivery, token: agent.token, runService, clock, random },
        runnerName: agent.record.name,
        deadline: slot.isAmbiguous ? clock.monotonic() + timings.offerWindowMs : slot.expiresAt,
        isAmbiguous: slot.isAmbiguous,
        onAmbiguous: () => (slot.isAmbiguous = true),
      },
      signal,
    );
    if (acquisition.type === 'refused') return this.#refuse(slot, agent, acquisition.refused);
    const lock = await this.#lockOf(offer, agent, acquisition.job, signal);
    if (!isProblem(lock)) return this.#take(slot, agent, acquisition.job, lock);
    const message = `the lock of job ${slot.key} cannot be kept: ${lock.message}`;
    const refused: Refused = { mode: 'refused', key: slot.key, reason: 'lost', message };
    return this.#refuse(slot, agent, { ...refused, runnerName: agent.record.name });
  }

  /**
   * Dismisses a single-use runner whose claim was refused, because the service may have removed it (runner#4617). The
   * record of the runner of a lost job is kept until the job is released, so that the job is not forgotten if this
   * process ends before that.
   */
  async #refuse(slot: Slot, agent: Agent, refused: Refused): Promise<Refused> {
    const { slots, broker, agents, pollers, offers } = this.#options;
    slots.refuse(slot.key);
    if (refused.reason === 'lost') {
      slot.isAmbiguous = true;
      slot.settle('unusable');
      return refused;
    }
    const mayStay = !broker.dialect.isSingleUse;
    /* Until then the job has its place: a new offer would have the same key, so that the end of this claim would release that offer. */
    if (mayStay) await agents.update(agent, { phase: 'idle', delivery: undefined });
    slots.remove(slot, mayStay ? 'returned' : 'unusable');
    if (mayStay) pollers.resume(agent);
    else void this.#dismiss(agent);
    offers.fill();
    return refused;
  }

  #take(slot: Slot, agent: Agent, job: AcquiredJob, lock: LockReference): Claim | Refused {
    const { slots, broker, pollers, emit } = this.#options;
    const { identity, run, orchestrationId } = job.message;
    const twin = slots.twin(identity, run, orchestrationId);
    if (twin !== undefined && twin !== slot) return this.#duplicate(slot, agent, twin, lock);
    const claim: Claim = {
      ...{ mode: 'payload', key: slot.key, identity, lock, run },
      payload: job.payload,
      runnerName: agent.record.name,
    };
    slot.timer?.cancel();
    slots.take(slot, { identity, run, orchestrationId, claim });
    if (broker.dialect.isSingleUse) agent.session.setStatus('Busy');
    if (agent.ended === undefined) pollers.watch(agent);
    slot.settle('claimed');
    emit({ type: 'bound', key: slot.key, runnerName: claim.runnerName });
    return claim;
  }

  /** Concludes the delivery of a job that already runs through another delivery; otherwise the service would cancel the run. */
  #duplicate(slot: Slot, agent: Agent, twin: Slot, lock: LockReference): Refused {
    const { slots, runService, broker, life, offers } = this.#options;
    slots.finish(slot.key);
    slots.remove(slot, 'unusable');
    const own = ownLock(lock, slot, twin);
    const conclusion = own && concludeSibling({ lock: own, runService, broker, life });
    void Promise.resolve(conclusion).finally(() => void this.#dismiss(agent));
    offers.fill();
    const message = `job ${slot.key} is another delivery of job ${twin.key}`;
    return { mode: 'refused', key: slot.key, reason: 'taken', message };
  }

  async #lockOf(
    { requestId, runServiceUrl, billingOwnerId }: Delivery,
    agent: Agent,
    { message }: AcquiredJob,
    signal: AbortSignal,
  ): Promise<OrProblem<LockReference>> {
    const { service, identity } = message;
    const url = absoluteUrl(service.url ?? '', runServiceUrl);
    const problem = this.#options.broker.hosts.serviceProblem(url);
    if (problem !== undefined) return problem;
    const token = service.token ?? (await agent.token.get(signal));
    return { ...identity, url, token, billingOwnerId, deliveryId: requestId };
  }

  /** Dismisses the runner of a job that has ended or is given up. A reusable runner is kept while it has or awaits another job. */
  async #dismiss(agent: Agent): Promise<Released> {
    const { agents, slots, pollers } = this.#options;
    const hasJob = slots.all().some((slot) => slot.agent === agent);
    if (hasJob || pollers.isWaiting(agent)) return 'expires';
    agent.stop.abort();
    const outcome = await agents.retireAgent(agent);
    return outcome === 'removed' ? 'expires' : 'pinned';
  }
}

/**
 * Returns the lock by which a delivery is concluded without its job, which runs through its twin; undefined if there is none. Deliveries
 * may have the same payload, so that the id in it is the id of the job that runs.
 */
function ownLock(lock: LockReference, { key }: Slot, { identity }: Slot): LockReference | undefined {
  const ids = [lock.jobId, key].filter((id) => id !== identity?.jobId);
  const [jobId, deliveryId] = ids;
  return jobId === undefined ? undefined : { ...lock, jobId, deliveryId };
}
