import { pathToFileURL } from 'node:url';
import type { CallOptions } from '../call-options.js';
import { Section } from '../section.js';
import type { Scm, ScmConnection, ScmContext, ScmPlugin, ScmRepository } from '../scm.js';
import { silentWebhook } from '../webhook.js';
import { LocalContents } from './contents.js';
import { LocalGit } from './git.js';
import { localLogin } from './merge.js';
import { directoryOf, repositoryPath } from './paths.js';
import { LocalPullRequests } from './pull-requests.js';
import { LocalStatuses } from './statuses.js';
import { createKnownBlobs, localLimits, LocalStore } from './store.js';
import { pullRequestMethods, statusMethods } from '../repository-methods.js';

interface LocalPluginOptions {
  /** Directories in which providers may use repositories; if empty, the plugin refuses all. */
  roots?: readonly string[];
  /** The git program, 2.38 or newer. Default: `git`. */
  gitPath?: string;
}

/** Returns the plugin for bare repositories in a directory, without any server. */
export function localPlugin({ roots = [], gitPath = 'git' }: LocalPluginOptions = {}): ScmPlugin {
  const known = createKnownBlobs();
  return {
    name: 'local',
    webhook: silentWebhook,
    origins: () => [],
    connect(connection: ScmConnection, context: ScmContext): Scm {
      const path = new Section(connection.section, 'spec.local').string('path');
      const { name: provider, kind: providerKind, namespace: tenant } = connection.provider;
      const directory = directoryOf(path, roots, tenant);
      return {
        login: () => Promise.resolve(localLogin),
        repository({ namespace, name, section }) {
          const fullName = new Section(section, 'spec.local').string('name').replace(/\.git$/, '');
          const git = new LocalGit(repositoryPath(directory, fullName), fullName, gitPath);
          const governor = context.governor(`local ${git.path}`, localLimits);
          const caller = { namespace, provider, providerKind, repository: name };
          return localRepository(new LocalStore(git, context, known, governor, caller));
        },
      };
    },
  };
}

function localRepository(store: LocalStore): ScmRepository {
  const { path, fullName } = store.git;
  const home = pathToFileURL(path).href;
  const statuses = new LocalStatuses(store);
  const pulls = new LocalPullRequests(store, statuses, (id) => `${home}#pull/${id}`);
  return {
    fullName,
    cloneUrl: home,
    onDisk: true,
    contents: new LocalContents(store),
    webUrl(target) {
      if (target === undefined) return home;
      return 'commit' in target ? `${home}#commit/${target.commit}` : `${home}#pull/${target.pullRequest}`;
    },
    gitCredentials: () => Promise.resolve(undefined),
    describe: (options?: CallOptions) =>
      store.read({ api: 'Repository', operation: 'get', priority: 'read', options }, async (signal) => ({
        defaultBranch: await store.git.text(['symbolic-ref', '--short', 'HEAD'], { signal }),
        archived: false,
      })),
    ...pullRequestMethods(pulls),
    ensureComment: (id, comment, options) => pulls.ensureComment(id, comment, options),
    ...statusMethods(statuses),
  };
}
