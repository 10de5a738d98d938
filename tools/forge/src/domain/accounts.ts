import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { sameName, type Core } from './core.js';
import type { Account, App, Hook, Installation, Permissions, Token } from './model.js';
import { Refusal } from './refusal.js';

/** The caller of a request, identified by its token. */
export interface Actor {
  account: Account;
  token: Token;
  app?: App;
  installation?: Installation;
}

const tokenLifetimeMs = 60 * 60_000;

/** Users, organizations, Apps, their installations, and the tokens of all of them. */
export class Accounts {
  constructor(readonly core: Core) {}

  find(login: string): Account | undefined {
    return this.core.state.accounts.find((account) => sameName(account.login, login));
  }

  /** @throws Refusal `AlreadyExists`. */
  create(account: { login: string; type: Account['type']; name?: string; email?: string }): Account {
    const { login, type, name = login, email } = account;
    if (this.find(login) !== undefined) {
      throw new Refusal({ code: 'AlreadyExists', resource: 'User', field: 'login' });
    }
    const id = this.core.nextId();
    const created: Account = {
      id,
      login,
      type,
      name,
      email: email ?? `${id}+${login}@users.noreply.github.com`,
      createdAt: this.core.now(),
    };
    this.core.state.accounts.push(created);
    return created;
  }

  /** Returns the App and its private key, which the forge does not store. */
  async createApp(app: {
    name: string;
    owner: Account;
    permissions: Permissions;
    events: string[];
    hook?: Hook | undefined;
  }): Promise<{ app: App; privateKeyPem: string }> {
    const { name, owner, permissions, events, hook } = app;
    const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const bot = this.create({ login: `${slug}[bot]`, type: 'Bot' });
    const keys = await promisify(generateKeyPair)('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const id = this.core.nextId();
    const created: App = {
      id,
      clientId: `Iv23li${randomBytes(7).toString('hex')}`,
      slug,
      name,
      ownerId: owner.id,
      botId: bot.id,
      publicKeyPem: keys.publicKey,
      permissions,
      events,
      createdAt: this.core.now(),
      hook,
    };
    this.core.state.apps.push(created);
    return { app: created, privateKeyPem: keys.privateKey };
  }

  install(app: App, account: Account, repositoryIds?: number[]): Installation {
    const installation: Installation = {
      id: this.core.nextId(),
      appId: app.id,
      accountId: account.id,
      permissions: app.permissions,
      createdAt: this.core.now(),
      repositoryIds,
    };
    this.core.state.installations.push(installation);
    return installation;
  }

  /** Deletes an installation and its tokens. */
  uninstall({ id }: Installation): void {
    const { state } = this.core;
    state.installations = state.installations.filter((installation) => installation.id !== id);
    state.tokens = state.tokens.filter(({ installationId }) => installationId !== id);
  }

  createUserToken(user: Account): Token {
    return this.#add({ value: `ghp_${secret()}`, userId: user.id });
  }

  /**
   * Returns a token that expires after an hour. Without restrictions, it has all permissions and repositories of the
   * installation.
   */
  createInstallationToken(
    installation: Installation,
    narrowing: { repositoryIds?: number[] | undefined; permissions?: Permissions | undefined },
  ): Token & { expiresAt: number } {
    const now = this.core.clock.now();
    this.core.state.tokens = this.core.state.tokens.filter(
      ({ expiresAt }) => expiresAt === undefined || expiresAt > now,
    );
    const token = {
      value: `ghs_${secret()}`,
      installationId: installation.id,
      expiresAt: Math.floor(now / 1000) * 1000 + tokenLifetimeMs,
      ...narrowing,
    };
    this.#add(token);
    return token;
  }

  /** Returns the owner of a token, or undefined if the token is unknown or has expired. */
  authenticate(value: string): Actor | undefined {
    const { tokens, installations, apps } = this.core.state;
    const token = tokens.find((candidate) => candidate.value === value);
    if (token === undefined || (token.expiresAt ?? Infinity) <= this.core.clock.now()) return undefined;
    if (token.userId !== undefined) return { account: this.core.account(token.userId), token };
    const installation = installations.find(({ id }) => id === token.installationId);
    const app = apps.find(({ id }) => id === installation?.appId);
    if (installation === undefined || app === undefined) return undefined;
    return { account: this.core.account(app.botId), token, app, installation };
  }

  revoke({ value }: Token): void {
    this.core.state.tokens = this.core.state.tokens.filter((token) => token.value !== value);
  }

  #add(token: Token): Token {
    this.core.state.tokens.push(token);
    return token;
  }
}

/** Returns 36 letters and digits, as many as GitHub's tokens have. */
function secret(): string {
  return randomBytes(48).toString('base64').replace(/[+/=]/g, '').padEnd(36, '0').slice(0, 36);
}
