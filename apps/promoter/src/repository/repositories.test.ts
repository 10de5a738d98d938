import { expect, it } from '@jest/globals';
import type { Mirror, MirrorOptions } from '@interlock/git';
import type { ScmRepository } from '@interlock/scm';
import { gitRepository } from '../testing/objects.js';
import { Repositories } from './repositories.js';

it('opens one mirror for each GitRepository, and schedules all mirrors of a namespace as those of one owner', async () => {
  const opened: MirrorOptions[] = [];
  const git = {
    mirror(options: MirrorOptions) {
      opened.push(options);
      return {} as Mirror;
    },
    forget: () => Promise.resolve(),
  };
  const url = 'https://git.example.com/org/web.git';
  const repository = { cloneUrl: url, webUrl: () => url } as ScmRepository;
  const resolver = {
    resolve: () => Promise.resolve({ repository, plugin: 'github', gitRepository: gitRepository() }),
    hostOf: () => undefined,
  };
  const gitRepositories = { get: () => undefined, list: () => [], byIndex: () => [] };
  const repositories = new Repositories(
    resolver,
    git,
    gitRepositories,
    () => [],
    () => undefined,
  );
  for (const name of ['web', 'api'])
    await repositories.refresh({ namespace: 'shop', name }, new AbortController().signal);
  expect(opened).toMatchObject([
    { tenant: 'shop/web', owner: 'shop' },
    { tenant: 'shop/api', owner: 'shop' },
  ]);
});
