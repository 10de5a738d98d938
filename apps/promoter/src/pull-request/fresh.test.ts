import { ProposedCommit, RevertCommit, type KubeObject } from '@interlock/api';
import { expect, it } from '@jest/globals';
import { controllerReference, type Client } from '@interlock/kube';
import { proposedCommit } from '../testing/objects.js';
import { FreshReader } from './fresh.js';
import { at, pullRequest } from './testing/builders.js';

const owner = proposedCommit({ metadata: { uid: 'u1' } });

it.each([
  ['returns the controller of an object', ProposedCommit, {}, true],
  ['does not return a controller that is being deleted', ProposedCommit, { deletionTimestamp: at }, false],
  ['does not return another object of the same name', ProposedCommit, { uid: 'u2' }, false],
  ['does not return a controller of another kind', RevertCommit, {}, false],
])('%s', async (_, kind, differences, isReturned) => {
  const stored = { ...owner, metadata: { ...owner.metadata, ...differences } };
  const client = { get: () => Promise.resolve(stored) } as unknown as Pick<Client, 'get' | 'list'>;
  const owned = pullRequest();
  owned.metadata.ownerReferences = [controllerReference(owner)];
  const read = await new FreshReader(client, { namespace: 'team' }).controllerOf<KubeObject>(kind, owned);
  expect(read).toBe(isReturned ? stored : undefined);
});
