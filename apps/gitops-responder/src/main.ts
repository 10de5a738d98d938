import { childName } from '@interlock/kube';
import { defaultResponderName } from '@interlock/responding';
import { builtInPlugins, createScmRegistry, prometheusScmMetrics, webhookServer } from '@interlock/scm';
import { hostFlags, runControllers, webhookFlags } from '@interlock/service';
import { durationFlag, integerFlag, stringFlag } from '@interlock/service/flags';
import { addGitOpsResponder } from './app.js';
import { followClusterProviders } from './config/cluster-providers.js';
import { prometheusResponderMetrics } from './metrics.js';
import { Planner } from './planning/planner.js';
import { webhookRoutes } from './webhook/server.js';

await runControllers({
  name: 'gitops-responder',
  description: 'Responds to security detections with pull requests: exactly one for each EventResponse.',
  version: '0.1.0',
  flags: {
    clusterId: stringFlag({ description: 'Id of this cluster, for templates.', default: '' }),
    clusterName: stringFlag({ description: 'Name of this cluster, for templates.', default: '' }),
    configNamespace: stringFlag({
      description: 'Namespace of the GitOpsResponderConfig and of the Secrets that it names.',
      default: 'ugallu-system',
    }),
    responderName: stringFlag({
      description: 'Name of this responder; it handles the EventResponses whose spec.responder.name matches.',
      default: defaultResponderName,
    }),
    maxAttempts: integerFlag({
      description: 'Maximum number of attempts for each response; 0 uses the retry policy of the response.',
      default: '0',
      min: 0,
    }),
    pollInterval: durationFlag({
      description: 'How often an open pull request is read when no webhook arrives.',
      default: '60s',
      minMs: 1000,
    }),
    ...hostFlags,
    ...webhookFlags,
  },
  /* Two responders share no Lease. */
  leaseName: ({ responderName }) =>
    responderName === defaultResponderName
      ? 'gitops-responder'
      : childName('gitops-responder', responderName),
  async setup({ flags, manager, metrics, tracer, log, random, addReadinessCheck, serve }) {
    const clusterProviders =
      flags.scmHosts.length === 0 ? followClusterProviders(manager, random, log) : undefined;
    const registry = createScmRegistry({
      plugins: builtInPlugins(),
      uses: ['contents', 'pullRequests'],
      hosts: {
        allowed: flags.scmHosts,
        allowHttp: flags.allowHttp,
        clusterProviders: () => clusterProviders?.list(),
      },
      metrics: prometheusScmMetrics(metrics),
    });
    const planner = new Planner();
    const { config, webhooks } = addGitOpsResponder({
      manager,
      log,
      metrics: prometheusResponderMetrics(metrics),
      tracer,
      random,
      registry,
      planner,
      onHostsChange: (handler) => clusterProviders?.onChange(handler),
      cluster: { id: flags.clusterId, name: flags.clusterName },
      configNamespace: flags.configNamespace,
      responderName: flags.responderName,
      maxAttempts: flags.maxAttempts,
      pollIntervalMs: flags.pollInterval,
    });
    addReadinessCheck('configuration', () => config.inUse !== undefined);
    await serve({ ...webhookServer, address: flags.webhookBindAddress, routes: webhookRoutes(webhooks) });
    return async () => {
      await planner.close();
      await registry.close();
    };
  },
});
