import { ClusterScmProvider } from '@interlock/api';
import { builtInPlugins, createScmRegistry, loadScmPlugins, prometheusScmMetrics } from '@interlock/scm';
import { hostFlags, pluginFlags, runControllers } from '@interlock/service';
import { durationFlag } from '@interlock/service/flags';
import { addCommitStatusSync } from './app.js';

await runControllers({
  name: 'commit-status-sync',
  description:
    'Mirrors CommitStatuses to the source code management system, and derives CommitStatuses from health and time.',
  version: '0.1.0',
  flags: {
    commitStatusTtl: durationFlag({
      description:
        'How long a CommitStatus is kept after its commit is no longer proposed or active; 0 keeps it forever.',
      default: '24h',
    }),
    ...hostFlags,
    ...pluginFlags,
  },
  async setup({ flags, manager, metrics, log, random }) {
    const clusterProviders = manager.cache(ClusterScmProvider);
    const registry = createScmRegistry({
      plugins: builtInPlugins({ localRoots: flags.localRepositories }),
      external: await loadScmPlugins(flags.scmPlugin),
      uses: ['statuses'],
      hosts: {
        allowed: flags.scmHosts,
        allowHttp: flags.allowHttp,
        clusterProviders: () => (clusterProviders.hasSynced ? clusterProviders.list() : undefined),
      },
      metrics: prometheusScmMetrics(metrics),
    });
    addCommitStatusSync({ manager, registry, log, random, commitStatusTtlMs: flags.commitStatusTtl });
    return () => registry.close();
  },
});
