import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiVersionOf, PromotionStrategy, type Check } from '@interlock/api';
import { hydratorNotesRef } from '@interlock/git';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { initBare, type LocalRepository } from '../git.js';
import { commitFiles } from '../repository/commit.js';
import { settle } from './settle.js';

let folder: string;
let repository: LocalRepository;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-settle-'));
  repository = await initBare(join(folder, 'forge.git'), 'main');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const commit = (branch: string): Promise<string> =>
  commitFiles(repository, { branch, message: branch, files: new Map([['a', branch]]), time: 0 });

const note = (sha: string, drySha: string): Promise<string> =>
  repository.git(['notes', `--ref=${hydratorNotesRef}`, 'add', '-f', '-m', JSON.stringify({ drySha }), sha]);

function strategy(active: string, proposed: string, drySHA: string, checks: Check[] = []): PromotionStrategy {
  return {
    apiVersion: apiVersionOf(PromotionStrategy),
    kind: PromotionStrategy.kind,
    metadata: { name: 'app' },
    spec: {
      repoRef: { name: 'repo' },
      dryBranch: 'main',
      environments: [{ branch: 'dev', autoMerge: true }],
      proposedBranchSuffix: '-next',
      driftPolicy: 'Overwrite',
      promotionPolicy: 'ReleaseLatest',
    },
    status: {
      environments: [
        {
          branch: 'dev',
          active: { hydratedSHA: active, commitStatus: 'healthy' },
          proposed: { hydratedSHA: proposed, drySHA },
          checks,
        },
      ],
    },
  };
}

/** Settles what `report` returns at each read. Returns the number of reads. */
async function readsUntilSettled(report: (read: number) => PromotionStrategy): Promise<number> {
  let reads = 0;
  await settle({
    repository,
    environments: [{ branch: 'dev', proposedBranch: 'dev-next' }],
    strategy: () => report(++reads),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  });
  return reads;
}

describe('settle', () => {
  it('continues when the note of a proposed commit names the reported commit, although no branch changes', async () => {
    const active = await commit('dev');
    const proposed = await commit('dev-next');
    await note(proposed, 'a'.repeat(40));
    let noted: Promise<unknown> = Promise.resolve();
    const reads = await readsUntilSettled((read) => {
      if (read === 2) noted = note(proposed, 'b'.repeat(40));
      return strategy(active, proposed, 'b'.repeat(40));
    });
    await noted;
    expect(reads).toBeGreaterThan(1);
  });

  it('waits while the dry commit is reported as not on the dry branch although it is', async () => {
    const active = await commit('dev');
    const dry = await commit('main');
    const proposed = await commit('dev-next');
    await note(proposed, dry);
    const refused: Check = {
      name: 'Forward',
      state: 'pending',
      reason: 'NotOnDryBranch',
      message: 'not on main',
      since: '2026-01-01T00:00:00Z',
    };
    expect(
      await readsUntilSettled((read) => strategy(active, proposed, dry, read < 3 ? [refused] : [])),
    ).toBe(3);
  });
});
