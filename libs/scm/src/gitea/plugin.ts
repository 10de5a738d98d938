import { KeyedLock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import { originOf } from '../http/endpoint.js';
import { JsonApi } from '../http/json-api.js';
import { digestOf, readToken } from '../http/secret.js';
import { Section } from '../section.js';
import type { GovernorLimits, Scm, ScmConnection, ScmContext, ScmPlugin } from '../scm.js';
import { giteaDialect } from './errors.js';
import { giteaRepository } from './repository.js';
import { giteaWebhook } from './webhook.js';

const maxLogins = 1000;

/**
 * Neither server limits the calls of a credential by itself, but proxies in front of the public ones do; the pace stays
 * below their limits.
 */
const limits: GovernorLimits = {
  concurrency: 10,
  queueLimit: 1000,
  maxWaitMs: 10_000,
  writes: { burst: 30, perSecond: 5 },
};

/** Returns the plugin for Gitea 1.20 and newer, or for Forgejo: they differ in name only. */
export function giteaPlugin(name: 'gitea' | 'forgejo'): ScmPlugin {
  const logins = new LRUCache<string, string>({ max: maxLogins });
  const turns = new KeyedLock();
  const path = `spec.${name}`;
  const serverOf = (section: unknown): string =>
    originOf(new Section(section, path).string('domain'), `${path}.domain`);
  return {
    name,
    webhook: giteaWebhook(path),
    origins: (section) => [serverOf(section)],
    connect({ section, secret, secretKeys, provider }: ScmConnection, context: ScmContext): Scm {
      const webUrl = serverOf(section);
      const token = readToken(secret, `${path} is set`, secretKeys?.['token']);
      const id = digestOf([webUrl, token]);
      const api = (repository: string, caller: { namespace: string; repository: string }): JsonApi =>
        new JsonApi(context, {
          apiUrl: `${webUrl}/api/v1`,
          authorization: `token ${token}`,
          governor: context.governor(id, limits),
          caller: { ...caller, provider: provider.name, providerKind: provider.kind },
          repository,
          dialect: giteaDialect,
        });
      return {
        repository({ namespace, name: repository, section: of }) {
          const named = new Section(of, path);
          const fields = { owner: named.pathPart('owner'), name: named.pathPart('name') };
          const fullName = `${fields.owner}/${fields.name}`;
          return giteaRepository(api(fullName, { namespace, repository }), fields, { webUrl, token, turns });
        },
        async login(options) {
          const known = logins.get(id);
          if (known !== undefined) return known;
          const call = { api: 'Auth', operation: 'identify', priority: 'read', options } as const;
          const caller = { namespace: provider.namespace, repository: '' };
          const asked = api('the token', caller).send<{ login: string }>(
            { method: 'GET', path: '/user' },
            call,
          );
          const { login } = await asked;
          logins.set(id, login);
          return login;
        },
      };
    },
  };
}
