import { githubPlugin } from './github/plugin.js';
import { giteaPlugin } from './gitea/plugin.js';
import { gitlabPlugin } from './gitlab/plugin.js';
import { localPlugin } from './local/plugin.js';
import { noopPlugin } from './noop/plugin.js';
import type { ScmPlugin } from './scm.js';

/**
 * @param options.localRoots directories of this machine in which providers may use repositories; none: no provider may.
 * @returns the plugins that come with the product.
 */
export function builtInPlugins({ localRoots = [] }: { localRoots?: readonly string[] } = {}): ScmPlugin[] {
  return [
    githubPlugin(),
    gitlabPlugin(),
    giteaPlugin('gitea'),
    giteaPlugin('forgejo'),
    localPlugin({ roots: localRoots }),
    noopPlugin(),
  ];
}
