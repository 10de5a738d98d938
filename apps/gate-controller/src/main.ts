import { durationFlag, listFlag, runControllers } from '@interlock/service';
import { addGateController } from './app.js';
import { prometheusGateMetrics } from './metrics.js';

await runControllers({
  name: 'gate-controller',
  description:
    'Opens and closes gates by time, calendars, resources and overrides, and holds what is bound to them.',
  version: '0.1.0',
  flags: {
    stateTtl: durationFlag({
      description: 'How long the state of a gate may be believed when the controller does not renew it.',
      default: '1h',
      minMs: 10_000,
    }),
    auditTtl: durationFlag({
      description: 'How long a GateOverride is kept after it ended; 0: for ever.',
      default: '720h',
    }),
    calendarHosts: listFlag({
      description: 'Host whose calendars a GateKeeper may read by URL; may be repeated. None by default.',
      default: '',
    }),
  },
  setup({ flags, manager, events, metrics, log, random, clockSkew }) {
    addGateController({
      manager,
      events,
      log,
      random,
      metrics: prometheusGateMetrics(metrics),
      skewMs: () => clockSkew.ms,
      stateTtlMs: flags.stateTtl,
      auditTtlMs: flags.auditTtl,
      calendarHosts: flags.calendarHosts,
      servesAdmission: false,
    });
    return Promise.resolve(undefined);
  },
});
