import type { FaultEffect } from '@interlock/forge';
import { giteaPlugin } from '../gitea/plugin.js';
import type { ScmRegistryOptions } from '../registry.js';
import { forgeHarness, openForgeFixture } from './contract-forge.js';
import type { ContractHarness, ContractFixture, Lack } from './contract-fixture.js';
import { GiteaForge, type SpecOf } from './gitea-forge.js';
import { GiteaActions } from './gitea-actions.js';

/** Returns the harness of the plugin for Gitea and Forgejo, under one of its names. */
export function giteaHarness(name: 'gitea' | 'forgejo'): ContractHarness {
  const plugins = { plugins: [giteaPlugin(name)] };
  return giteaLikeHarness(
    name,
    (section) => ({ [name]: section }),
    () => Promise.resolve(plugins),
    ['mergeQueue'],
  );
}

type Plugins = Pick<ScmRegistryOptions, 'plugins' | 'external'>;

/** Returns the harness of a plugin for a forge with the API of Gitea. */
export function giteaLikeHarness(
  name: string,
  specOf: SpecOf,
  load: () => Promise<Plugins>,
  lacks: readonly Lack[] = [],
): ContractHarness {
  return forgeHarness(
    name,
    () => GiteaForge.start(specOf),
    async (gitea) => openFixture(gitea, await load()),
    lacks,
  );
}

async function openFixture(gitea: GiteaForge, plugins: Plugins): Promise<ContractFixture> {
  const tenant = await gitea.tenant();
  const { forge, clock } = gitea;
  return openForgeFixture({
    forge,
    clock,
    tenant,
    plugins,
    actions: new GiteaActions(tenant),
    home: `/api/v1/repos/${tenant.repository.fullName}`,
    targets: {
      createPullRequest: { method: 'POST', path: 'pulls' },
      mergePullRequest: { method: 'POST', path: 'pulls/*/merge' },
      writeStatus: { method: 'POST', path: 'statuses/*' },
      readPullRequest: { kind: 'read', path: 'pulls*' },
      commitFiles: { method: 'POST', path: 'contents' },
      addComment: { method: 'POST', path: 'issues/*/comments' },
    },
    faults: {
      unauthorized: refusal(401, 'user does not exist [uid: 0, name: ]'),
      forbidden: refusal(403, 'token does not have at least one of required scope(s)'),
      notFound: refusal(404, "The target couldn't be found."),
      invalid: refusal(422, '[Title]: Required'),
      serverError: refusal(503, 'Service Unavailable'),
    },
    loseStatuses: (sha) =>
      void forge.faults.add({
        match: { actor: tenant.login, method: 'GET', path: `*/commits/${sha}/status` },
        status: 200,
        body: { sha, state: '', statuses: null, total_count: 0 },
      }),
  });
}

function refusal(status: number, message: string): FaultEffect {
  return { status, body: { message, url: 'http://127.0.0.1/api/swagger' } };
}
