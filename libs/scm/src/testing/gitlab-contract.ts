import type { FaultEffect } from '@interlock/forge';
import { gitlabPlugin } from '../gitlab/plugin.js';
import { forgeHarness, openForgeFixture } from './contract-forge.js';
import type { ContractHarness, ContractFixture } from './contract-fixture.js';
import { GitlabForge, type GitlabTenant } from './gitlab-forge.js';
import { GitlabActions } from './gitlab-actions.js';

/** Returns the harness of the GitLab plugin. */
export function gitlabHarness(): ContractHarness {
  return forgeHarness('GitLab', () => GitlabForge.start(), openGitlabFixture);
}

/** A fixture of the contract, with the specifics of GitLab. */
export interface GitlabContractFixture extends ContractFixture {
  readonly tenant: GitlabTenant;
}

/** Returns the fixture of the next test. */
export async function openGitlabFixture(gitlab: GitlabForge): Promise<GitlabContractFixture> {
  const tenant = await gitlab.tenant();
  const { forge, clock } = gitlab;
  const actions = new GitlabActions(tenant);
  const fixture = await openForgeFixture({
    forge,
    clock,
    tenant,
    plugins: { plugins: [gitlabPlugin({ clock })] },
    actions,
    home: `/api/v4/projects/${encodeURIComponent(tenant.repository.fullName)}`,
    targets: {
      createPullRequest: { method: 'POST', path: 'merge_requests' },
      mergePullRequest: { method: 'PUT', path: 'merge_requests/*/merge' },
      writeStatus: { method: 'POST', path: 'statuses/*' },
      readPullRequest: { kind: 'read', path: 'merge_requests*' },
      commitFiles: { method: 'POST', path: 'repository/commits' },
      addComment: { method: 'POST', path: 'merge_requests/*/notes' },
    },
    faults: {
      unauthorized: refusal(401, '401 Unauthorized'),
      forbidden: refusal(403, '403 Forbidden'),
      notFound: refusal(404, '404 Not found'),
      invalid: refusal(400, { base: ['is invalid'] }),
      serverError: refusal(503, '503 Service Unavailable'),
    },
    loseStatuses: (sha) =>
      void forge.faults.add({
        match: { actor: tenant.login, method: 'GET', path: `*/commits/${sha}/statuses` },
        status: 200,
        body: [],
      }),
  });
  return {
    ...fixture,
    tenant,
    // GitLab requires a successful pipeline, whatever its statuses are.
    async protect() {
      await actions.requirePipeline();
      return 'ci_must_pass';
    },
    requireQueue: () => {
      const { owner, name } = tenant.repository;
      return forge.configureRepository({ owner, name, mergeTrains: true });
    },
    // An unfinished status keeps its text, and a running one cannot wait again, so it is cancelled first.
    writesToChange: (from, to) => (replaced.has(`${from} ${to}`) ? 2 : 1),
  };
}

const replaced = new Set(['queued queued', 'in_progress in_progress', 'in_progress queued']);

function refusal(status: number, message: unknown): FaultEffect {
  return { status, body: { message } };
}
