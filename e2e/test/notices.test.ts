import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const apps = ['promoter', 'commit-status-sync', 'gate-controller', 'gitops-responder', 'cli'];

interface Component {
  type: string;
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  licenses: ({ license: { id: string } } | { expression: string })[];
  purl: string;
}
interface Bill {
  bomFormat: string;
  specVersion: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}
interface Manifest {
  name: string;
  version: string;
  license: string;
}

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const billOf = (app: string): Bill => JSON.parse(read('apps', app, 'dist/sbom.cdx.json')) as Bill;

/** The metadata of a bundle from esbuild. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** Returns the folders of the packages in a bundle. */
function bundledFolders(app: string): string[] {
  const { outputs } = JSON.parse(read('apps', app, 'dist/meta.json')) as Metafile;
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput === 0 ? [] : (/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  return [...new Set(folders)].sort();
}

describe.each(apps)('the bundle of %s', (app) => {
  it('has a bill of materials with exactly the packages in it', () => {
    const bundled = bundledFolders(app).map((folder) => JSON.parse(read(folder, 'package.json')) as Manifest);
    const { bomFormat, specVersion, metadata, components, dependencies } = billOf(app);
    expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    const names = components.map(
      ({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`,
    );
    expect(bundled.length).toBeGreaterThan(20);
    const expected = new Set(bundled.map(({ name, version }) => `${name} ${version}`));
    expect(names.sort()).toEqual([...expected].sort());
    expect(dependencies).toEqual([
      { ref: metadata.component['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) },
    ]);
    for (const { purl, licenses } of components) {
      expect(purl).toMatch(/^pkg:npm\/(%40[^/]+\/)?[^/@]+@\d/);
      expect(JSON.stringify(licenses)).toMatch(/"(id|expression)":"[A-Za-z0-9.+() -]+"/);
    }
  });

  it('has notices with the license texts of these packages', () => {
    const notices = read('apps', app, 'dist/THIRD-PARTY-NOTICES.txt');
    for (const folder of bundledFolders(app)) {
      const { name, version, license } = JSON.parse(read(folder, 'package.json')) as Manifest;
      expect(notices).toContain(`\n${name} ${version}\nLicense: ${license}\n`);
      const texts = readdirSync(join(root, folder)).filter((file) =>
        /^(licen[cs]e|notice)(\.(md|txt))?$/i.test(file),
      );
      for (const file of texts) expect(notices).toContain(read(folder, file).trim());
    }
  });
});
