import type { AuditRecord, Gate } from '@interlock/api';
import type { EventRecorder, Logger } from '@interlock/kube';
import { logSubject } from '../log-subject.js';
import type { GateMetrics } from '../metrics.js';
import { kindOfCause } from './model.js';

/** Of a digest in an Event, whose text is short. */
const shownDigits = 16;

export interface TellerParts {
  events: Pick<EventRecorder, 'record'>;
  log: Logger;
  metrics: GateMetrics;
}

/**
 * Tells of transitions that are on record, by Event, log and metric: each once, also where the API server wrote a record and
 * its answer was lost. What others put on record before is theirs to tell.
 */
export class Teller {
  /** Digests of the last records told, by uid of the gate. */
  readonly #told = new Map<string, string>();

  constructor(private readonly parts: TellerParts) {}

  /** Tells of what is new in the history of a gate as it is on record. */
  catchUp(gate: Gate): void {
    const { uid = '' } = gate.metadata;
    const history = gate.status?.history ?? [];
    const last = history.at(-1)?.digest ?? '';
    const told = this.#told.get(uid);
    this.#told.set(uid, last);
    if (told === undefined || told === last) return;
    const known = history.findIndex(({ digest }) => digest === told);
    for (const record of history.slice(known + 1)) this.#tell(gate, record);
  }

  forget({ metadata }: Gate): void {
    this.#told.delete(metadata.uid ?? '');
  }

  #tell(gate: Gate, record: AuditRecord): void {
    const { events, log, metrics } = this.parts;
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
        ...(uid !== undefined && { uid }),
        ...(from !== undefined && { from }),
        ...said,
      },
      `${opens ? 'opening' : 'closing'} gate: '${text}'`,
    );
  }
}
