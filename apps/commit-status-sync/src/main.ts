import {
  builtInPlugins,
  createScmRegistry,
  loadScmPlugins,
  prometheusScmMetrics,
  RepositoryResolver,
} from '@interlock/scm';
import { listFlag, runControllers } from '@interlock/service';
import { addCommitStatusController } from './commit-status/controller.js';

await runControllers({
  name: 'commit-status-sync',
  description: 'Mirrors CommitStatuses to the source code management system.',
  version: '0.1.0',
  flags: {
    scmPlugin: listFlag({
      description: 'Module of a further SCM plugin, a path or a package; may be repeated.',
      default: '',
    }),
    localRepositories: listFlag({
      description: 'Directory in which providers may use repositories (spec.local); may be repeated.',
      default: '',
    }),
  },
  async setup({ flags, manager, metrics }) {
    const registry = createScmRegistry({
      plugins: builtInPlugins({ localRoots: flags.localRepositories }),
      external: await loadScmPlugins(flags.scmPlugin),
      metrics: prometheusScmMetrics(metrics),
    });
    addCommitStatusController(manager, new RepositoryResolver(manager.client, registry));
    return () => registry.close();
  },
});
