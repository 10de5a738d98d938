import { LRUCache } from 'lru-cache';
import { createKnownReads } from '../http/known-reads.js';
import type { ScmConnection, ScmContext, ScmPlugin } from '../scm.js';
import { Section } from '../section.js';
import { credentialId, originsOf, readAccount, type GithubAccount } from './account.js';
import { AppCredential } from './app-credential.js';
import { RepositoryClient } from './client.js';
import type { GithubCredential, GithubRepositoryName } from './credential.js';
import { githubRepository } from './repository.js';
import { tokenCredential } from './token-credential.js';
import { GithubTransport } from './transport.js';
import { githubWebhook } from './webhook.js';

const maxCredentials = 1000;

/** Returns the plugin for GitHub and GitHub Enterprise Server, with a GitHub App or a token. */
export function githubPlugin(): ScmPlugin {
  const credentials = new LRUCache<string, GithubCredential>({ max: maxCredentials });
  const known = createKnownReads();

  const credentialOf = (account: GithubAccount, context: ScmContext): GithubCredential => {
    const id = credentialId(account);
    const { credential } = account;
    const cacheKey =
      credential.kind === 'app' ? `${id} ${credential.installationId ?? ''} ${credential.secretKey}` : id;
    const shared = credentials.get(cacheKey);
    if (shared !== undefined) return shared;
    const made =
      credential.kind === 'app'
        ? new AppCredential(id, credential, context)
        : tokenCredential(id, credential.token, context);
    credentials.set(cacheKey, made);
    return made;
  };

  return {
    name: 'github',
    webhook: githubWebhook,
    origins: originsOf,
    connect(connection: ScmConnection, context: ScmContext) {
      const account = readAccount(connection);
      const credential = credentialOf(account, context);
      const transport = new GithubTransport(account.apiUrl, context);
      const { name: provider, kind: providerKind } = connection.provider;
      return {
        repository({ namespace, name, section }) {
          const caller = { namespace, provider, providerKind, repository: name };
          const client = new RepositoryClient(transport, credential, readRepository(section), caller, known);
          return githubRepository(client, account.webUrl);
        },
        login: (options) => {
          const { namespace } = connection.provider;
          return credential.login(transport, { namespace, provider, providerKind, repository: '' }, options);
        },
      };
    },
  };
}

/** @throws TypedError `Invalid` naming the field. */
function readRepository(value: unknown): GithubRepositoryName {
  const section = new Section(value, 'spec.github');
  return { owner: section.pathPart('owner'), name: section.pathPart('name') };
}
