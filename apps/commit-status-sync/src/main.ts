import {
  createScmRegistry,
  githubPlugin,
  gitlabPlugin,
  prometheusScmMetrics,
  RepositoryResolver,
} from '@interlock/scm';
import { runControllers } from '@interlock/service';
import { addCommitStatusController } from './commit-status/controller.js';

await runControllers({
  name: 'commit-status-sync',
  description: 'Mirrors CommitStatuses to the source code management system.',
  version: '0.1.0',
  flags: {},
  setup({ manager, metrics }) {
    const registry = createScmRegistry({
      plugins: [githubPlugin(), gitlabPlugin()],
      metrics: prometheusScmMetrics(metrics),
    });
    addCommitStatusController(manager, new RepositoryResolver(manager.client, registry));
    return Promise.resolve(() => registry.close());
  },
});
