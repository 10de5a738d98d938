import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { isProblem } from '@interlock/base';
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

it('reports a change when a dry run of a repository ends', async () => {
  const url = 'https://git.example.com/org/web';
  const repository = { cloneUrl: url, webUrl: () => url } as ScmRepository;
  const plugins = ['noop', 'noop', 'github', 'github'];
  const changes: number[] = [];
  const repositories = new Repositories(
    {
      resolve: () =>
        Promise.resolve({ repository, plugin: plugins.shift() ?? '', gitRepository: gitRepository() }),
      hostOf: () => undefined,
    },
    { mirror: () => ({}) as Mirror, forget: () => Promise.resolve() },
    { get: () => undefined, list: () => [], byIndex: () => [] },
    () => [],
    () => void changes.push(plugins.length),
  );
  while (plugins.length > 0)
    await repositories.refresh({ namespace: 'shop', name: 'web' }, new AbortController().signal);
  expect(changes).toEqual([3, 1]);
});

describe('refreshes of one repository that overlap', () => {
  const key = { namespace: 'shop', name: 'web' };
  const head = 'refs/heads/main';

  /** Begins one refresh of each URL in this order; they end when the test says how. */
  async function begin(urls: readonly string[]) {
    const ends = new Map<string, { found(): void; failed(error: Error): void }>();
    const kept: (string | undefined)[] = [];
    const changes: string[] = [];
    const next = [...urls];
    const repositories = new Repositories(
      {
        resolve() {
          const url = next.shift() ?? '';
          const repository = { cloneUrl: url, webUrl: () => url } as ScmRepository;
          return Promise.resolve({ repository, plugin: 'github', gitRepository: gitRepository() });
        },
        hostOf: () => undefined,
      },
      {
        mirror({ url }) {
          const refs = new Map([[head, url]]);
          const refresh: Mirror['refresh'] = () =>
            new Promise((resolve, reject) => {
              ends.set(url, { found: () => resolve({ refs, changed: [] }), failed: reject });
            });
          return { url, refresh } as Mirror;
        },
        forget: (_tenant, mirror) => Promise.resolve(void kept.push(mirror?.url)),
      },
      { get: () => undefined, list: () => [], byIndex: () => [] },
      () => [head],
      ({ name }) => void changes.push(name),
    );
    const results = urls.map(async () => repositories.refresh(key, new AbortController().signal));
    await setImmediate();
    const end = async (url: string, error?: Error) => {
      if (error === undefined) ends.get(url)?.found();
      else ends.get(url)?.failed(error);
      await setImmediate();
    };
    const seen = () => {
      const view = repositories.view(key, [head]);
      return isProblem(view) ? view.reason : view.scm.webUrl();
    };
    return { repositories, results, end, seen, kept, changes };
  }

  it('keep the view of the one that began last', async () => {
    const { results, end, seen, kept, changes } = await begin(['before', 'after']);
    await end('after');
    await end('before');
    expect(seen()).toBe('after');
    expect((await Promise.all(results)).map(({ scm }) => scm.webUrl())).toEqual(['after', 'after']);
    expect(kept).toEqual(['after']);
    expect(changes).toEqual(['web']);
  });

  it('keep the view of the one that began last when an earlier one fails', async () => {
    const { results, end, seen } = await begin(['before', 'after']);
    const refused = expect(results[0]).rejects.toThrow('spec.github (acme/web): no such repository');
    await end('after');
    await end('before', new TypedError('NotFound', 'no such repository'));
    await refused;
    expect(seen()).toBe('after');
  });

  it('keep the problem of the one that began last when an earlier one succeeds', async () => {
    const { results, end, seen } = await begin(['before', 'after']);
    const refused = expect(results[1]).rejects.toThrow('no such repository');
    await end('after', new TypedError('NotFound', 'no such repository', { reason: 'NoRepository' }));
    await end('before');
    await refused;
    expect(seen()).toBe('NoRepository');
    expect((await results[0])?.scm.webUrl()).toBe('before');
  });

  it('leave nothing of a repository that was forgotten meanwhile', async () => {
    const { repositories, end, seen, kept, changes } = await begin(['web']);
    await repositories.forget(key);
    await end('web');
    expect(seen()).toBe('GitRepositoryNotFound');
    expect(kept).toEqual([undefined, undefined]);
    expect(changes).toEqual([]);
  });
});

describe('the change that a refresh reports', () => {
  const key = { namespace: 'shop', name: 'web' };
  const [main, dev, prod] = ['refs/heads/main', 'refs/heads/dev', 'refs/heads/prod'];
  const down = new TypedError('Transient', 'no answer', { reason: 'Network' });
  const refused = new TypedError('Unauthorized', 'bad token', { reason: 'BadCredentials' });
  const other = new TypedError('Transient', 'overloaded', { reason: 'Overloaded' });

  /** Refreshes once for each remote, a record of its refs or an error, and returns the changes that each refresh reported. */
  async function refreshAll(
    remotes: (Record<string, string> | TypedError)[],
    required: (read: number) => string[] = () => [main!, dev!],
  ) {
    const changes: (string[] | 'all')[][] = [];
    let read = -1;
    const mirror = {
      refresh() {
        const remote = remotes[read];
        if (remote instanceof Error) return Promise.reject(remote);
        return Promise.resolve({ refs: new Map(Object.entries(remote ?? {})), changed: [] });
      },
    } as unknown as Mirror;
    const url = 'https://git.example.com/org/web';
    const repository = { cloneUrl: url, webUrl: () => url } as ScmRepository;
    const repositories = new Repositories(
      {
        resolve: () => Promise.resolve({ repository, plugin: 'github', gitRepository: gitRepository() }),
        hostOf: () => undefined,
      },
      { mirror: () => mirror, forget: () => Promise.resolve() },
      { get: () => undefined, list: () => [], byIndex: () => [] },
      () => required(read),
      (_key, change) => void changes.at(-1)?.push(change === 'all' ? change : [...change]),
    );
    while (++read < remotes.length) {
      changes.push([]);
      await repositories.refresh(key, new AbortController().signal).catch(() => undefined);
    }
    return changes;
  }

  it('consists of the refs that moved, appeared or disappeared', async () => {
    const first = { [main!]: 'a1', [dev!]: 'b1' };
    expect(await refreshAll([first, first, { ...first, [main!]: 'a2' }, { [main!]: 'a2' }])).toEqual([
      ['all'],
      [],
      [[main]],
      [[dev]],
    ]);
  });

  it('includes the refs that are requested for the first time, or no longer', async () => {
    const refs = { [main!]: 'a1' };
    const required = (read: number) => (read === 1 ? [main!, prod!] : [main!]);
    expect(await refreshAll([refs, refs, refs], required)).toEqual([['all'], [[prod]], [[prod]]]);
  });

  it('is empty when a transient failure begins, repeats or ends, because objects keep the view', async () => {
    const refs = { [main!]: 'a1' };
    const moved = { [main!]: 'a2' };
    expect(await refreshAll([refs, down, down, other, refs, down, moved])).toEqual([
      ['all'],
      [],
      [],
      [],
      [],
      [],
      [[main]],
    ]);
  });

  it('consists of the refs that are not in the view when a transient failure begins', async () => {
    const refs = { [main!]: 'a1' };
    const required = (read: number) => (read === 0 ? [main!] : [main!, prod!]);
    expect(await refreshAll([refs, down, down, other, refs], required)).toEqual([
      ['all'],
      [[prod]],
      [],
      [[prod]],
      [[prod]],
    ]);
  });

  it('is everything when the view is lost or comes back, once', async () => {
    const refs = { [main!]: 'a1' };
    expect(await refreshAll([down, down, refs, refused, refused, down, refs])).toEqual([
      ['all'],
      [],
      ['all'],
      ['all'],
      [],
      ['all'],
      [],
    ]);
  });
});
