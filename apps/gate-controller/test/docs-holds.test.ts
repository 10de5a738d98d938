import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, GateBinding, type KubeObject } from '@interlock/api';
import type { ApplyConfiguration } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace, fluxKinds, type ForeignKind } from '@interlock/stack';
import { parse } from 'yaml';
import { HoldFixture } from './harness/hold-fixture.js';

const page = readFileSync(new URL('../../../docs/gate-controller.md', import.meta.url), 'utf8');
const [, chapter = ''] = /^## Holding Flux objects\n(.*?)(?=^## |$(?![^]))/ms.exec(page) ?? [];
const examples = [...chapter.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
  ([, text = '']) => parse(text) as ApplyConfiguration & KubeObject,
);
const namespace = 'flux-system';
const fieldManager = 'team';
const { GitRepository, OCIRepository } = fluxKinds;

let fixture: HoldFixture;

beforeAll(async () => {
  fixture = await HoldFixture.start();
  await ensureNamespace(fixture.client, namespace);
});
afterAll(() => fixture.close());

function gate(name: string, closed: boolean): Promise<Gate> {
  return fixture.client.apply(Gate, { metadata: { namespace, name }, spec: { closed } }, { fieldManager });
}

async function suspended(kind: ForeignKind, name: string, expected: boolean): Promise<void> {
  await eventually(async () => {
    const { spec } = await fixture.client.get(kind, { namespace, name });
    expect(spec?.['suspend'] === true).toBe(expected);
  });
}

describe('docs/gate-controller.md, holding Flux objects', () => {
  it('contains examples that have the documented effect', async () => {
    expect(examples.map(({ kind }) => kind)).toEqual([GateBinding.kind, GitRepository.kind]);
    for (const name of ['change-freeze', 'bypass-signoff']) await gate(name, true);
    const url = 'https://git.example.com/shop';
    const shop = { metadata: { namespace, name: 'shop' }, spec: { url } };
    await fixture.client.apply(GitRepository, shop, { fieldManager });
    const image = { metadata: { namespace, name: 'image', labels: { tier: 'web' } }, spec: { url } };
    await fixture.client.apply(OCIRepository, image, { fieldManager });
    for (const example of examples) {
      const kind = example.kind === GateBinding.kind ? GateBinding : GitRepository;
      await fixture.client.apply<KubeObject>(kind, example, { fieldManager });
    }
    const all = [
      [GitRepository, 'shop'],
      [OCIRepository, 'image'],
      [GitRepository, 'blog'],
    ] as const;
    for (const [kind, name] of all) await suspended(kind, name, true);
    await gate('bypass-signoff', false);
    for (const [kind, name] of all) await suspended(kind, name, false);
  });
});
