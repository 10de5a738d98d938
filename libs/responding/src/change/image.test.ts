import { describe, expect, it } from '@jest/globals';
import { parseImage } from './image.js';
import type { ImageSet } from './operation.js';
import { planChange } from './plan.js';

const digest = `sha256:${'0'.repeat(64)}`;

function set(text: string, wanted: Partial<ImageSet>, path = 'a.yaml'): string {
  const operation: ImageSet = { op: 'image.set', path, image: 'ghcr.io/org/app', ...wanted };
  return planChange([operation], () => ({ text })).files[0]?.content ?? text;
}

const pod = (app: string, sidecar = 'envoy:v1') =>
  `kind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: app\n        image: ${app} # app\n      - image: ${sidecar}\n        name: envoy\n`;
const release = (values: string) =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  values:\n${values}`;

describe('image.set', () => {
  it('reads a file with many documents once for all that do not use the image', () => {
    const others = Array.from({ length: 1000 }, (_, index) => `---\n${pod(`other:v${index}`)}`).join('');
    const text = (tag: string) => `${pod(`ghcr.io/org/app:${tag}`)}${others}`;
    expect(set(text('v1'), { newTag: 'v2' })).toBe(text('v2'));
  });

  it.each<[string, string, Partial<ImageSet>, string]>([
    ['a container', pod('ghcr.io/org/app:v1'), { newTag: 'v2' }, pod('ghcr.io/org/app:v2')],
    ['a digest', pod('ghcr.io/org/app:v1'), { digest }, pod(`ghcr.io/org/app@${digest}`)],
    ['a tag for a digest', pod(`ghcr.io/org/app@${digest}`), { newTag: 'v2' }, pod('ghcr.io/org/app:v2')],
    ['a name only', pod('ghcr.io/org/app:v1'), { newName: 'quay.io/app' }, pod('quay.io/app:v1')],
    ['an image that is already set', pod('ghcr.io/org/app:v2'), { newTag: 'v2' }, pod('ghcr.io/org/app:v2')],
    [
      'one of two containers',
      pod('ghcr.io/org/app:v1', 'ghcr.io/org/app:v1'),
      { newTag: 'v2', container: 'envoy' },
      pod('ghcr.io/org/app:v1', 'ghcr.io/org/app:v2'),
    ],
    [
      'an anchor and its alias',
      pod('&image ghcr.io/org/app:v1', '*image'),
      { newTag: 'v2' },
      pod('&image ghcr.io/org/app:v2', '*image'),
    ],
    [
      'an anchor whose alias is in another container',
      pod('&image ghcr.io/org/app:v1', '*image'),
      { newTag: 'v2', container: 'app' },
      pod('&image ghcr.io/org/app:v2', '"ghcr.io/org/app:v1"'),
    ],
    [
      'an anchor of a container that other containers merge',
      'kind: Pod\nspec:\n  containers:\n  - &app\n    name: a\n    image: ghcr.io/org/app:v1\n  - <<: *app\n    name: b\n',
      { newTag: 'v2' },
      'kind: Pod\nspec:\n  containers:\n  - &app\n    name: a\n    image: ghcr.io/org/app:v2\n  - <<: *app\n    name: b\n',
    ],
    [
      'repository and tag of a release',
      release('    image:\n      repository: ghcr.io/org/app # r\n      tag: "v1"\n'),
      { newTag: 'v2' },
      release('    image:\n      repository: ghcr.io/org/app # r\n      tag: "v2"\n'),
    ],
    [
      'registry and repository of a release',
      release(
        '    x:\n    - registry: ghcr.io\n      repository: org/app\n      tag: v1\n      digest: old\n',
      ),
      { newTag: 'v2', newName: 'ghcr.io/org/other' },
      release(
        '    x:\n    - registry: ghcr.io\n      repository: org/other\n      tag: v2\n      digest: ""\n',
      ),
    ],
    [
      'an image of a release',
      release('    image: ghcr.io/org/app:v1\n'),
      { newTag: 'v2' },
      release('    image: ghcr.io/org/app:v2\n'),
    ],
    [
      'images of a Flux Kustomization',
      'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n  images:\n  - name: x\n    newTag: v1\n',
      { newTag: 'v2' },
      'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n  images:\n  - name: x\n    newTag: v1\n  - name: ghcr.io/org/app\n    newTag: v2\n',
    ],
  ])('sets %s', (_, before, wanted, after) => {
    expect(set(before, wanted)).toBe(after);
  });

  it.each<[string, Partial<ImageSet>, string]>([
    [
      'resources: [a]\n',
      { newTag: 'v2' },
      'resources: [a]\nimages:\n- name: ghcr.io/org/app\n  newTag: v2\n',
    ],
    [
      'images:\n- name: ghcr.io/org/app\n  newTag: v1 # pinned\n',
      { digest },
      `images:\n- name: ghcr.io/org/app\n  digest: ${digest}\n`,
    ],
  ])('sets images of a kustomization: %j', (before, wanted, after) => {
    expect(set(before, wanted, 'apps/kustomization.yaml')).toBe(after);
  });

  it.each<[string, Partial<ImageSet>]>([
    [pod('ghcr.io/org/application:v1'), { newTag: 'v2' }],
    [pod('ghcr.io/org/app:v1'), { newTag: 'v2', container: 'other' }],
    [release('    image:\n      tag: v1\n'), { newTag: 'v2' }],
  ])('reports that the image is not used: %j', (text, wanted) => {
    expect(() => set(text, wanted)).toThrow(expect.objectContaining({ reason: 'ImageNotFound' }));
  });
});

describe('parseImage', () => {
  it.each([
    ['app', { name: 'app' }],
    ['host:5000/app', { name: 'host:5000/app' }],
    ['host:5000/app:v1', { name: 'host:5000/app', tag: 'v1' }],
    [`app:v1@${digest}`, { name: 'app', tag: 'v1', digest }],
  ])('reads %j', (text, expected) => {
    expect(parseImage(text)).toEqual(expected);
  });
});
