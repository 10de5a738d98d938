import type { ResponseRoute } from '@interlock/api';
import { expect, it } from '@jest/globals';
import { recordedRoute } from './recorded-route.js';

const provider = { kind: 'noop', repository: 'a/b', baseBranch: 'main' } as const;
const digest = (match: ResponseRoute['match'], index = 0): string | undefined =>
  recordedRoute({ index, route: { ...(match && { match }), provider } }, { name: 'default', generation: 1 })
    .matchDigest;

it('recognizes a route by its conditions, wherever it is in the list', () => {
  expect(digest({ actionRef: 'a', eventType: 'b' }, 3)).toBe(digest({ eventType: 'b', actionRef: 'a' }));
  expect(digest({})).toBe(digest(undefined));
  expect(digest({ actionRef: 'a' })).not.toBe(digest({ actionRef: 'b' }));
});
