import { beforeEach, describe, expect, it } from '@jest/globals';
import { Gate, keyOf, timestampOf, typeMeta } from '@interlock/api';
import { recordLog } from '@interlock/base/testing';
import { appendAudit } from '@interlock/gating';
import { TransitionReporter } from './transition-reporter.js';

type State = 'Open' | 'Closed';

const now = Date.UTC(2030, 0, 1);

/** Returns a gate that has gone through the given states. */
function gate(states: readonly State[], uid = 'u'): Gate {
  let history: NonNullable<Gate['status']>['history'];
  for (const [index, to] of states.entries()) {
    const at = timestampOf(now + index * 60_000);
    history = appendAudit(history, { at, since: at, to, cause: 'GateKeeper/night', targetCount: 0 });
  }
  return {
    ...typeMeta(Gate),
    metadata: { name: 'door', namespace: 'team', uid },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
    status: { state: states.at(-1), message: 'so it is', ...(history && { history }) },
  };
}

let reported: string[];
let metrics: string[];
let log: ReturnType<typeof recordLog>;
let reporter: TransitionReporter;
beforeEach(() => {
  reported = [];
  metrics = [];
  log = recordLog();
  reporter = new TransitionReporter({
    events: { record: (_gate, { reason }) => void reported.push(reason) },
    log,
    metrics: { transition: (cause) => void metrics.push(cause) },
  });
});

describe('TransitionReporter', () => {
  it('reports each new record once, as an event, a log line and a metric', () => {
    reporter.catchUp(gate([]));
    reporter.catchUp(gate(['Closed']));
    reporter.catchUp(gate(['Closed']));
    reporter.catchUp(gate(['Closed', 'Open', 'Closed']));
    expect(reported).toEqual(['GateClosed', 'GateOpened', 'GateClosed']);
    expect(log.lines.map(({ closed }) => closed)).toEqual([true, false, true]);
    expect(metrics).toEqual(['GateKeeper', 'GateKeeper', 'GateKeeper']);
  });

  it.each([
    ['present when it first observes a gate', gate(['Closed'])],
    ['of another gate of the same name', gate(['Closed', 'Open'], 'other')],
  ])('does not report a record that is %s', (_case, next) => {
    if (next.metadata.uid === 'other') reporter.catchUp(gate(['Closed']));
    reporter.catchUp(next);
    expect(reported).toEqual([]);
  });

  it('does not report the earlier records of a gate that was dropped', () => {
    reporter.catchUp(gate(['Closed']));
    reporter.forget(keyOf(gate([])));
    reporter.catchUp(gate(['Closed', 'Open']));
    expect(reported).toEqual([]);
  });
});
