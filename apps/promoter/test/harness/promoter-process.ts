import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@interlock/base';
import type { LogLine } from '@interlock/base/testing';
import { createGit } from '@interlock/git';
import { TestManager } from '@interlock/kube/testing';
import {
  AccountHealth,
  builtInPlugins,
  createScmRegistry,
  type ScmPlugin,
  type ScmRegistryOptions,
} from '@interlock/scm';
import type { Platform } from '@interlock/stack';
import { addPromoter } from '../../src/app.js';
import { prometheusPromotionMetrics } from '../../src/promotion/prometheus.js';
import type { WebhookDependencies } from '../../src/webhook/handler.js';

export interface PromoterProcessOptions {
  /** The git program. */
  gitPath?: string;
  /** Milliseconds between two reads of a remote. Default: ten minutes, because tests trigger reads themselves. */
  pollIntervalMs?: number;
  dispatcher?: ScmRegistryOptions['dispatcher'];
  /** Directories in which providers may use repositories. */
  localRoots?: readonly string[];
  /** External plugins. */
  external?: readonly ScmPlugin[];
}

/** The promoter, wired as in its own process but running in this one, without flags or leader election. */
export interface PromoterProcess {
  readonly webhooks: WebhookDependencies;
  readonly log: readonly LogLine[];
  /** Returns the metrics in Prometheus' text format. */
  scrape(): Promise<string>;
  /** Returns the names of the folders of its mirrors. */
  mirrors(): Promise<string[]>;
  /** Waits until the process is idle. `before` awaits other work first. */
  rest(before: () => Promise<void>): Promise<void>;
  /** Stops as on SIGTERM, and deletes its mirrors. @throws the error of the manager. */
  stop(): Promise<void>;
}

const pollIntervalMs = 600_000;

export async function startPromoter(
  platform: Platform,
  clock: Clock,
  options: PromoterProcessOptions = {},
): Promise<PromoterProcess> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'promoter-test-'));
  const client = platform.connect('promoter');
  const process = new TestManager(client, clock, 'promoter');
  const { manager, log, random, registry } = process;
  const { gitPath, dispatcher, localRoots = [] } = options;
  const git = createGit({ cacheDir, transports: ['http'], gitPath });
  const health = new AccountHealth(clock);
  const scm = createScmRegistry({
    plugins: builtInPlugins({ clock, localRoots }),
    external: options.external ?? [],
    uses: ['contents', 'pullRequests'],
    clock,
    random,
    health,
    dispatcher,
  });
  const webhooks = addPromoter({
    manager,
    git,
    registry: scm,
    health,
    metrics: prometheusPromotionMetrics(registry),
    log,
    random,
    pollIntervalMs: options.pollIntervalMs ?? pollIntervalMs,
  });
  process.run();
  return {
    webhooks,
    log: log.lines,
    scrape: () => registry.metrics(),
    mirrors: () => readdir(cacheDir),
    rest: (before) => process.rest(before),
    async stop() {
      try {
        await process.stop();
      } finally {
        git.close();
        await scm.close();
        await rm(cacheDir, { recursive: true, force: true });
      }
    },
  };
}
