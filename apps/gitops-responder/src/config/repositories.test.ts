import type { ResponseProvider } from '@interlock/api';
import { expect, it } from '@jest/globals';
import { isSameRepository } from './repositories.js';

const recorded = { index: 0, config: 'default', baseBranch: 'main' };
const github: ResponseProvider = { kind: 'github-app', repository: 'org/repo', baseBranch: 'main' };
const gitea: ResponseProvider = { ...github, kind: 'gitea', host: 'git.example.com' };

it.each<[boolean, object, ResponseProvider]>([
  [true, { provider: 'github-app' }, github],
  [true, { provider: 'github-pat' }, github],
  [true, { provider: 'github-app', host: 'https://github.com' }, github],
  [true, { provider: 'github-app', repository: 'Org/Repo' }, { ...github, host: 'GitHub.com' }],
  [true, { provider: 'gitlab' }, { ...github, kind: 'gitlab', host: 'gitlab.com' }],
  [true, { provider: 'gitea', host: 'https://git.example.com' }, gitea],
  [false, { provider: 'gitea', host: 'git.example.com:8443' }, gitea],
  [false, { provider: 'gitlab' }, github],
  [false, { provider: 'noop' }, github],
  [false, { provider: 'github-app', host: 'ghe.example.com' }, github],
  [false, { provider: 'github-app', repository: 'org/other' }, github],
])(
  'isSameRepository returns %s for the recorded route %j and the provider %j',
  (expected, route, provider) => {
    const known = { provider: 'github-app', repository: 'org/repo', ...recorded, ...route };
    expect(isSameRepository(known, provider)).toBe(expected);
  },
);
