import { recordLog } from '@interlock/base/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace } from '../fleet/install.js';
import { startPlatform, type Platform } from '../platform.js';
import { SimulatedFlux } from './flux.js';
import { installForeignKinds } from './install.js';
import { fluxKinds, type ForeignKind, type ForeignObject } from './kinds.js';
import { revisionOf } from './revisions.js';

const namespace = 'apps';
const [a, b] = ['a'.repeat(40), 'b'.repeat(40)];
const digest = `sha256:${'d'.repeat(64)}`;
const { GitRepository, OCIRepository, Kustomization } = fluxKinds;

let platform: Platform;
let flux: SimulatedFlux;

beforeAll(async () => {
  platform = await startPlatform();
  await installForeignKinds(platform.client, Object.values(fluxKinds));
  await ensureNamespace(platform.client, namespace);
  flux = new SimulatedFlux({ client: platform.connect('flux'), log: recordLog() });
  flux.start();
});
afterAll(async () => {
  await flux.stop();
  await platform.close();
});

async function apply(kind: ForeignKind, name: string, spec: object): Promise<void> {
  await platform.client.apply(kind, { metadata: { namespace, name }, spec }, { fieldManager: 'test' });
}

/** Waits until an object reports that its spec was observed. @returns its revision. */
function seen(kind: ForeignKind, name: string): Promise<string | undefined> {
  return eventually(async () => {
    const object = await platform.client.get(kind, { namespace, name });
    expect(object.status?.['observedGeneration']).toBe(object.metadata.generation);
    return revisionOf(object);
  });
}

const has = (kind: ForeignKind, name: string, revision: string) =>
  eventually(async () => expect(await seen(kind, name)).toBe(revision));

describe('the simulated Flux controllers', () => {
  it('fetch the revision of a remote, unless the source is suspended', async () => {
    const url = 'https://git.example/shop';
    await apply(GitRepository, 'shop', { url, ref: { branch: 'main' } });
    flux.setHead(url, `main@sha1:${a}`);
    await has(GitRepository, 'shop', `main@sha1:${a}`);
    await apply(GitRepository, 'shop', { url, ref: { branch: 'main' }, suspend: true });
    expect(await seen(GitRepository, 'shop')).toBe(`main@sha1:${a}`);
    flux.setHead(url, `main@sha1:${b}`);
    await apply(GitRepository, 'shop', { url, ref: { branch: 'main' }, suspend: true, interval: '1m' });
    expect(await seen(GitRepository, 'shop')).toBe(`main@sha1:${a}`);
    await apply(GitRepository, 'shop', { url, ref: { branch: 'main' } });
    await has(GitRepository, 'shop', `main@sha1:${b}`);
    expect(flux.taken.map(({ revision }) => revision)).toEqual([`main@sha1:${a}`, `main@sha1:${b}`]);
  });

  it('prefer the revision in the spec to the revision of the remote', async () => {
    const url = 'https://git.example/pinned';
    flux.setHead(url, `main@sha1:${b}`);
    await apply(GitRepository, 'on-branch', { url, ref: { branch: 'main', commit: a } });
    await apply(GitRepository, 'bare', { url, ref: { commit: a } });
    await apply(OCIRepository, 'image', { url, ref: { tag: 'v1', digest } });
    await has(GitRepository, 'on-branch', `main@sha1:${a}`);
    await has(GitRepository, 'bare', `sha1:${a}`);
    await has(OCIRepository, 'image', digest);
  });

  it('apply the revision of a source, unless the applier is suspended', async () => {
    const url = 'https://git.example/web';
    const sourceRef = { kind: 'GitRepository', name: 'web' };
    await apply(GitRepository, 'web', { url, ref: { branch: 'main' } });
    await apply(Kustomization, 'web', { sourceRef });
    flux.setHead(url, `main@sha1:${a}`);
    await has(Kustomization, 'web', `main@sha1:${a}`);
    await apply(Kustomization, 'web', { sourceRef, suspend: true });
    expect(await seen(Kustomization, 'web')).toBe(`main@sha1:${a}`);
    flux.setHead(url, `main@sha1:${b}`);
    await has(GitRepository, 'web', `main@sha1:${b}`);
    expect(await seen(Kustomization, 'web')).toBe(`main@sha1:${a}`);
  });

  it('can delay the reconciliation of an object', async () => {
    const url = 'https://git.example/slow';
    flux.wait('slow');
    flux.setHead(url, `main@sha1:${a}`);
    await apply(GitRepository, 'slow', { url });
    await apply(GitRepository, 'quick', { url });
    await has(GitRepository, 'quick', `main@sha1:${a}`);
    const { status } = await platform.client.get<ForeignObject>(GitRepository, { namespace, name: 'slow' });
    expect(status).toBeUndefined();
    flux.go('slow');
    await has(GitRepository, 'slow', `main@sha1:${a}`);
  });
});
