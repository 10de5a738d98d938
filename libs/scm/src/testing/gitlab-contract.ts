import type { FaultEffect, FaultMatch } from '@interlock/forge';
import { gitlabPlugin } from '../gitlab/plugin.js';
import { createScmRegistry } from '../registry.js';
import type { ContractHarness, ContractWorld, Fault, Target } from './contract-world.js';
import { gitReads } from './git-hands.js';
import { GitlabForge, type GitlabTenant } from './gitlab-forge.js';
import { GitlabHands } from './gitlab-hands.js';

/** @returns the harness of the GitLab plugin. */
export function gitlabHarness(): ContractHarness {
  let gitlab: GitlabForge | undefined;
  const started = (): GitlabForge => {
    if (gitlab === undefined) throw new Error('the harness is not started');
    return gitlab;
  };
  return {
    name: 'GitLab',
    async start() {
      gitlab = await GitlabForge.start();
    },
    open: () => openGitlabWorld(started()),
    stop: () => started().close(),
  };
}

/** A world of the contract, with what only GitLab has. */
export interface GitlabWorld extends ContractWorld {
  readonly tenant: GitlabTenant;
}

/** @returns the world of the next test. */
export async function openGitlabWorld(gitlab: GitlabForge): Promise<GitlabWorld> {
  const tenant = await gitlab.tenant();
  const { forge, clock } = gitlab;
  const { provider, secret, gitRepository, login, person } = tenant;
  const project = `/api/v4/projects/${encodeURIComponent(tenant.repository.fullName)}`;
  const registry = createScmRegistry({ plugins: [gitlabPlugin({ clock })], clock, random: () => 0.5 });
  const hands = new GitlabHands(tenant);
  await hands.commit('main');
  const since = forge.journal.seq;
  return {
    tenant,
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
    // GitLab asks for a pipeline that succeeded, whichever statuses it is made of.
    async protect() {
      await hands.requirePipeline();
      return 'ci_must_pass';
    },
    forbidMethod: (method) => hands.forbid(method),
    pullRequests: () => hands.pullRequests(),
    status: (sha, name) => hands.status(sha, name),
    loseStatuses: (sha) =>
      void forge.faults.add({
        match: { actor: login, method: 'GET', path: `*/commits/${sha}/statuses` },
        status: 200,
        body: [],
      }),
    inject(target, fault, times) {
      const { path, ...match } = targets[target];
      forge.faults.add({
        match: { ...match, actor: login, path: `${project}/${path}` },
        times,
        ...faults[fault],
      });
    },
    // What is unfinished keeps its text, and what runs does not wait again: such a status is cancelled first.
    writesToChange: (from, to) => (replaced.has(`${from} ${to}`) ? 2 : 1),
    writes: () => forge.journal.count({ since, kind: 'write', actor: login }),
    close: () => registry.close(),
  };
}

const replaced = new Set(['queued queued', 'in_progress in_progress', 'in_progress queued']);

/** Paths below the project. */
const targets: Record<Target, FaultMatch & { path: string }> = {
  createPullRequest: { method: 'POST', path: 'merge_requests' },
  mergePullRequest: { method: 'PUT', path: 'merge_requests/*/merge' },
  writeStatus: { method: 'POST', path: 'statuses/*' },
  readPullRequest: { kind: 'read', path: 'merge_requests*' },
};

const faults: Record<Fault, FaultEffect> = {
  unauthorized: refusal(401, '401 Unauthorized'),
  forbidden: refusal(403, '403 Forbidden'),
  notFound: refusal(404, '404 Not found'),
  invalid: refusal(400, { base: ['is invalid'] }),
  serverError: refusal(503, '503 Service Unavailable'),
  rateLimited: { rateLimit: 'primary' },
  // GitLab's limits of single features tell no time.
  secondaryLimit: { rateLimit: 'secondary' },
  cut: { cutAfterEffect: true },
};

function refusal(status: number, message: unknown): FaultEffect {
  return { status, body: { message } };
}
