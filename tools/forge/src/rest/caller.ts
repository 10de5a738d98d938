import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';

/** The caller of a request. */
export interface Caller {
  /** The name in the journal. */
  name: string;
  /** The key of the rate limit that is used. */
  budget: string;
}

export interface TokenCaller extends Caller {
  /** Undefined if the token is missing or not valid. */
  actor: Actor | undefined;
}

/** Returns the owner of the token, for an API that supports only tokens. */
export function tokenCaller({ accounts }: Domain, token: string | undefined): TokenCaller {
  const actor = token === undefined ? undefined : accounts.authenticate(token);
  if (actor === undefined) return { actor, name: 'anonymous', budget: 'nobody' };
  return { actor, name: actor.account.login, budget: `user ${actor.account.id}` };
}
