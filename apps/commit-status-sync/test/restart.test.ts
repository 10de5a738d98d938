import { describe, expect, it } from '@jest/globals';
import { CommitStatus, fieldManagers, GitRepository, ScmProvider } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { providerName, repositoryName } from '@interlock/stack';
import { concludeCommitStatus } from '../src/commit-status/conclude.js';
import { decideSync } from '../src/commit-status/decide.js';
import type { ObservedCommitStatus } from '../src/commit-status/observe.js';
import { argoKinds } from './harness/foreign-kinds.js';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const inSync = 1_000;
const atOnce = 20;
const fixture = useFixture({ kinds: argoKinds, commitStatusTtlMs: 24 * 3_600_000 });

type Destination = Pick<ObservedCommitStatus, 'gitRepository' | 'provider'>;

/** Creates a CommitStatus, with the status that the process writes after sending it. */
async function createSynced(team: Team, name: string, sha: string, of: Destination): Promise<void> {
  const created = await team.report({ sha, name }, name);
  const observed = { ...of, commitStatus: created, sharing: [created] };
  const decision = decideSync(observed);
  const sent = { plugin: 'github', ids: { checkRunId: 1 } };
  const { status } = concludeCommitStatus(observed, decision, sent, Date.now());
  if (status === undefined) throw new Error(`${name} is ${decision.type}`);
  const fieldManager = fieldManagers.commitStatusSync;
  const applied = { metadata: { name, namespace: created.metadata.namespace ?? '' }, status };
  await fixture.platform.client.apply(CommitStatus, applied, { fieldManager, subresource: 'status' });
}

describe('a restart', () => {
  it('with 1,000 CommitStatuses in sync sends nothing to the forge, and only changes are sent afterwards', async () => {
    const team = await fixture.strategyTeam('dev');
    const sha = await team.commit();
    await team.runHealthy(sha);
    const { client, forge } = fixture.platform;
    const { namespace } = team;
    const destination = {
      gitRepository: await client.get(GitRepository, { namespace, name: repositoryName }),
      provider: await client.get(ScmProvider, { namespace, name: providerName }),
    };

    /* The others get the status that the process itself wrote after sending. */
    await team.report({ sha, name: 'sent' }, 'sent');
    const sent = await team.synced('sent');
    const unsent = { ...sent, status: {} };
    expect(decideSync({ ...destination, commitStatus: unsent, sharing: [unsent] })).toMatchObject({
      type: 'send',
      digest: sent.status?.digest,
    });

    await fixture.sync.stop();
    const names = Array.from({ length: inSync - 1 }, (_, index) => `status-${index}`);
    for (let start = 0; start < names.length; start += atOnce) {
      const some = names.slice(start, start + atOnce);
      await Promise.all(some.map((name) => createSynced(team, name, sha, destination)));
    }
    const { seq } = forge.journal;
    await fixture.start();
    await eventually(async () => expect(await fixture.sync.reconciles()).toBeGreaterThanOrEqual(inSync));
    await fixture.sync.rest();
    expect(forge.journal.entries({ since: seq })).toEqual([]);

    await team.report({ sha, name: 'status-7', phase: 'failure' }, 'status-7');
    await team.synced('status-7');
    expect(await team.checkRuns(sha)).toMatchObject([
      { name: 'argocd-health/dev', conclusion: 'success' },
      { name: 'sent' },
      { name: 'status-7', conclusion: 'failure' },
    ]);
  });
});
