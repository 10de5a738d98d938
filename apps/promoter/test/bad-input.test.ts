import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { GitRepository, ScmProvider } from '@interlock/api';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { conditionOf, type StrategySpec, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const pollIntervalMs = 60_000;
const fixture = useFixture(() => ({ pollIntervalMs }));

type Spec = Omit<StrategySpec, 'environments'>;

interface Case {
  what: string;
  /** The spec of the strategy; its only environment is qa. */
  spec?: Spec;
  /** Breaks a prerequisite of the strategy. */
  prepare?: (team: Team) => Promise<unknown>;
  reason: string;
  /** The expected content of the message. */
  says: string | RegExp;
  stalled?: boolean;
  /** The reason for which the account of the GitRepository far is not ready. */
  account?: string;
  fix: (team: Team) => Promise<unknown>;
}

const far = { repoRef: { name: 'far' } };

/** Applies a GitRepository named far, and an account with a separate Secret, if it has one. */
async function applyFar(
  team: Team,
  {
    domain = fixture.platform.forge.url,
    key = fixture.app.privateKeyPem,
    name = team.repository.name,
    hasSecret = true,
  },
): Promise<void> {
  const { appId: appID } = fixture.app;
  if (hasSecret) await team.apply(Secret, 'far', { stringData: { githubAppPrivateKey: key } });
  await team.apply(ScmProvider, 'far', { spec: { secretRef: { name: 'far' }, github: { domain, appID } } });
  await team.apply(GitRepository, 'far', {
    spec: { scmProviderRef: { name: 'far' }, github: { owner: team.repository.owner, name } },
  });
}

/** Waits for the condition Ready of the account of {@link applyFar}. */
function accountIs({ namespace }: Team, ready: object): Promise<void> {
  return eventually(async () => {
    const provider = await fixture.platform.client.get(ScmProvider, { namespace, name: 'far' });
    expect(conditionOf(provider, 'Ready')).toMatchObject(ready);
  });
}

function strangersKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

const deleteBranch = (team: Team, branch: string) =>
  team.local.git(['update-ref', '-d', `refs/heads/${branch}`]);

async function hydrateQa(team: Team): Promise<void> {
  await team.hydrate('qa', await team.commitDry());
  await team.refresh();
}

const cases: Case[] = [
  {
    what: 'a repoRef that names nothing',
    spec: far,
    reason: 'GitRepositoryNotFound',
    says: /^spec\.repoRef\.name: GitRepository team-\d+\/far does not exist; create it$/,
    fix: (team) => applyFar(team, {}),
  },
  {
    what: 'a repository that is not at the forge',
    spec: far,
    prepare: (team) => applyFar(team, { name: 'nothing' }),
    reason: 'NotFound',
    says: /^spec\.repoRef\.name: GitRepository team-\d+\/far cannot be used: spec\.github \(team-\d+\/nothing\): .*404/,
    fix: (team) => applyFar(team, {}),
  },
  {
    what: 'a forge that does not answer',
    spec: far,
    prepare: (team) => applyFar(team, { domain: 'http://127.0.0.1:1' }),
    reason: 'Network',
    says: /spec\.scmProviderRef \(ScmProvider far\): .*connection failed/,
    fix: (team) => applyFar(team, {}),
  },
  {
    what: 'a credential that the forge refuses',
    spec: far,
    prepare: (team) => applyFar(team, { key: strangersKey() }),
    reason: 'BadCredentials',
    account: 'BadCredentials',
    says: /spec\.scmProviderRef \(the Secret of ScmProvider far\): .*401/,
    fix: async (team) => {
      await applyFar(team, {});
      fixture.clock.forward(2 * pollIntervalMs);
    },
  },
  {
    what: 'an account without its Secret',
    spec: far,
    prepare: (team) => applyFar(team, { hasSecret: false }),
    reason: 'SecretNotFound',
    account: 'SecretNotFound',
    says: /Secret team-\d+\/far does not exist; create it/,
    fix: async (team) => {
      await applyFar(team, {});
      fixture.clock.forward(2 * pollIntervalMs);
    },
  },
  {
    what: 'no environment branch',
    prepare: (team) => deleteBranch(team, 'qa'),
    reason: 'BranchNotFound',
    says: 'branch qa does not exist',
    fix: async (team) => {
      await team.local.git(['branch', 'qa', 'dev']);
      await team.refresh();
    },
  },
  {
    what: 'no proposed branch',
    prepare: (team) => deleteBranch(team, 'qa-next'),
    reason: 'ProposedBranchNotFound',
    says: 'branch qa-next does not exist',
    fix: hydrateQa,
  },
  {
    what: 'a hydrator.metadata that is not JSON',
    prepare: (team) => team.commit('qa-next', { 'hydrator.metadata': '{' }),
    reason: 'InvalidHydratorMetadata',
    says: /qa-next: .*hydrator\.metadata is not JSON/,
    fix: hydrateQa,
  },
  {
    what: 'a hydrator.metadata without a whole SHA',
    prepare: (team) => team.commit('qa-next', { 'hydrator.metadata': '{"drySha":"abc123"}' }),
    reason: 'InvalidHydratorMetadata',
    says: /qa-next: .*drySha/,
    fix: hydrateQa,
  },
  {
    what: 'a template with an unknown name',
    spec: { pullRequest: { titleTemplate: 'Promote {{ nobody }}' } },
    reason: 'InvalidTemplate',
    says: /spec\.pullRequest of qa: .*"nobody"/,
    stalled: true,
    fix: (team) =>
      team.applyStrategy({ pullRequest: { titleTemplate: 'Go {{ dry.sha }}' }, environments: ['qa'] }, 'bad'),
  },
];

describe('a strategy with bad input', () => {
  it.each(cases)('reports the problem, and recovers: $what', async (one) => {
    const team = await fixture.team({ environments: ['dev', 'qa'] });
    await one.prepare?.(team);
    const refs = await team.local.refs('refs/heads/qa*');
    await team.applyStrategy({ ...one.spec, environments: ['qa'] }, 'bad');
    await team.applyStrategy({ environments: ['dev'] });
    const ready = async () => conditionOf(await team.strategy('bad'), 'Ready');
    await eventually(async () => {
      expect(await ready()).toMatchObject({
        status: 'False',
        reason: one.reason,
        message:
          typeof one.says === 'string' ? expect.stringContaining(one.says) : expect.stringMatching(one.says),
      });
    });
    const types = (await team.strategy('bad')).status?.conditions?.filter(({ status }) => status === 'True');
    expect(types?.map(({ type }) => type)).toContain(one.stalled ? 'Stalled' : 'Reconciling');
    if (one.account !== undefined) await accountIs(team, { status: 'False', reason: one.account });

    const { drySHA } = await team.propose('dev');
    await team.refresh();
    await team.runs('dev', drySHA);
    expect(await team.pulls('qa')).toEqual([]);
    expect(await team.local.refs('refs/heads/qa*')).toEqual(refs);

    await one.fix(team);
    await eventually(async () => {
      expect(await ready()).toMatchObject({ status: 'True' });
    });
    if (one.account !== undefined) await accountIs(team, { status: 'True', reason: 'Usable' });
  });
});

describe('a strategy whose child would have the name of a child of another strategy', () => {
  it('leaves that child alone, and reports the other strategy', async () => {
    const team = await fixture.team({ environments: ['eu-qa', 'qa'] });
    await team.applyStrategy({ environments: ['eu-qa'] });
    const running = await team.dryTip();
    await team.runs('eu-qa', running);
    await team.applyStrategy({ environments: ['qa'] }, 'app-eu');
    await eventually(async () => {
      const ready = conditionOf(await team.strategy('app-eu'), 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'ChildNameInUse' });
    });
    const { drySHA } = await team.propose('eu-qa');
    await team.refresh();
    await team.runs('eu-qa', drySHA);
    expect((await team.proposedCommit('eu-qa')).spec.activeBranch).toBe('eu-qa');
  });
});
