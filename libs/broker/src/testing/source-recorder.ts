import type { JobKey, JobSource, SourceEvent } from '../source/job-source.js';
import { eventually } from './eventually.js';

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
    return { key, claim: await this.source.claim(key, AbortSignal.timeout(20_000)) };
  }

  async #read(source: JobSource): Promise<void> {
    for await (const event of source.events()) this.events.push(event);
  }
}
