import type { FaultEffect, FaultMatch } from '@interlock/forge';
import { githubPlugin } from '../github/plugin.js';
import { createScmRegistry, type ScmRegistry } from '../registry.js';
import type { ContractHarness, ContractWorld, Fault, Target } from './contract-world.js';
import { gitReads } from './git-hands.js';
import { GithubForge, type CredentialKind, type Tenant } from './github-forge.js';
import { GithubHands } from './github-hands.js';

/** @returns the harness of the GitHub plugin, with a GitHub App (check runs) or a token (commit statuses). */
export function githubHarness(kind: CredentialKind): ContractHarness {
  let github: GithubForge | undefined;
  const started = (): GithubForge => {
    if (github === undefined) throw new Error('the harness is not started');
    return github;
  };
  return {
    name: `GitHub, ${kind}`,
    async start() {
      github = await GithubForge.start();
    },
    open: () => openGithubWorld(started(), kind),
    stop: () => started().close(),
  };
}

/** A world of the contract, with what only GitHub has. */
export interface GithubWorld extends ContractWorld {
  readonly registry: ScmRegistry;
  readonly tenant: Tenant;
}

/** @returns the world of the next test. */
export async function openGithubWorld(github: GithubForge, kind: CredentialKind): Promise<GithubWorld> {
  const tenant = await github.tenant(kind);
  const { forge, clock } = github;
  const { provider, secret, gitRepository, login, person } = tenant;
  const { owner, name } = tenant.repository;
  const registry = createScmRegistry({ plugins: [githubPlugin()], clock, random: () => 0.5 });
  const hands = new GithubHands(tenant);
  await hands.commit('main');
  const since = forge.journal.seq;
  return {
    registry,
    tenant,
    clock,
    scm: registry.connect(provider, secret),
    repository: registry.repository(provider, secret, gitRepository),
    person: person.login,
    secrets: Object.values(secret).flatMap((value) => value.match(/\w{20,}/g) ?? []),
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
    loseStatuses: (sha) => hideStatuses(github, tenant, sha),
    inject(target, fault, times) {
      const { path, ...match } = targetsOf(kind)[target];
      const inside = { ...match, actor: login, path: `/api/v3/repos/${owner}/${name}/${path}` };
      forge.faults.add({ match: inside, times, ...faults[fault] });
    },
    writesToChange: () => 1,
    writes: () => forge.journal.count({ since, kind: 'write', actor: login }),
    close: () => registry.close(),
  };
}

/** Paths below the repository. */
function targetsOf(kind: CredentialKind): Record<Target, FaultMatch & { path: string }> {
  return {
    createPullRequest: { method: 'POST', path: 'pulls' },
    mergePullRequest: { method: 'PUT', path: 'pulls/*/merge' },
    writeStatus: { kind: 'write', path: kind === 'app' ? 'check-runs*' : 'statuses/*' },
    readPullRequest: { kind: 'read', path: 'pulls*' },
  };
}

const faults: Record<Fault, FaultEffect> = {
  unauthorized: refusal(401, 'Bad credentials'),
  forbidden: refusal(403, 'Resource not accessible by integration'),
  notFound: refusal(404, 'Not Found'),
  invalid: refusal(422, 'Validation Failed'),
  serverError: refusal(503, 'Service Unavailable'),
  rateLimited: { rateLimit: 'primary' },
  secondaryLimit: { rateLimit: 'secondary' },
  cut: { cutAfterEffect: true },
};

function refusal(status: number, message: string): FaultEffect {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: `${status}` },
  };
}

/** GitHub deletes old check runs and statuses by itself, and nobody can ask it to; so they are only not shown. */
function hideStatuses({ forge }: GithubForge, { login }: Tenant, sha: string): void {
  const hide = (path: string, effect: FaultEffect) =>
    forge.faults.add({ match: { actor: login, method: 'GET', path: `*/${path}` }, ...effect });
  hide(`commits/${sha}/check-runs`, { status: 200, body: { total_count: 0, check_runs: [] } });
  hide('check-runs/*', refusal(404, 'Not Found'));
  hide(`commits/${sha}/status`, { status: 200, body: { state: 'pending', total_count: 0, statuses: [] } });
}
