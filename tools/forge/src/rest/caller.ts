import type { Actor } from '../domain/accounts.js';
import type { Domain } from '../domain/domain.js';

/** Who makes a request. */
export interface Caller {
  /** For the journal. */
  name: string;
  /** The key of the budget of requests that is used. */
  budget: string;
}

export interface TokenCaller extends Caller {
  /** Undefined without a token that is known. */
  actor: Actor | undefined;
}

/** Returns whose token it is, for an API that knows tokens only. */
export function tokenCaller({ accounts }: Domain, token: string | undefined): TokenCaller {
  const actor = token === undefined ? undefined : accounts.authenticate(token);
  if (actor === undefined) return { actor, name: 'anonymous', budget: 'nobody' };
  return { actor, name: actor.account.login, budget: `user ${actor.account.id}` };
}
