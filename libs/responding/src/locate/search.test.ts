import { describe, expect, it } from '@jest/globals';
import type { Delivery } from './delivery.js';
import { searchDocument } from './search.js';

const delivery: Delivery = {
  type: 'found',
  url: 'https://x/y',
  folder: 'apps',
  by: 'Kustomization a/b',
  object: { kind: 'ConfigMap', name: 'c' },
  isHelm: false,
  transform: { prefix: '', suffix: '' },
  recurse: true,
};
const manifest = 'kind: ConfigMap\nmetadata: {name: c}\n';

/** Searches files of a repository. Returns the result, and the paths that were read. */
async function search(files: Record<string, string>) {
  const read: string[] = [];
  const found = await searchDocument(delivery, (path) => {
    read.push(path);
    const below = Object.entries(files).filter(([name]) => name === path || name.startsWith(`${path}/`));
    return Promise.resolve(new Map(below));
  });
  return { found, read };
}

describe('searchDocument', () => {
  it('reads the other folders that a kustomization names', async () => {
    const files = {
      'apps/kustomization.yaml': 'resources: [../base]\n',
      'base/kustomization.yaml': 'resources: [c.yaml]\n',
      'base/c.yaml': manifest,
    };
    expect(await search(files)).toMatchObject({ found: { path: 'base/c.yaml' }, read: ['apps', 'base'] });
  });

  it('reads the folders of several hundred apps that the kustomization of a cluster names', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `app-${index}`);
    const bases = names.map((name) => [`base/${name}/kustomization.yaml`, 'resources: [c.yaml]\n']);
    const entries = names.map((name) => `- ../base/${name}\n`).join('');
    const files = {
      'apps/kustomization.yaml': `resources:\n${entries}`,
      ...(Object.fromEntries(bases) as Record<string, string>),
      'base/app-299/c.yaml': manifest,
    };
    expect(await search(files)).toMatchObject({ found: { path: 'base/app-299/c.yaml' } });
  });

  it('reads a path that is not in the repository once, and names it', async () => {
    const remote = 'github.com/org/base?ref=v1';
    const { found, read } = await search({ 'apps/kustomization.yaml': `resources: [${remote}]\n` });
    expect(found).toEqual({
      type: 'notFound',
      reason: `ConfigMap c is not in "apps", the folder that Kustomization a/b delivers, and "apps/${remote}", which a kustomization lists, is neither a file nor a folder with a kustomization`,
    });
    expect(read).toEqual(['apps', `apps/${remote}`]);
  });

  it('does not read the paths of a kustomization that names many', async () => {
    const entries = Array.from({ length: 1000 }, (_, index) => `- ../base-${index}\n`).join('');
    const { found, read } = await search({ 'apps/kustomization.yaml': `resources:\n${entries}` });
    expect(found).toEqual({
      type: 'notFound',
      reason: 'the kustomizations name more than 500 paths in other folders',
    });
    expect(read).toEqual(['apps']);
  });
});
