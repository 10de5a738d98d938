import { ClusterScmProvider } from '@interlock/api';
import { builtInPlugins, createScmRegistry, loadScmPlugins, prometheusScmMetrics } from '@interlock/scm';
import { booleanFlag, durationFlag, listFlag, runControllers } from '@interlock/service';
import { addCommitStatusSync } from './app.js';

await runControllers({
  name: 'commit-status-sync',
  description:
    'Mirrors CommitStatuses to the source code management system, and writes them from health and time.',
  version: '0.1.0',
  flags: {
    commitStatusTtl: durationFlag({
      description:
        'How long a CommitStatus is kept after nothing proposes or runs its commit any more; 0: for ever.',
      default: '24h',
    }),
    scmHosts: listFlag({
      description:
        'Host of an SCM or git server that may be reached (git.example.com, with its port where it is not the usual one); may be repeated. Default: github.com, gitlab.com and the hosts of ClusterScmProviders.',
      default: '',
    }),
    allowHttp: booleanFlag({
      description: 'Reach SCMs and git servers without TLS, where their provider says http://.',
    }),
    scmPlugin: listFlag({
      description: 'Module of a further SCM plugin, a path or a package; may be repeated.',
      default: '',
    }),
    localRepositories: listFlag({
      description: 'Directory in which providers may use repositories (spec.local); may be repeated.',
      default: '',
    }),
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
