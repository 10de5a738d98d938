import { TypedError } from '@interlock/api';

/** The body of a response of the GraphQL API, which has a success status even if the operation failed. */
export interface GraphqlAnswer<T> {
  data?: T | null;
  errors?: readonly { type?: string; message?: string }[];
}

/** Returns the URL of the GraphQL API that belongs to a REST API, of github.com or of a GitHub Enterprise Server. */
export function graphqlBase(apiUrl: string): string {
  return apiUrl.replace(/\/api\/v3$/, '/api');
}

/**
 * Returns the data of a response.
 *
 * @param what for messages
 * @throws TypedError of the first error: `Conflict` with reason `Blocked` for an operation that GitHub refuses
 */
export function dataOf<T>(what: string, { data, errors = [] }: GraphqlAnswer<T>): T {
  const [first] = errors;
  if (first === undefined && data != null) return data;
  const { type = '', message = 'no data' } = first ?? {};
  const text = `${what}: ${message}`;
  switch (type) {
    case 'NOT_FOUND':
      throw new TypedError('NotFound', text);
    case 'FORBIDDEN':
    case 'INSUFFICIENT_SCOPES':
      throw new TypedError('Unauthorized', text, { reason: 'Forbidden' });
    case 'RATE_LIMITED':
      throw new TypedError('RateLimited', text);
    case 'UNPROCESSABLE':
      throw new TypedError('Conflict', text, { reason: 'Blocked' });
    default:
      throw new TypedError('Invalid', text);
  }
}
