import { describe, expect, it } from '@jest/globals';
import type { Client } from '@interlock/kube';
import { refusalToUse } from './authorize.js';

const scopes = { 'scopes.authorization.openshift.io': ['user:info'] };
const user = { username: 'ann', uid: 'uid-1', groups: ['devs'], extra: scopes };
const gate = { namespace: 'apps', name: 'prod' };

/** Returns a client of an API server that answers every access review, and the reviews. */
function reviews(allowed: boolean) {
  const sent: Parameters<Client['raw']>[0][] = [];
  const raw = async (request: Parameters<Client['raw']>[0]) => {
    sent.push(request);
    return { status: { allowed } };
  };
  return { sent, client: { raw } as unknown as Pick<Client, 'raw'> };
}

const refusalOf = ({ client }: ReturnType<typeof reviews>) =>
  refusalToUse(client, user, 'open', gate, AbortSignal.timeout(60_000));

describe('refusalToUse', () => {
  it('asks about the user with its extra fields, by which authorizers restrict a token', async () => {
    const asked = reviews(true);
    expect(await refusalOf(asked)).toBeUndefined();
    expect(asked.sent).toMatchObject([
      {
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        /* Otherwise a lost connection would refuse the override. */
        isIdempotent: true,
        body: {
          spec: {
            ...{ user: 'ann', uid: 'uid-1', groups: ['devs'], extra: scopes },
            resourceAttributes: { ...gate, verb: 'open', resource: 'gates' },
          },
        },
      },
    ]);
  });

  it('names the verb and the gate of a refusal', async () => {
    expect((await refusalOf(reviews(false)))?.message).toMatch(/^user "ann" may not open Gate apps\/prod; /);
  });
});
