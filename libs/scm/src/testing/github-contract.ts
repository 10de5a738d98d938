import type { FaultEffect, FaultMatch } from '@interlock/forge';
import { githubPlugin } from '../github/plugin.js';
import type { ScmRegistry } from '../registry.js';
import { forgeHarness, openForgeFixture } from './contract-forge.js';
import type { ContractHarness, ContractFixture, Target } from './contract-fixture.js';
import { GithubForge, type CredentialKind, type Tenant } from './github-forge.js';
import { GithubActions } from './github-actions.js';

/** Returns the harness of the GitHub plugin, with a GitHub App (check runs) or a token (commit statuses). */
export function githubHarness(kind: CredentialKind): ContractHarness {
  return forgeHarness(
    `GitHub, ${kind}`,
    () => GithubForge.start(),
    (github) => openGithubFixture(github, kind),
  );
}

/** A fixture of the contract, with the specifics of GitHub. */
export interface GithubContractFixture extends ContractFixture {
  readonly registry: ScmRegistry;
  readonly tenant: Tenant;
}

/** Returns the fixture of the next test. */
export async function openGithubFixture(
  github: GithubForge,
  kind: CredentialKind,
): Promise<GithubContractFixture> {
  const tenant = await github.tenant(kind);
  const { forge, clock } = github;
  const fixture = await openForgeFixture({
    forge,
    clock,
    tenant,
    plugins: { plugins: [githubPlugin()] },
    actions: new GithubActions(tenant),
    home: `/api/v3/repos/${tenant.repository.fullName}`,
    targets: targetsOf(kind),
    faults: {
      unauthorized: refusal(401, 'Bad credentials'),
      forbidden: refusal(403, 'Resource not accessible by integration'),
      notFound: refusal(404, 'Not Found'),
      invalid: refusal(422, 'Validation Failed'),
      serverError: refusal(503, 'Service Unavailable'),
    },
    loseStatuses: (sha) => hideStatuses(github, tenant, sha),
  });
  return { ...fixture, tenant };
}

function targetsOf(kind: CredentialKind): Record<Target, FaultMatch & { path: string }> {
  return {
    createPullRequest: { method: 'POST', path: 'pulls' },
    mergePullRequest: { method: 'PUT', path: 'pulls/*/merge' },
    writeStatus: { kind: 'write', path: kind === 'app' ? 'check-runs*' : 'statuses/*' },
    readPullRequest: { kind: 'read', path: 'pulls*' },
    commitFiles: { method: 'POST', path: 'git/refs' },
    addComment: { method: 'POST', path: 'issues/*/comments' },
  };
}

function refusal(status: number, message: string): FaultEffect {
  return {
    status,
    body: { message, documentation_url: 'https://docs.github.com/rest', status: `${status}` },
  };
}

/** Hides the statuses of a commit. GitHub deletes old check runs and statuses itself, which cannot be requested. */
function hideStatuses({ forge }: GithubForge, { login }: Tenant, sha: string): void {
  const hide = (path: string, effect: FaultEffect) =>
    forge.faults.add({ match: { actor: login, method: 'GET', path: `*/${path}` }, ...effect });
  hide(`commits/${sha}/check-runs`, { status: 200, body: { total_count: 0, check_runs: [] } });
  hide('check-runs/*', refusal(404, 'Not Found'));
  hide(`commits/${sha}/status`, { status: 200, body: { state: 'pending', total_count: 0, statuses: [] } });
}
