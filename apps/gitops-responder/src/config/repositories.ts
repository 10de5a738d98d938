import { TypedError, type ResponseProvider } from '@interlock/api';
import { hostOf } from '@interlock/responding';
import type { Scm, ScmRegistry, ScmRepository } from '@interlock/scm';
import type { Credentials } from './credentials.js';
import { accessOf, secretNameOf } from './provider.js';
import type { RecordedRoute } from './recorded-route.js';
import type { ConfigStore } from './store.js';

/** The repositories that the configuration in use names. */
export class Repositories {
  readonly #registry: ScmRegistry;
  readonly #credentials: Credentials;
  readonly #store: ConfigStore;
  readonly #namespace: string;

  constructor(registry: ScmRegistry, credentials: Credentials, store: ConfigStore, namespace: string) {
    this.#registry = registry;
    this.#credentials = credentials;
    this.#store = store;
    this.#namespace = namespace;
  }

  /** @throws TypedError `Unauthorized` for a credential that is missing, `Invalid` for a malformed host. */
  async open(
    provider: ResponseProvider,
    signal?: AbortSignal,
  ): Promise<{ scm: Scm; repository: ScmRepository }> {
    const name = secretNameOf(provider);
    const data = name === undefined ? {} : await this.#credentials.read(name, signal);
    const owner = { name: this.#store.choice.chosen ?? '', namespace: this.#namespace };
    const access = accessOf(provider, data, owner);
    return {
      scm: this.#registry.connect(access.provider, access.secret),
      repository: this.#registry.repository(access.provider, access.secret, access.repository),
    };
  }

  /** Returns the access of the configuration in use to the repository of a response that was routed earlier. */
  providerOf(recorded: RecordedRoute): ResponseProvider | undefined {
    return this.#store.routes.find(({ provider }) => isSameRepository(recorded, provider))?.provider;
  }

  /**
   * Returns the repository of a response that was routed earlier, with the credential of the route that names it now.
   * @throws TypedError `Unauthorized` with reason `RouteRemoved` when no route names it.
   */
  async reopen(recorded: RecordedRoute, signal?: AbortSignal): Promise<ScmRepository> {
    const provider = this.providerOf(recorded);
    if (provider !== undefined) return (await this.open(provider, signal)).repository;
    throw new TypedError(
      'Unauthorized',
      `no route names ${recorded.repository} (${recorded.provider}) any longer, but the response has a branch or a pull request there; restore the route or cancel the response`,
      { reason: 'RouteRemoved' },
    );
  }
}

/** Returns whether a provider names the repository that a response was routed to, with any credential. */
export function isSameRepository(recorded: RecordedRoute, provider: ResponseProvider): boolean {
  return addressOf(recorded.provider, recorded) === addressOf(provider.kind, provider);
}

/**
 * Returns a key that is the same for all providers of one repository: the same host may be named in several ways, or not at
 * all.
 * @param kind of the provider.
 */
export function addressOf(
  kind: string,
  { host, repository }: { host?: string | undefined; repository: string },
): string {
  const server = kind.replace(/^github-.*/, 'github');
  const authority = (hostOf({ kind, host }) ?? '').replace(/^https:\/\//, '');
  return [server, authority, repository].join(' ').toLowerCase();
}
