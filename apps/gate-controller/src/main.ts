import { certificateFiles, runControllers } from '@interlock/service';
import { addAdmission } from './admission/serve.js';
import { addGateController } from './app.js';
import { auditSignerOf, gateFlags } from './flags.js';
import { addGateEndpoint } from './http/serve.js';
import { prometheusGateMetrics } from './metrics.js';

await runControllers({
  name: 'gate-controller',
  description:
    'Opens and closes gates based on schedules, calendars, resources and overrides, and holds the objects that are bound to them.',
  version: '0.1.0',
  flags: gateFlags,
  setup({ flags, manager, events, metrics, log, random, clockSkew, addReadinessCheck }) {
    const { caches, reader } = addGateController({
      manager,
      events,
      log,
      random,
      metrics: prometheusGateMetrics(metrics),
      skewMs: () => clockSkew.ms,
      stateTtlMs: flags.stateTtl,
      auditTtlMs: flags.auditTtl,
      calendarHosts: flags.calendarHosts,
      sign: auditSignerOf(flags.auditKeyFile),
      servesAdmission: flags.admissionBindAddress !== undefined,
    });
    if (flags.admissionBindAddress !== undefined) {
      const server = addAdmission(manager, caches, log, metrics, {
        address: flags.admissionBindAddress,
        namespace: flags.namespace,
        service: flags.admissionService,
        secret: flags.admissionSecret,
        configuration: flags.admissionConfiguration,
        authorizesOverrides: flags.authorizeOverrides,
        clockSkew,
        ...certificateFiles('admission', flags.admissionCertFile, flags.admissionKeyFile),
      });
      addReadinessCheck(server.name, () => server.isServing());
    }
    if (flags.gatesBindAddress !== undefined) {
      const server = addGateEndpoint(manager, reader, log, {
        address: flags.gatesBindAddress,
        ...certificateFiles('gates', flags.gatesCertFile, flags.gatesKeyFile),
      });
      addReadinessCheck(server.name, () => server.isServing());
    }
    return Promise.resolve(undefined);
  },
});
