import {
  RevertCommit,
  type Condition,
  type RevertCommitState,
  type RevertCommitStatus,
} from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import { expect } from '@jest/globals';
import type { Proposal } from './repository-writer.js';
import type { StrategySpec, Team } from './team.js';
import type { Fixture } from './fixture.js';

/** A team after a change that was good everywhere, and a change that fails in `test`. */
export interface RevertFixture {
  team: Team;
  good: Proposal;
  bad: Proposal;
  /** The tip of `test` to revert. */
  unwanted: string;
  /** The earlier tree of `test`, which is the target. */
  wanted: string;
}

/**
 * Promotes a good change everywhere, and a bad one as far as the environment `test`, which fails with it.
 * @param environments of the team; the last one does not receive the bad change.
 */
export async function badChange(
  fixture: Fixture,
  spec: StrategySpec = {},
  environments: readonly string[] = ['test', 'prod'],
): Promise<RevertFixture> {
  const team = await fixture.team({ environments, webhooks: true });
  await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }], ...spec });
  const good = await team.propose();
  await team.refresh();
  for (const branch of environments) await healthy(team, branch, good.drySHA);
  await eventually(async () => {
    for (const branch of environments) {
      const { lastHealthyDrySHAs = [] } = await team.environment(branch);
      expect(lastHealthyDrySHAs[0]?.sha).toBe(good.drySHA);
    }
  });
  const wanted = await team.tree(await team.tip('test'));
  const bad = await team.propose();
  await team.refresh();
  for (const branch of environments.slice(0, environments.indexOf('test'))) {
    await healthy(team, branch, bad.drySHA);
  }
  const unwanted = await team.runs('test', bad.drySHA);
  await team.report('health', unwanted, 'failure', { description: 'it does not start' });
  return { team, good, bad, unwanted, wanted };
}

/** Waits until an environment runs a dry commit, and reports it as healthy. */
export async function healthy(team: Team, branch: string, drySHA: string): Promise<void> {
  await team.report('health', await team.runs(branch, drySHA), 'success');
}

/** Creates a RevertCommit for `test`, by default with the name `back`. */
export async function createRevert(
  team: Team,
  spec: Partial<RevertCommit['spec']> = {},
  name = 'back',
): Promise<void> {
  await team.client.create(RevertCommit, {
    metadata: { name, namespace: team.namespace },
    spec: { repoRef: { name: repositoryName }, activeBranch: 'test', ...spec },
  });
}

export function getRevert(team: Team, name = 'back'): Promise<RevertCommit> {
  return team.client.get(RevertCommit, { namespace: team.namespace, name });
}

/** Waits until a RevertCommit is in a state. Returns its status. */
export function becomes(team: Team, state: RevertCommitState, name = 'back'): Promise<RevertCommitStatus> {
  return eventually(async () => {
    const { status = {} } = await getRevert(team, name);
    expect(status).toMatchObject({ state });
    return status;
  });
}

/** Waits until a RevertCommit reports this reason for waiting. Returns the condition. */
export function waitsFor(team: Team, reason: string, name = 'back'): Promise<Condition> {
  return eventually(async () => {
    const { status } = await getRevert(team, name);
    const found = status?.conditions?.find(({ type }) => type === 'Reverted');
    expect(found).toMatchObject({ status: 'False', reason });
    return found as Condition;
  });
}

/** Returns the RevertCommits of a team. */
export async function revertsOf(team: Team): Promise<RevertCommit[]> {
  return (await team.client.list(RevertCommit, { namespace: team.namespace })).items;
}
