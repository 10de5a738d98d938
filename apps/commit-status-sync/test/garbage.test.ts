import { describe, expect, it } from '@jest/globals';
import { annotations, CommitStatus, PromotionStrategy } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { sameCommit, strategyName, type StrategyTeam } from './harness/strategy-team.js';
import { useFixture } from './harness/fixture.js';

const hour = 3_600_000;

const fixture = useFixture({ commitStatusTtlMs: 24 * hour });

async function names(team: StrategyTeam): Promise<string[]> {
  const { items } = await fixture.client.list(CommitStatus, { namespace: team.namespace });
  return items.map(({ metadata }) => metadata.name).sort();
}

function marked(team: StrategyTeam, name: string, expected: boolean): Promise<void> {
  return eventually(async () => {
    const { metadata } = await fixture.client.get(CommitStatus, { namespace: team.namespace, name });
    expect(metadata.annotations?.[annotations.unusedSince] !== undefined).toBe(expected);
  });
}

describe('a CommitStatus', () => {
  it('is deleted when its commit has been unused for the TTL, even across a restart', async () => {
    const team = await fixture.strategyTeam('dev');
    const [old, current] = [await team.commit(), await team.commit()];
    await team.activate({ dev: old });
    await team.report({ sha: old }, 'old');
    await team.report({ sha: current }, 'current');
    await marked(team, 'current', true);
    await team.activate({ dev: current });
    await marked(team, 'current', false);
    await marked(team, 'old', true);
    await fixture.forward(23 * hour);
    await fixture.restart();
    expect(await names(team)).toEqual(['current', 'old']);
    await fixture.forward(hour);
    await eventually(async () => expect(await names(team)).toEqual(['current']));
    expect(await names(team)).toEqual(['current']);
  });

  it('stays when its commit is used again in time', async () => {
    const team = await fixture.strategyTeam('dev');
    const [old, current] = [await team.commit(), await team.commit()];
    await team.activate({ dev: current });
    await team.report({ sha: old }, 'old');
    await team.report({ sha: await team.commit() }, 'witness');
    await marked(team, 'old', true);
    await marked(team, 'witness', true);
    await fixture.forward(12 * hour);
    await team.activate({ dev: old });
    await marked(team, 'old', false);
    await fixture.forward(13 * hour);
    await eventually(async () => expect(await names(team)).toEqual(['old']));
  });

  it('stays if no strategy reports the commits in use', async () => {
    const [team, witness] = [await fixture.strategyTeam('dev'), await fixture.strategyTeam('dev')];
    const [old, current] = [await sameCommit(team, witness), await sameCommit(team, witness)];
    await fixture.client.delete(PromotionStrategy, { namespace: team.namespace, name: strategyName });
    await witness.activate({ dev: current });
    for (const each of [team, witness]) await each.report({ sha: old }, 'old');
    await marked(witness, 'old', true);
    await fixture.forward(25 * hour);
    await eventually(async () => expect(await names(witness)).toEqual([]));
    expect(await names(team)).toEqual(['old']);
  });
});
