import type { Claim, JobKey, JobSource, SourceEvent } from '../source/job-source.js';
import { eventually } from './eventually.js';

/** Returns the time limit of a call. */
export const limit = (): AbortSignal => AbortSignal.timeout(20_000);

/** Consumes the events of a source, as its controller does, and waits for those that a test expects. */
export class SourceRecorder {
  readonly events: SourceEvent[] = [];

  constructor(readonly source: JobSource) {
    void this.#read(source);
  }

  /** Returns the `nth` event of a type, counted from 1, when it has occurred. */
  async next<T extends SourceEvent['type']>(type: T, nth = 1): Promise<Extract<SourceEvent, { type: T }>> {
    return eventually(() => this.of(type)[nth - 1], `event ${nth} of type ${type}`);
  }

  of<T extends SourceEvent['type']>(type: T): Extract<SourceEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<SourceEvent, { type: T }> => event.type === type);
  }

  /** Waits for the `nth` offer and claims it. */
  async claim(nth = 1): Promise<{ key: JobKey; claim: Awaited<ReturnType<JobSource['claim']>> }> {
    const { key } = await this.next('offered', nth);
    return { key, claim: await this.source.claim(key, limit()) };
  }

  /** Claims the `nth` offer. @throws Error when the claim is refused */
  async claimJob(nth = 1): Promise<{ key: JobKey; claim: Claim }> {
    const { key, claim } = await this.claim(nth);
    if (claim.mode === 'refused') throw new Error(`the claim is ${JSON.stringify(claim)}`);
    return { key, claim };
  }

  async #read(source: JobSource): Promise<void> {
    for await (const event of source.events()) this.events.push(event);
  }
}
