import type { Clock } from '@interlock/base';
import { githubPlugin } from './github/plugin.js';
import { giteaPlugin } from './gitea/plugin.js';
import { gitlabPlugin } from './gitlab/plugin.js';
import { localPlugin } from './local/plugin.js';
import { noopPlugin } from './noop/plugin.js';
import type { ScmPlugin } from './scm.js';

interface BuiltInOptions {
  /** Directories of this machine in which providers may use repositories; if empty, no provider may. */
  localRoots?: readonly string[];
  /** Clock for the age of webhooks; default: the system clock. */
  clock?: Clock;
}

/** Returns the plugins that come with the product. */
export function builtInPlugins({ localRoots = [], clock }: BuiltInOptions = {}): ScmPlugin[] {
  return [
    githubPlugin(),
    gitlabPlugin(clock === undefined ? {} : { clock }),
    giteaPlugin('gitea'),
    giteaPlugin('forgejo'),
    localPlugin({ roots: localRoots }),
    noopPlugin(),
  ];
}
