import type { Clock } from '@interlock/base';
import type { JsonObject } from '../../schema/types.js';
import type { HandlerResult } from '../container-runtime.js';
import {
  noResults,
  probeSettings,
  tallied,
  type ProbeKind,
  type ProbeSettings,
  type ProbeTally,
} from './probe-state.js';

/** The container of a prober, as the prober uses it. */
interface ProbeTarget {
  clock: Clock;
  call: (handler: JsonObject, timeoutMs: number) => Promise<HandlerResult>;
  /** Called when a probe has failed once. */
  onFailure: (kind: ProbeKind, output: string) => void;
  /** Called when the verdict of a probe has changed. */
  onVerdict: (kind: ProbeKind, isSuccess: boolean, settings: ProbeSettings) => void;
}

/** Runs the probes of one run of a container: the startup probe first, the others once it has succeeded. */
export class Prober {
  readonly #container: JsonObject;
  readonly #target: ProbeTarget;
  readonly #timers = new Map<ProbeKind, { cancel(): void }>();
  readonly #startedAt: number;
  #isStopped = false;

  constructor(container: JsonObject, target: ProbeTarget) {
    this.#container = container;
    this.#target = target;
    this.#startedAt = target.clock.monotonic();
    const startup = probeSettings(container, 'startup');
    if (startup === undefined) this.#startOthers();
    else this.#begin('startup', startup);
  }

  /** Stops all probes. Later results have no effect. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #startOthers(): void {
    for (const kind of ['liveness', 'readiness'] as const) {
      const settings = probeSettings(this.#container, kind);
      if (settings !== undefined) this.#begin(kind, settings);
    }
  }

  /** Delays count from the start of the container. */
  #begin(kind: ProbeKind, settings: ProbeSettings): void {
    const elapsed = this.#target.clock.monotonic() - this.#startedAt;
    this.#schedule(kind, settings, noResults, Math.max(0, settings.initialDelayMs - elapsed));
  }

  #schedule(kind: ProbeKind, settings: ProbeSettings, tally: ProbeTally, delayMs: number): void {
    const timer = this.#target.clock.setTimeout(() => void this.#probe(kind, settings, tally), delayMs);
    this.#timers.set(kind, timer);
  }

  async #probe(kind: ProbeKind, settings: ProbeSettings, before: ProbeTally): Promise<void> {
    const { isSuccess, output } = await this.#target.call(settings.handler, settings.timeoutMs);
    if (this.#isStopped) return;
    if (!isSuccess) this.#target.onFailure(kind, output);
    const tally = tallied(before, isSuccess, settings);
    if (tally.verdict !== before.verdict && tally.verdict !== undefined) {
      this.#target.onVerdict(kind, tally.verdict, settings);
      /* The startup probe ends when it has succeeded. */
      if (kind === 'startup' && tally.verdict) return this.#startOthers();
      if (kind !== 'readiness' && !tally.verdict) return;
    }
    if (!this.#hasStopped()) this.#schedule(kind, settings, tally, settings.periodMs);
  }

  /** Returns whether the prober has stopped, for example because of a verdict. */
  #hasStopped(): boolean {
    return this.#isStopped;
  }
}
