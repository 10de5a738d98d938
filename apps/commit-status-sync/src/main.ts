import { builtInPlugins, createScmRegistry, loadScmPlugins, prometheusScmMetrics } from '@interlock/scm';
import { durationFlag, listFlag, runControllers } from '@interlock/service';
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
    scmPlugin: listFlag({
      description: 'Module of a further SCM plugin, a path or a package; may be repeated.',
      default: '',
    }),
    localRepositories: listFlag({
      description: 'Directory in which providers may use repositories (spec.local); may be repeated.',
      default: '',
    }),
  },
  async setup({ flags, manager, events, metrics, log, random }) {
    const registry = createScmRegistry({
      plugins: builtInPlugins({ localRoots: flags.localRepositories }),
      external: await loadScmPlugins(flags.scmPlugin),
      metrics: prometheusScmMetrics(metrics),
    });
    addCommitStatusSync({ manager, events, registry, log, random, commitStatusTtlMs: flags.commitStatusTtl });
    return () => registry.close();
  },
});
