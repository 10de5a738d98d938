import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiVersionOf, PromotionStrategy } from '@interlock/api';
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

function strategy(active: string, proposed: string, drySHA: string): PromotionStrategy {
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
          checks: [],
        },
      ],
    },
  };
}

describe('settle', () => {
  it('continues when the note of a proposed commit names the reported commit, although no branch changes', async () => {
    const active = await commit('dev');
    const proposed = await commit('dev-next');
    await note(proposed, 'a'.repeat(40));
    let reads = 0;
    let noted: Promise<unknown> = Promise.resolve();
    await settle({
      repository,
      environments: [{ branch: 'dev', proposedBranch: 'dev-next' }],
      strategy: () => {
        reads += 1;
        if (reads === 2) noted = note(proposed, 'b'.repeat(40));
        return strategy(active, proposed, 'b'.repeat(40));
      },
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
    await noted;
    expect(reads).toBeGreaterThan(1);
  });
});
