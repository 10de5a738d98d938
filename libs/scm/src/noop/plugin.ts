import { TypedError } from '@interlock/api';
import { originOf } from '../http/endpoint.js';
import { Section } from '../section.js';
import type { GitCredentials, Scm, ScmConnection, ScmPlugin, ScmRepository } from '../scm.js';
import { silentWebhook } from '../webhook.js';

/**
 * Returns the plugin for dry runs: an SCM without content, in which nothing is changed. Git reads from the
 * repository; a change is refused as `Permanent` with reason `DryRun`, and a message that states what would have been
 * done. The runtime reports it as a condition, an event and a log line, like every refusal.
 */
export function noopPlugin(): ScmPlugin {
  return {
    name: 'noop',
    webhook: silentWebhook,
    origins(section) {
      const domain = new Section(section, 'spec.noop').optionalString('domain');
      return domain === undefined ? [] : [originOf(domain, 'spec.noop.domain')];
    },
    connect({ secret }: ScmConnection): Scm {
      const credentials = credentialsIn(secret);
      return {
        login: () => Promise.resolve('noop'),
        repository: ({ section }) => noopRepository(urlIn(section), credentials),
      };
    },
  };
}

function noopRepository({ href, pathname }: URL, credentials: GitCredentials | undefined): ScmRepository {
  const fullName = pathname.replace(/^\//, '').replace(/\.git$/, '');
  const wouldBe = (what: string): Promise<never> =>
    Promise.reject(
      new TypedError('Permanent', `dry run of ${fullName}: would ${what}`, { reason: 'DryRun' }),
    );
  const pullRequest = (id: number): string => `pull request ${id}`;
  return {
    fullName,
    cloneUrl: href,
    readOnly: true,
    webUrl: () => href,
    gitCredentials: () => Promise.resolve(credentials),
    describe: () => Promise.resolve({ defaultBranch: 'main', archived: false }),
    findPullRequests: () => Promise.resolve([]),
    getPullRequest: (id) =>
      Promise.reject(new TypedError('NotFound', `dry run of ${fullName}: there is no ${pullRequest(id)}`)),
    createPullRequest: ({ head, base, title }) =>
      wouldBe(`open a pull request from ${head} to ${base}: ${title}`),
    updatePullRequest: (id) => wouldBe(`change ${pullRequest(id)}`),
    closePullRequest: (id) => wouldBe(`close ${pullRequest(id)}`),
    mergePullRequest: (id, { headSha, method }) =>
      wouldBe(`merge (${method}) ${pullRequest(id)} at ${headSha}`),
    ensureLabels: (id, { add = [], remove = [] }) =>
      wouldBe(`add the labels ${add.join(', ')} to ${pullRequest(id)} and remove ${remove.join(', ')}`),
    ensureCommitStatus: ({ name, phase, sha }) => wouldBe(`set the status ${name} of ${sha} to ${phase}`),
    listCommitStatuses: () => Promise.resolve([]),
  };
}

/** @throws TypedError `Invalid` naming the field. */
function urlIn(section: unknown): URL {
  const text = new Section(section, 'spec.noop').string('url');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url !== undefined && isHttp && url.username === '' && url.password === '') return url;
  throw new TypedError(
    'Invalid',
    `spec.noop.url: ${JSON.stringify(text)} is not an http or https URL without credentials`,
  );
}

/** Returns the credentials from the keys `username` and `token`; a public repository needs neither. */
function credentialsIn(secret: Readonly<Record<string, string>>): GitCredentials | undefined {
  const password = secret['token']?.trim() ?? '';
  if (password === '') return undefined;
  return { username: secret['username']?.trim() || 'x-access-token', password };
}
