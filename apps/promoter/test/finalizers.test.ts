import { beforeEach, describe, expect, it } from '@jest/globals';
import { finalizers, isTyped, PullRequest } from '@interlock/api';
import { Namespace } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { proposeManually } from './harness/proposals.js';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

/** The time after which the promoter reads an open pull request again although nothing suggests a change. */
const resyncMs = 5 * 60_000;

const fixture = useFixture();

async function pullRequest(team: Team): Promise<PullRequest> {
  const { items } = await team.client.list(PullRequest, { namespace: team.namespace });
  const [only] = items;
  if (only === undefined || items.length !== 1) throw new Error(`${items.length} PullRequests`);
  return only;
}

async function carries(team: Team, state: string, expected: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await pullRequest(team);
    expect(status?.state).toBe(state);
    expect(metadata.finalizers ?? []).toEqual(expected);
  });
}

/** Records the states of the only PullRequest, with the reason of its condition Ready. */
function watchStates(team: Team, resourceVersion: string) {
  const states: string[] = [];
  const seen = { finalizers: [finalizers.pullRequest as string] };
  const stop = new AbortController();
  const options = { namespace: team.namespace, resourceVersion, signal: stop.signal };
  const watching = (async () => {
    for await (const event of team.client.watch(PullRequest, options)) {
      if (event.type === 'BOOKMARK') continue;
      const { metadata, status } = event.object;
      seen.finalizers = metadata.finalizers ?? [];
      const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
      const state = `${status?.state ?? ''} ${reason}`;
      if (states.at(-1) !== state) states.push(state);
    }
  })();
  return {
    /** Returns the states until the finalizer was removed. */
    async end(): Promise<string[]> {
      await eventually(() => expect(seen.finalizers).toEqual([]));
      stop.abort();
      await watching.catch((error: unknown) => {
        if (!stop.signal.aborted) throw error;
      });
      return states;
    },
  };
}

/** Returns a team whose only environment runs the proposed commit. */
async function mergedTeam(): Promise<Team> {
  const team = await fixture.team({ environments: ['dev'] });
  await team.applyStrategy();
  const { drySHA } = await team.propose();
  await team.refresh();
  await team.runs('dev', drySHA);
  return team;
}

/** Returns a team whose pull request waits for a user. */
async function openTeam(): Promise<Team> {
  const team = await fixture.team({ environments: ['dev'] });
  await proposeManually(team);
  return team;
}

/** Makes a user merge or close the open pull request of a team, and waits until the promoter has read it. */
async function decided(team: Team, what: 'merge' | 'close'): Promise<void> {
  const { number } = await team.openPull('dev');
  /* Pending writes of the promoter at the forge would cause a read of the pull request or not, depending on timing. */
  await fixture.rest();
  await fixture.user[what](team.repository.fullName, number);
  fixture.clock.forward(resyncMs);
  await team.refreshAndRest();
  await carries(team, what === 'merge' ? 'merged' : 'closed', []);
}

async function isGone(team: Team): Promise<boolean> {
  try {
    await team.client.get(Namespace, { name: team.namespace });
    return false;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return true;
    throw error;
  }
}

describe('the finalizer of a PullRequest', () => {
  it('exists while the pull request is open, and is removed when it is merged', async () => {
    const team = await openTeam();
    await carries(team, 'open', [finalizers.pullRequest]);
    await decided(team, 'merge');
  });

  it('is removed when a user closes the pull request, and added again for the next commit', async () => {
    const team = await openTeam();
    await decided(team, 'close');
    await team.propose();
    await team.refreshAndRest();
    await carries(team, 'open', [finalizers.pullRequest]);
  });

  it('is stored before the pull request is opened', async () => {
    const team = await openTeam();
    await decided(team, 'merge');
    const seen: string[][] = [];
    const fault = fixture.platform.forge.faults.add({
      match: { method: 'POST', route: '/repos/{owner}/{repo}/pulls' },
      onHit: async () => {
        seen.push((await pullRequest(team)).metadata.finalizers ?? []);
      },
    });
    await team.propose();
    await team.refreshAndRest();
    await carries(team, 'open', [finalizers.pullRequest]);
    fault.remove();
    expect(seen).toEqual([[finalizers.pullRequest]]);
  });

  it('is removed even if the object changes at that moment, and the status stays merged', async () => {
    const team = await openTeam();
    await carries(team, 'open', [finalizers.pullRequest]);
    await fixture.rest();
    const { number } = await team.openPull('dev');
    const { metadata } = await pullRequest(team);
    const key = { namespace: team.namespace, name: metadata.name };
    const history = watchStates(team, metadata.resourceVersion ?? '');
    let hits = 0;
    const heal = fixture.platform.cluster.embedded.faults.inject({
      when: ({ info }) =>
        info.verb === 'patch' &&
        info.resource?.plural === 'pullrequests' &&
        info.resource.subresource === undefined,
      onHit: async () => {
        if (hits > 0 || (await pullRequest(team)).status?.state !== 'merged') return;
        hits += 1;
        const patch = { metadata: { annotations: { 'example.com/seen': 'yes' } } };
        await team.client.patch(PullRequest, key, { type: 'merge', patch });
      },
    });
    await fixture.user.merge(team.repository.fullName, number);
    await team.refreshAndRest();
    await carries(team, 'merged', []);
    heal();
    await fixture.rest();
    expect(hits).toBe(1);
    const states = await history.end();
    expect(states.slice(states.indexOf('merged Synced'))).toEqual(['merged Synced']);
  });

  it('is removed from a merged PullRequest of an earlier version', async () => {
    const team = await mergedTeam();
    await carries(team, 'merged', []);
    await fixture.rest();
    const { metadata } = await pullRequest(team);
    await team.client.patch(
      PullRequest,
      { namespace: team.namespace, name: metadata.name },
      { type: 'merge', patch: { metadata: { finalizers: [finalizers.pullRequest] } } },
    );
    await fixture.restart();
    await carries(team, 'merged', []);
  });
});

describe('without the promoter', () => {
  let merged: Team;
  let open: Team;

  beforeEach(async () => {
    [merged, open] = [await mergedTeam(), await openTeam()];
    await carries(merged, 'merged', []);
    await carries(open, 'open', [finalizers.pullRequest]);
    await fixture.stopPromoter();
  });

  it('a namespace with merged pull requests can be deleted, and one with an open pull request waits', async () => {
    await open.client.delete(Namespace, { name: open.namespace });
    await merged.client.delete(Namespace, { name: merged.namespace });
    await eventually(async () => expect(await isGone(merged)).toBe(true));
    await eventually(async () => {
      expect((await pullRequest(open)).metadata.deletionTimestamp).toBeDefined();
    });
    expect(await isGone(open)).toBe(false);
    expect((await open.pulls('dev')).map(({ state }) => state)).toEqual(['open']);

    await fixture.startPromoter();
    await eventually(async () => expect(await isGone(open)).toBe(true));
  });
});
