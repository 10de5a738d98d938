import type { DeletionReason } from './record.js';

/** The outcome of a decision, for events and metrics. */
export type JobOutcome =
  | { type: 'none' }
  | { type: 'created'; pod: string }
  /** Another job has taken the place since it was observed. */
  | { type: 'crowdedOut' }
  | { type: 'refused'; message: string; isQuota: boolean; isLast: boolean }
  | { type: 'stopped'; reason: DeletionReason }
  | { type: 'relaunched'; message: string }
  | { type: 'concluded'; rerun: 'none' | 'scheduled' | 'unknownRun' };
