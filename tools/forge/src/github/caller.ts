import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { App } from '../domain/model.js';
import { tokenOf } from '../rest/credentials.js';
import { GithubError } from './errors.js';
import { isJwt, verifyAppJwt } from './jwt.js';

/** Who makes a request, by what its `Authorization` header says. */
export type Caller =
  | { kind: 'nobody' }
  | { kind: 'refused'; error: GithubError }
  | { kind: 'app'; app: App }
  | { kind: 'actor'; actor: Actor };

export function identify(domain: Domain, headers: IncomingHttpHeaders): Caller {
  const token = tokenOf(headers);
  if (token === undefined) return { kind: 'nobody' };
  if (!isJwt(token)) {
    const actor = domain.accounts.authenticate(token);
    if (actor !== undefined) return { kind: 'actor', actor };
    return { kind: 'refused', error: new GithubError(401, 'Bad credentials') };
  }
  try {
    return { kind: 'app', app: verifyAppJwt(token, domain.core.state.apps, domain.core.clock) };
  } catch (error) {
    if (error instanceof GithubError) return { kind: 'refused', error };
    throw error;
  }
}

/** @returns the name for the journal. */
export function nameOf(caller: Caller): string {
  switch (caller.kind) {
    case 'app':
      return `app:${caller.app.slug}`;
    case 'actor':
      return caller.actor.account.login;
    case 'nobody':
    case 'refused':
      return 'anonymous';
  }
}

/** @returns whose budget of requests is used, and how GitHub calls it. */
export function budgetOf(caller: Caller): { key: string; owner: string } {
  switch (caller.kind) {
    case 'app':
      return { key: `app ${caller.app.id}`, owner: `app ID ${caller.app.id}` };
    case 'actor': {
      const { account, installation } = caller.actor;
      return installation === undefined
        ? { key: `user ${account.id}`, owner: `user ID ${account.id}` }
        : { key: `installation ${installation.id}`, owner: `installation ID ${installation.id}` };
    }
    case 'nobody':
    case 'refused':
      return { key: 'nobody', owner: '127.0.0.1' };
  }
}
