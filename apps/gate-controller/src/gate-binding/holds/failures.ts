import { isTyped, messageOf, type ObjectKey } from '@interlock/api';
import { Problem } from '@interlock/base';
import { referenceOf, referenceString, type FluxObject } from '@interlock/gating';
import type { GateMetrics } from '../../metrics.js';
import type { HoldDecision } from './decide.js';
import { holdOf } from './hold.js';

interface HoldFailuresParts {
  metrics: Pick<GateMetrics, 'actuationFailed'>;
  /** Called when an object cannot be written for a different reason than before. */
  onFailure(object: FluxObject): void;
}

/** Remembers why objects cannot be held or released, for the status of their bindings. */
export class HoldFailures {
  readonly #failures = new Map<string, Problem>();
  readonly #parts: HoldFailuresParts;

  constructor(parts: HoldFailuresParts) {
    this.#parts = parts;
  }

  of(object: FluxObject): Problem | undefined {
    return this.#failures.get(keyOf(object));
  }

  /** Records that the object was written, need not be written, or is gone. */
  clear(object: { kind: string; metadata: ObjectKey }): void {
    this.#failures.delete(keyOf(object));
  }

  /** Records that the object could not be written. */
  record(object: FluxObject, decision: HoldDecision, error: unknown): void {
    const { metrics, onFailure } = this.#parts;
    metrics.actuationFailed(decision.type === 'hold' && decision.method.type === 'pin' ? 'Pin' : 'Suspend');
    const verb = decision.type === 'release' && holdOf(object) !== undefined ? 'release' : 'hold';
    const known = this.of(object);
    const reason = isTyped(error, 'Unauthorized') ? 'Forbidden' : 'NotHeld';
    const failure = new Problem(reason, `cannot ${verb} the object: ${messageOf(error)}`);
    this.#failures.set(keyOf(object), failure);
    if (failure.message !== known?.message) onFailure(object);
  }
}

function keyOf(object: { kind: string; metadata: ObjectKey }): string {
  return referenceString(referenceOf(object));
}
