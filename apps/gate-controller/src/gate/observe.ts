import { keyOf, type Gate, type ObjectKey } from '@interlock/api';
import { Later, type Observation } from '@interlock/kube';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { ObservedSituation } from './observed.js';
import type { GateReader } from './reader.js';

export interface GateReaders {
  reader: GateReader;
  /** How far this machine's clock is ahead of the API server's, in milliseconds; undefined if it is not known. */
  skewMs: () => number | undefined;
  /** Returns the objects that are bound to a gate. */
  targetsOf: (gate: ObjectKey) => readonly BoundTarget[];
}

/**
 * An event follows when the objects that a keeper refers to have been read; this delay applies when the event is lost.
 */
const pendingMs = 1_000;

/** Reads a gate and the objects that decide its state. */
export function observeGate(
  { reader, skewMs, targetsOf }: GateReaders,
  gate: Gate,
): Observation<ObservedSituation> {
  const ended = reader.ended.inView(keyOf(gate));
  const observed = reader.observeGate(gate);
  if (observed === 'pending') return new Later(pendingMs);
  return { ...observed, targets: targetsOf(keyOf(gate)), skewMs: skewMs(), ended };
}
