import { createScmRegistry, githubPlugin, prometheusScmMetrics } from '@interlock/scm';
import { durationFlag, runControllers } from '@interlock/service';
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
  },
  setup({ flags, manager, events, metrics, log, random }) {
    const registry = createScmRegistry({ plugins: [githubPlugin()], metrics: prometheusScmMetrics(metrics) });
    addCommitStatusSync({ manager, events, registry, log, random, commitStatusTtlMs: flags.commitStatusTtl });
    return Promise.resolve(() => registry.close());
  },
});
