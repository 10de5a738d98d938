import type { CallOptions } from '../call-options.js';
import type { GovernorLimits } from '../scm.js';
import type { ScmCaller } from '../metrics.js';
import type { Authorization, GithubTransport } from './transport.js';

export interface GithubRepositoryName {
  owner: string;
  name: string;
}

/** The purpose of an authorization. */
export interface Purpose {
  repository: GithubRepositoryName;
  caller: ScmCaller;
  signal?: AbortSignal | undefined;
}

export interface GithubAuthorization extends Authorization {
  /** Identifies the credential without revealing it. */
  id: string;
  /** Also the password for git. */
  token: string;
}

/** The reason of a refused authorization: it is not valid, or it lacks a permission. */
export type AuthorizationRefusal = 'BadCredentials' | 'Forbidden';

/** A GitHub App or a token. Shared by all connections with the same secret. */
export interface GithubCredential {
  /** The id of a GitHub App. Only an App may write check runs. */
  readonly appId: number | undefined;
  authorize(transport: GithubTransport, purpose: Purpose): Promise<GithubAuthorization>;
  /** Handles a refusal of the authorization by the API. Returns whether to retry with a new authorization. */
  renew(authorization: GithubAuthorization, refusal: AuthorizationRefusal): boolean;
  /** Returns the name under which GitHub records what this credential does. */
  login(transport: GithubTransport, caller: ScmCaller, options?: CallOptions): Promise<string>;
}

/**
 * GitHub, "Rate limits for the REST API": at most 100 requests at once, shared with everything else that uses the
 * credential, and at most 80 that create content in a minute, and 500 in an hour.
 */
export const githubLimits: GovernorLimits = {
  concurrency: 10,
  queueLimit: 1000,
  maxWaitMs: 10_000,
  writes: { burst: 20, perSecond: 1, contentPerHour: 500 },
};
