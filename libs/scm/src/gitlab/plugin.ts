import { KeyedLock, systemClock, type Clock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import { bodyOf } from '../http/governed.js';
import { createKnownReads } from '../http/known-reads.js';
import type { ScmConnection, ScmContext, ScmPlugin } from '../scm.js';
import { readAccount, readProject, serverOf } from './account.js';
import { ProjectClient } from './client.js';
import { gitlabRepository } from './repository.js';
import { GitlabTransport } from './transport.js';
import { gitlabWebhook } from './webhook.js';

const maxLogins = 1000;

/**
 * Returns the plugin for gitlab.com and self-managed GitLab, 15.6 or newer, with a token.
 * @param options.clock for the age of webhooks; default: the system clock.
 */
export function gitlabPlugin({ clock = systemClock }: { clock?: Clock } = {}): ScmPlugin {
  const logins = new LRUCache<string, string>({ max: maxLogins });
  const known = createKnownReads();
  const turns = new KeyedLock();
  return {
    name: 'gitlab',
    webhook: gitlabWebhook(() => clock.now()),
    origins: (section) => [serverOf(section)],
    connect(connection: ScmConnection, context: ScmContext) {
      const account = readAccount(connection);
      const transport = new GitlabTransport(account, context);
      const { name: provider, kind: providerKind, namespace: home } = connection.provider;
      return {
        repository({ namespace, name, section }) {
          const caller = { namespace, provider, providerKind, repository: name };
          return gitlabRepository(new ProjectClient(transport, readProject(section), caller, known), turns);
        },
        async login({ signal, priority = 'read' } = {}) {
          const remembered = logins.get(account.id);
          if (remembered !== undefined) return remembered;
          const caller = { namespace: home, provider, providerKind, repository: '' };
          const what = 'identify the token';
          const exchange = { api: 'Auth', operation: 'identify', what, caller, priority, signal };
          const { username } = bodyOf(
            await transport.send(true, exchange, (api) => api.Users.showCurrentUser()),
          );
          logins.set(account.id, username);
          return username;
        },
      };
    },
  };
}
