import type { EventResponseStatus } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import type { Target } from './harness/target.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

const path = 'rbac/bindings.yaml';
const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;
const kind = 'ClusterRoleBinding';
const bindings = ['apiVersion: v1', 'kind: List', 'items:'].concat(
  ['readers', 'too-broad'].flatMap((name) => [
    `- apiVersion: ${apiVersion}`,
    `  kind: ${kind}`,
    `  metadata: {name: ${name}}`,
  ]),
);
const files = { [path]: `${bindings.join('\n')}\n`, 'kept.yaml': 'kind: ConfigMap\n' };
const deletion = (name: string, at = path) => ({
  changes: JSON.stringify([{ op: 'yaml.deleteDocument', path: at, select: { kind, name } }]),
});

async function routed(): Promise<Target> {
  const target = await fixture.target(files);
  await fixture.route(target.route());
  return target;
}

function ended(name: string): Promise<EventResponseStatus> {
  return fixture.statusIs(name, ({ phase }) => expect(['Succeeded', 'Failed']).toContain(phase));
}

describe('a deletion', () => {
  it.each<[string, Record<string, string>, string]>([
    ['of a document in a missing file', deletion('too-broad', 'rbac/binding.yaml'), 'FileNotFound'],
    ['of a document that the file does not contain', deletion('to-broad'), 'DocumentNotFound'],
    ['of a missing file', { path: 'rbac/binding.yaml', delete: 'true' }, 'FileNotFound'],
  ])('%s fails, and names the missing target', async (_, parameters, reason) => {
    const target = await routed();
    const { phase, error } = await ended(await fixture.respond(target.actionRef, parameters));
    expect({ phase, reason: error?.reason }).toEqual({ phase: 'Failed', reason });
    expect(error?.detail).toMatch(/rbac\/binding/);
    expect(await target.branches()).toEqual([]);
  });

  it('of an item of a List does not change the other items', async () => {
    const target = await routed();
    const { changeRequest } = await ended(await fixture.respond(target.actionRef, deletion('too-broad')));
    expect(await target.file(changeRequest?.branch ?? '', path)).toBe(`${bindings.slice(0, 6).join('\n')}\n`);
  });

  it('that is merged is not repeated once its subject is gone from the cluster', async () => {
    const target = await routed();
    const clusterRoleBinding = {
      group,
      version: 'v1',
      kind,
      plural: 'clusterrolebindings',
      namespaced: false,
    };
    const name = 'too-broad';
    const { client } = fixture.platform;
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
    await client.apply(clusterRoleBinding, { metadata: { name }, roleRef }, { fieldManager: 'flux' });
    await fixture.event('se-binding', { subject: { apiVersion, kind, name } });
    const about = { securityEventRef: { name: 'se-binding' } };
    const first = await fixture.respond(target.actionRef, deletion(name), about);
    await ended(first);
    await target.user.merge(target.fullName, 1);
    await fixture.later(700_000);
    await fixture.statusIs(first, ({ stage }) => expect(stage).toBe('Merged'));

    const again = await fixture.respond(target.actionRef, deletion(name), about);
    await fixture.statusIs(again, ({ phase, error }) =>
      expect({ phase, reason: error?.reason }).toEqual({ phase: 'Running', reason: 'SubjectRemains' }),
    );
    await client.delete(clusterRoleBinding, { name });
    await fixture.later(301_000);
    expect(await ended(again)).toMatchObject({
      phase: 'Succeeded',
      outcome: { type: 'NoActionNeeded' },
    });
    expect(await target.pulls()).toHaveLength(1);
  });
});
