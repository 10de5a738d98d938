import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runControllers } from '@interlock/service';
import { addAgc } from './app.js';
import { agcFlags } from './flags.js';
import { credentialFolder } from './github/credential-folder.js';
import { connectGithub } from './github/connect.js';
import { prometheusBrokerMetrics } from './github/metrics.js';
import { pollChecks } from './group/poll-checks.js';
import { prometheusAgcMetrics } from './metrics.js';
import { workerSettings } from './worker-pod/settings.js';
import { addWorkerProgram } from './worker-pod/worker-program.js';

const besideThis = join(dirname(fileURLToPath(import.meta.url)), 'worker.mjs');

await runControllers({
  name: 'agc',
  description: 'Runs the GitHub Actions jobs of one tenant, each in its own worker pod.',
  version: '0.1.0',
  flags: agcFlags,
  sharesByLeases: true,
  /* Deadlines of worker pods are counted from times that the API server has set. */
  usesServerTime: true,
  async setup({
    flags,
    manager,
    metrics,
    log,
    tracer,
    random,
    events,
    identity,
    addReadinessCheck,
    addLivenessCheck,
  }) {
    const { namespace } = flags;
    const credential = credentialFolder(flags.githubAppSecretDir);
    const broker = connectGithub({
      flags,
      credential,
      clock: manager.clock,
      metrics: prometheusBrokerMetrics(metrics, namespace),
      log,
      random,
    });
    const program = readFileSync(flags.workerProgram === '' ? besideThis : flags.workerProgram, 'utf8');
    const worker = workerSettings(flags, addWorkerProgram(manager, log, namespace, program));
    const groups = addAgc({
      ...{ manager, log, tracer, events, random, namespace, identity, broker, worker },
      metrics: prometheusAgcMetrics(metrics, namespace),
      runnerVersion: flags.runnerVersion,
      runnerArchitecture: flags.runnerArchitecture,
      runnerGroupId: flags.runnerGroupId,
    });
    const checks = pollChecks(groups, manager.clock, flags.pollWatchdog);
    addReadinessCheck('polls', checks.ready);
    addLivenessCheck('polls', checks.alive);
    return () => broker.close();
  },
});
