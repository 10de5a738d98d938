import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BareFolder, FakeClock } from '@interlock/base/testing';
import { localPlugin } from '../local/plugin.js';
import { noScmMetrics, type ScmMetrics } from '../metrics.js';
import { createScmRegistry } from '../registry.js';
import type { ContractHarness, ContractFixture, Target } from './contract-fixture.js';
import { FaultyGit } from './faulty-git.js';
import { gitReads } from './git-user.js';
import { LocalActions } from './local-actions.js';
import { userActions } from './user-actions.js';

/** The git command on which each operation depends. */
const subcommands: Record<Target, string> = {
  createPullRequest: 'update-ref',
  mergePullRequest: 'update-ref',
  writeStatus: 'update-ref',
  readPullRequest: 'cat-file',
  commitFiles: 'update-ref',
  addComment: 'update-ref',
};
const reads = new Set(['get', 'list']);

/** Returns the harness of the plugin for repositories in a directory. */
export function localHarness(): ContractHarness {
  let root = '';
  let program: FaultyGit | undefined;
  let fixtures = 0;
  return {
    name: 'local',
    lacks: ['rateLimits', 'credentials', 'reviewers', 'upToDate', 'approvals', 'mergeQueue', 'headDeletion'],
    async start() {
      root = await mkdtemp(join(tmpdir(), 'local-scm-'));
      program = await FaultyGit.create();
    },
    async open() {
      if (program === undefined) throw new Error('the harness is not started');
      await program.clear();
      return openLocalFixture(root, `acme/web-${++fixtures}`, program);
    },
    async stop() {
      await rm(root, { recursive: true, force: true });
      await program?.remove();
    },
  };
}

async function openLocalFixture(root: string, name: string, program: FaultyGit): Promise<ContractFixture> {
  const namespace = 'team';
  const home = join(root, namespace);
  const path = join(home, `${name}.git`);
  new BareFolder(path).init();
  const user = 'ann';
  const actions = new LocalActions(path, user);
  await actions.commit('main');
  const clock = new FakeClock();
  let writes = 0;
  const metrics: ScmMetrics = {
    ...noScmMetrics,
    called: (_caller, { operation }) => void (writes += reads.has(operation) ? 0 : 1),
  };
  const plugins = [localPlugin({ roots: [root], gitPath: program.path })];
  const registry = createScmRegistry({ plugins, clock, random: () => 0.5, metrics });
  const metadata = { name: 'acme', namespace };
  const provider = { kind: 'ScmProvider', metadata, spec: { local: { path: home } } };
  const gitRepository = { kind: 'GitRepository', metadata, spec: { local: { name } } };
  return {
    clock,
    scm: registry.connect(provider, {}),
    repository: registry.repository(provider, {}, gitRepository),
    user,
    secrets: [],
    path,
    gitReads,
    ...userActions(actions),
    async protect(branch, status) {
      await actions.configure(`interlock.${branch}.requiredStatus`, status);
      return status;
    },
    requireUpToDate: () => absentRule(),
    requireApproval: () => absentRule(),
    approve: () => absentRule(),
    requireQueue: () => absentRule(),
    advanceQueue: () => absentRule(),
    dropFromQueue: () => absentRule(),
    deleteMergedHeads: () => absentRule(),
    forbidMethod: async (method) => {
      for (const other of ['merge', 'squash', 'rebase']) {
        if (other !== method) await actions.configure('interlock.mergeMethod', other);
      }
    },
    reviewers: () => Promise.resolve([]),
    loseStatuses: (sha) => rmSync(join(path, `refs/interlock/statuses/${sha}`)),
    inject: (target, fault, times) => program.inject(subcommands[target], fault, times),
    writesToChange: () => 1,
    writes: () => writes,
    close: () => registry.close(),
  };
}

/** Rejects: a repository in a folder has rules about statuses and methods only. */
function absentRule(): Promise<never> {
  return Promise.reject(new Error('there is no such rule'));
}
