import { createHash, timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '../schema/types.js';
import type { ServiceAccountTokens, TokenVerdict } from './service-account-tokens.js';
import { adminUser, anonymous, userInfo, type User } from './users.js';

/** The credentials that the server accepts. */
export interface Authenticator {
  /** Returns the user of a request by its `Authorization` header; undefined when a bearer token is not valid (401). */
  authenticate(authorization: string | undefined): User | undefined;
  /** Returns the status of a TokenReview by its spec. */
  reviewToken(spec: { token?: string; audiences?: readonly string[] }): JsonObject;
}

/** Returns the authenticator of a server. `adminToken`: a token whose holder is in system:masters. */
export function authenticator(adminToken: string, tokens: ServiceAccountTokens): Authenticator {
  const admin = digest(adminToken);
  const verify = (token: string, audiences?: readonly string[]): TokenVerdict =>
    timingSafeEqual(digest(token), admin)
      ? { user: adminUser, audiences: [...(audiences ?? [])] }
      : tokens.verify(token, audiences);
  return {
    authenticate(authorization) {
      const [scheme = '', token = ''] = (authorization ?? '').trim().split(/\s+/, 2);
      if (scheme.toLowerCase() !== 'bearer' || token === '') return anonymous;
      const verdict = verify(token);
      return 'user' in verdict ? verdict.user : undefined;
    },
    reviewToken({ token = '', audiences = [] }) {
      const verdict = verify(token, audiences.length === 0 ? undefined : audiences);
      if ('user' in verdict) {
        return {
          authenticated: true,
          user: userInfo(verdict.user),
          ...(verdict.audiences.length === 0 ? {} : { audiences: verdict.audiences }),
        };
      }
      const invalid = 'invalid bearer token';
      return { user: {}, error: verdict.error === undefined ? invalid : `[${invalid}, ${verdict.error}]` };
    },
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
