import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';
import type { App } from '../domain/model.js';
import type { Caller } from '../rest/caller.js';
import { tokenOf } from '../rest/credentials.js';
import { GithubError } from './errors.js';
import { isJwt, verifyAppJwt } from './jwt.js';

type Identity =
  | { kind: 'nobody' }
  | { kind: 'refused'; error: GithubError }
  | { kind: 'app'; app: App }
  | { kind: 'actor'; actor: Actor };

/** The caller of a request. `owner` is GitHub's name of the account whose budget is used. */
export type GithubCaller = Identity & Caller & { owner: string };

/** Returns the caller that the `Authorization` header identifies. */
export function identify(domain: Domain, headers: IncomingHttpHeaders): GithubCaller {
  const identity = identityOf(domain, headers);
  return { ...identity, ...described(identity) };
}

function identityOf(domain: Domain, headers: IncomingHttpHeaders): Identity {
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

function described(identity: Identity): Caller & { owner: string } {
  switch (identity.kind) {
    case 'app': {
      const { id, slug } = identity.app;
      return { name: `app:${slug}`, budget: `app ${id}`, owner: `app ID ${id}` };
    }
    case 'actor': {
      const { account, installation } = identity.actor;
      const { login: name } = account;
      return installation === undefined
        ? { name, budget: `user ${account.id}`, owner: `user ID ${account.id}` }
        : { name, budget: `installation ${installation.id}`, owner: `installation ID ${installation.id}` };
    }
    case 'nobody':
    case 'refused':
      return { name: 'anonymous', budget: 'nobody', owner: '127.0.0.1' };
  }
}
