import { keyOf, keyString, type AuditRecord, type Gate, type ObjectKey } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { EventRecorder } from '@interlock/kube';
import { logSubject } from '../log-subject.js';
import type { GateMetrics } from '../metrics.js';
import { kindOfCause } from './cause.js';

/** Number of digits of a digest in an Event, whose text is short. */
const shownDigits = 16;

export interface TransitionReporterParts {
  events: Pick<EventRecorder, 'record'>;
  log: Logger;
  metrics: Pick<GateMetrics, 'transition'>;
}

/**
 * Reports recorded transitions as events, log lines and metrics: each once, even if the API server wrote a record and
 * its answer was lost. Records from before this process observed the gate are left to the process that wrote them.
 */
export class TransitionReporter {
  /** The gate and its last record that was reported, by key. */
  readonly #last = new Map<string, { uid: string | undefined; digest: string }>();
  readonly #parts: TransitionReporterParts;

  constructor(parts: TransitionReporterParts) {
    this.#parts = parts;
  }

  /** Reports what is new in the stored history of a gate. */
  catchUp(gate: Gate): void {
    const key = keyString(keyOf(gate));
    const { uid } = gate.metadata;
    const history = gate.status?.history ?? [];
    const digest = history.at(-1)?.digest ?? '';
    const last = this.#last.get(key);
    this.#last.set(key, { uid, digest });
    if (last === undefined || last.uid !== uid || last.digest === digest) return;
    const reported = history.findIndex((record) => record.digest === last.digest);
    for (const record of history.slice(reported + 1)) this.#report(gate, record);
  }

  forget(gate: ObjectKey): void {
    this.#last.delete(keyString(gate));
  }

  #report(gate: Gate, record: AuditRecord): void {
    const { events, log, metrics } = this.#parts;
    const { at: _at, to, from, previous: _previous, signature: _signature, ...said } = record;
    const opens = to === 'Open';
    const text = record.reason ?? gate.status?.message ?? '';
    const { uid } = gate.metadata;
    const number = `record ${record.sequence ?? 0}, digest ${record.digest.slice(0, shownDigits)}`;
    const by = record.actor === undefined ? '' : ` by ${record.actor}`;
    metrics.transition(kindOfCause(record.cause));
    events.record(gate, {
      type: 'Normal',
      reason: opens ? 'GateOpened' : 'GateClosed',
      action: opens ? 'Open' : 'Close',
      note: `${opens ? 'opened' : 'closed'}${by} (${record.cause}): ${text} [${number}]`,
    });
    log.info(
      {
        closed: !opens,
        ...logSubject(gate),
        uid,
        from,
        ...said,
      },
      `${opens ? 'opening' : 'closing'} gate: '${text}'`,
    );
  }
}
