import { EventResponse, type KubeObject } from '@interlock/api';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

interface Schema {
  properties?: Record<string, Schema>;
  'x-kubernetes-validations'?: object[];
}
type Definition = KubeObject & { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } };

/** Replaces the change that a response requests. */
async function ask(name: string, parameters: Record<string, string>): Promise<void> {
  const { client } = fixture.platform;
  const { metadata, spec } = await client.get(EventResponse, { name });
  const patch = { spec: { action: { ...spec.action, parameters } } };
  await client.patch(
    EventResponse,
    { name: metadata.name },
    { type: 'merge', patch },
    { fieldManager: 'person' },
  );
}

/** Installs a definition without immutable EventResponses, like the definition of ugallu without its admission policy. */
async function allowChanges(): Promise<void> {
  const { client } = fixture.platform;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${EventResponse.plural}.${EventResponse.group}`;
  const definition = await client.raw<Definition>({ method: 'GET', path });
  for (const { schema } of definition.spec.versions) {
    delete schema.openAPIV3Schema.properties?.['spec']?.['x-kubernetes-validations'];
  }
  await client.raw({ method: 'PUT', path, body: definition });
}

it('refuses a change to the spec of a response', async () => {
  const name = await fixture.respond('nobody', { path: 'a.txt', contents: 'b\n' });
  await expect(ask(name, { path: 'c.txt', contents: 'd\n' })).rejects.toThrow(/immutable/);
});

it('opens a pull request with the files of its plan, when the operations change between attempts', async () => {
  await allowChanges();
  const target = await fixture.target({ 'kept.txt': 'k\n' });
  await fixture.route(target.route());
  fixture.platform.forge.faults.add({
    match: { actor: target.login, path: `*/repos/${target.fullName}/pulls`, method: 'POST' },
    times: 1,
    status: 502,
    body: { message: 'not now' },
  });
  const retryPolicy = { maxAttempts: 3, backoffStrategy: 'Fixed', initialDelay: '40s' } as const;
  const name = await fixture.respond(target.actionRef, { path: 'a.txt', contents: 'a\n' }, { retryPolicy });
  await fixture.statusIs(name, ({ nextAttemptAt }) => expect(nextAttemptAt).toBeDefined());
  expect(await target.branches()).toHaveLength(1);
  await ask(name, { path: 'b.txt', contents: 'b\n' });
  await fixture.later(41_000);
  const { plan, changeRequest } = await fixture.statusIs(name, ({ phase }) =>
    expect(phase).toBe('Succeeded'),
  );
  expect(plan?.files).toEqual([{ path: 'b.txt', change: 'add' }]);
  const changed = await target.local.lines(['diff', '--name-only', `main...${changeRequest?.branch ?? ''}`]);
  expect(changed).toEqual(['b.txt']);
  expect(await target.pulls()).toHaveLength(1);
});
