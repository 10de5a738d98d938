import { ClusterScmProvider } from '@interlock/api';
import { createGit } from '@interlock/git';
import {
  AccountHealth,
  builtInPlugins,
  createScmRegistry,
  loadScmPlugins,
  prometheusScmMetrics,
  webhookServer,
} from '@interlock/scm';
import { hostFlags, pluginFlags, runControllers, webhookFlags } from '@interlock/service';
import { durationFlag, integerFlag, stringFlag } from '@interlock/service/flags';
import { addPromoter } from './app.js';
import { prometheusPromotionMetrics } from './promotion/prometheus.js';
import { webhookRoutes } from './webhook/server.js';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 * mebibyte;

await runControllers({
  name: 'promoter',
  description: 'Promotes changes from environment to environment by pull request.',
  version: '0.1.0',
  flags: {
    pollInterval: durationFlag({
      description: 'How often a repository is read when no webhook arrives.',
      default: '60s',
      minMs: 1000,
    }),
    cacheDir: stringFlag({
      description: 'Folder of the repository mirrors; may be emptied at any time.',
      default: '/var/cache/promoter',
    }),
    cacheMaxGibibytes: integerFlag({
      description: 'Maximum size of all mirrors together.',
      default: '10',
      min: 1,
    }),
    gitProcessMebibytes: integerFlag({
      description:
        'Maximum memory of a git process; all git processes together use at most three times as much. Requires prlimit of util-linux.',
      default: '256',
      min: 64,
    }),
    ...hostFlags,
    ...pluginFlags,
    git: stringFlag({ description: 'The git program, 2.38 or newer.', default: 'git' }),
    ...webhookFlags,
  },
  async setup({ flags, manager, metrics, log, random, serve }) {
    const git = createGit({
      cacheDir: flags.cacheDir,
      maxBytes: flags.cacheMaxGibibytes * gibibyte,
      maxMirrorBytes: Math.ceil((flags.cacheMaxGibibytes * gibibyte) / 4),
      maxProcessBytes: flags.gitProcessMebibytes * mebibyte,
      transports: flags.allowHttp ? ['https', 'http'] : ['https'],
      gitPath: flags.git,
      metrics,
      log,
    });
    const clusterProviders = manager.cache(ClusterScmProvider);
    const health = new AccountHealth(manager.clock);
    const registry = createScmRegistry({
      plugins: builtInPlugins({ localRoots: flags.localRepositories }),
      external: await loadScmPlugins(flags.scmPlugin),
      uses: ['contents', 'pullRequests'],
      hosts: {
        allowed: flags.scmHosts,
        allowHttp: flags.allowHttp,
        clusterProviders: () => (clusterProviders.hasSynced ? clusterProviders.list() : undefined),
      },
      metrics: prometheusScmMetrics(metrics),
      health,
    });
    const webhooks = addPromoter({
      manager,
      git,
      registry,
      health,
      metrics: prometheusPromotionMetrics(metrics),
      log,
      random,
      pollIntervalMs: flags.pollInterval,
    });
    await serve({ ...webhookServer, address: flags.webhookBindAddress, routes: webhookRoutes(webhooks) });
    return async () => {
      git.close();
      await registry.close();
    };
  },
});
