import { generateKeyPairSync } from 'node:crypto';
import type { CommitStatusPhase } from '@interlock/api';
import { githubPlugin } from '../github/plugin.js';
import { createScmRegistry } from '../registry.js';
import type { ContractHarness, ContractWorld } from './contract-world.js';
import { FakeClock } from './fake-clock.js';
import { GithubModel } from './github-model.js';
import { GithubServer } from './github-server.js';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** @returns the harness of the GitHub plugin, with a GitHub App (check runs) or a token (commit statuses). */
export function githubHarness(credential: 'app' | 'token'): ContractHarness {
  return { name: `GitHub, ${credential}`, start: async () => (await githubWorld(credential)).world };
}

/** @returns a world of the contract, and the model of GitHub in it, for cases that only GitHub has. */
export async function githubWorld(
  credential: 'app' | 'token',
): Promise<{ world: ContractWorld; model: GithubModel }> {
  const clock = new FakeClock();
  const model = new GithubModel(clock);
  const server = await new GithubServer(model).start();
  const registry = createScmRegistry({ plugins: [githubPlugin()], clock, random: () => 0.5 });
  const provider = {
    kind: 'ScmProvider',
    metadata: { name: 'acme', namespace: 'team' },
    spec: {
      github: { domain: server.url, ...(credential === 'app' ? { appID: model.statuses.appId } : {}) },
    },
  };
  const secret: Record<string, string> =
    credential === 'app' ? { githubAppPrivateKey: privateKey } : { token: model.token };
  const gitRepository = {
    metadata: { name: 'web', namespace: 'team' },
    spec: { github: { owner: 'acme', name: 'web' } },
  };
  const world: ContractWorld = {
    clock,
    scm: registry.connect(provider, secret),
    repository: registry.repository(provider, secret, gitRepository),
    secrets: [model.token, model.appToken, privateKey.slice(30, 90)],
    ...persons(model),
    ...truth(model, credential),
    inject: (target, fault, times) => server.inject(target, fault, times),
    writes: () =>
      server.seen.filter(({ method, path }) => method !== 'GET' && !path.includes('/app/')).length,
    async stop() {
      await registry.close();
      await server.close();
    },
  };
  return { world, model };
}

function persons(model: GithubModel) {
  return {
    commit: (branch: string) => model.commit(branch),
    open(
      head: string,
      base: string,
      { fork = false, title = 'by hand' }: { fork?: boolean; title?: string } = {},
    ) {
      model.create({ head, base, title, body: 'by hand' }, { fork });
      return model.pulls.length;
    },
    close: (id: number, person: string) => void model.update(id, { state: 'closed' }, person),
    merge: (id: number, person: string) => void model.mergePinned(id, {}, person),
    conflict: (id: number) => void (model.pull(id).conflicting = true),
    protect: (branch: string, status: string) => void model.protection.set(branch, status),
    forbidMethod: (method: 'merge' | 'squash' | 'rebase') => void model.forbiddenMethods.add(method),
  };
}

function truth(model: GithubModel, credential: 'app' | 'token') {
  const known = model.statuses;
  const runs = (sha: string, name: string) =>
    known.allCheckRuns.filter((run) => run.head_sha === sha && run.name === name);
  const statuses = (sha: string, name: string) =>
    known.allStatuses.filter((status) => status.sha === sha && status.context === name);
  return {
    pullRequests: () =>
      model.pulls
        .filter(({ fork }) => !fork)
        .map(({ number, state, title, body, labels, mergedAt }) => ({
          id: number,
          state: mergedAt === null ? state : 'merged',
          title,
          body: body ?? '',
          labels: [...labels],
        })),
    status(sha: string, name: string) {
      const run = runs(sha, name).at(-1);
      const status = statuses(sha, name).at(-1);
      if (credential === 'app') {
        if (run === undefined) return undefined;
        const writes = runs(sha, name).reduce((sum, { id }) => sum + (known.checkRunWrites.get(id) ?? 0), 0);
        const phase = (run.conclusion ?? run.status) as CommitStatusPhase;
        return { phase, description: run.output.summary ?? '', writes };
      }
      if (status === undefined) return undefined;
      const phase = statusPhases[status.state] ?? 'queued';
      return { phase, description: status.description, writes: statuses(sha, name).length };
    },
    forgetStatus(sha: string, name: string) {
      const goneRuns = new Set(runs(sha, name));
      const goneStatuses = new Set(statuses(sha, name));
      known.allCheckRuns = known.allCheckRuns.filter((run) => !goneRuns.has(run));
      known.allStatuses = known.allStatuses.filter((status) => !goneStatuses.has(status));
    },
  };
}

const statusPhases: Record<string, CommitStatusPhase> = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  error: 'cancelled',
};
