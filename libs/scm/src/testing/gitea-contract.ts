import type { FaultEffect, FaultMatch } from '@interlock/forge';
import { giteaPlugin } from '../gitea/plugin.js';
import { createScmRegistry, type ScmRegistryOptions } from '../registry.js';
import type { ContractHarness, ContractWorld, Fault, Target } from './contract-world.js';
import { gitReads } from './git-hands.js';
import { GiteaForge, type SpecOf } from './gitea-forge.js';
import { GiteaHands } from './gitea-hands.js';

/** @returns the harness of the plugin for Gitea and Forgejo, under one of its names. */
export function giteaHarness(name: 'gitea' | 'forgejo'): ContractHarness {
  const plugins = { plugins: [giteaPlugin(name)] };
  return giteaLikeHarness(
    name,
    (section) => ({ [name]: section }),
    () => Promise.resolve(plugins),
  );
}

type Plugins = Pick<ScmRegistryOptions, 'plugins' | 'external'>;

/** @returns the harness of a plugin for a forge whose API is that of Gitea. */
export function giteaLikeHarness(
  name: string,
  specOf: SpecOf,
  load: () => Promise<Plugins>,
): ContractHarness {
  let plugins: Plugins = { plugins: [] };
  let gitea: GiteaForge | undefined;
  const started = (): GiteaForge => {
    if (gitea === undefined) throw new Error('the harness is not started');
    return gitea;
  };
  return {
    name,
    async start() {
      plugins = await load();
      gitea = await GiteaForge.start(specOf);
    },
    open: () => openWorld(started(), plugins),
    stop: () => started().close(),
  };
}

async function openWorld(gitea: GiteaForge, plugins: Plugins): Promise<ContractWorld> {
  const tenant = await gitea.tenant();
  const { forge, clock } = gitea;
  const { provider, secret, gitRepository, login, person } = tenant;
  const { owner, name, fullName } = tenant.repository;
  const home = `/api/v1/repos/${fullName}`;
  const registry = createScmRegistry({ ...plugins, clock, random: () => 0.5 });
  const hands = new GiteaHands(tenant);
  await hands.commit('main');
  const since = forge.journal.seq;
  return {
    clock,
    scm: registry.connect(provider, secret),
    repository: registry.repository(provider, secret, gitRepository),
    person: person.login,
    secrets: Object.values(secret),
    gitReads,
    commit: (branch) => hands.commit(branch),
    open: (head, base) => hands.open(head, base),
    closePullRequest: (id) => hands.close(id),
    merge: (id) => hands.merge(id),
    conflict: (id) => hands.conflict(id),
    async protect(branch, status) {
      await forge.protectBranch({ owner, name, branch, requiredStatusChecks: [status] });
      return status;
    },
    forbidMethod: (method) => hands.forbid(method),
    pullRequests: () => hands.pullRequests(),
    status: (sha, context) => hands.status(sha, context),
    loseStatuses: (sha) =>
      void forge.faults.add({
        match: { actor: login, method: 'GET', path: `*/commits/${sha}/status` },
        status: 200,
        body: { sha, state: '', statuses: null, total_count: 0 },
      }),
    inject(target, fault, times) {
      const { path, ...match } = targets[target];
      forge.faults.add({
        match: { ...match, actor: login, path: `${home}/${path}` },
        times,
        ...faults[fault],
      });
    },
    writesToChange: () => 1,
    writes: () => forge.journal.count({ since, kind: 'write', actor: login }),
    close: () => registry.close(),
  };
}

/** Paths below the repository. */
const targets: Record<Target, FaultMatch & { path: string }> = {
  createPullRequest: { method: 'POST', path: 'pulls' },
  mergePullRequest: { method: 'POST', path: 'pulls/*/merge' },
  writeStatus: { method: 'POST', path: 'statuses/*' },
  readPullRequest: { kind: 'read', path: 'pulls*' },
};

const faults: Record<Fault, FaultEffect> = {
  unauthorized: refusal(401, 'user does not exist [uid: 0, name: ]'),
  forbidden: refusal(403, 'token does not have at least one of required scope(s)'),
  notFound: refusal(404, "The target couldn't be found."),
  invalid: refusal(422, '[Title]: Required'),
  serverError: refusal(503, 'Service Unavailable'),
  rateLimited: { rateLimit: 'primary' },
  secondaryLimit: { rateLimit: 'secondary' },
  cut: { cutAfterEffect: true },
};

function refusal(status: number, message: string): FaultEffect {
  return { status, body: { message, url: 'http://127.0.0.1/api/swagger' } };
}
