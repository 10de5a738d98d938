import { bodyOf } from '../http/governed.js';
import type { ScmContext } from '../scm.js';
import { githubLimits, type GithubAuthorization, type GithubCredential } from './credential.js';

/** Returns a credential that is a personal access token, classic or fine-grained. */
export function tokenCredential(id: string, token: string, context: ScmContext): GithubCredential {
  const authorization = (): GithubAuthorization => ({
    id,
    token,
    header: `Bearer ${token}`,
    governor: context.governor(id, githubLimits),
  });
  let login: string | undefined;
  return {
    appId: undefined,
    authorize: () => Promise.resolve(authorization()),
    renew: () => false,
    async login(transport, caller, options = {}) {
      if (login !== undefined) return login;
      const answer = await transport.send(
        authorization(),
        'GET /user',
        {},
        {
          api: 'Auth',
          operation: 'identify',
          what: 'identify the token',
          caller,
          priority: options.priority ?? 'read',
          signal: options.signal,
        },
      );
      ({ login } = bodyOf(answer));
      return login;
    },
  };
}
