import { hydratorMetadataFile } from '@interlock/git';
import { parse, stringify } from 'yaml';
import type { LocalRepository } from '../git.js';
import { commitFiles, readFiles } from '../repository/commit.js';
import { demoEnvironments, environmentBranch, type DemoEnvironment } from './sources.js';

interface Kustomization {
  resources: string[];
  namespace?: string;
  replicas?: { name: string; count: number }[];
  images?: { name: string; newTag: string }[];
}

interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  spec?: {
    replicas?: number;
    template?: { spec: { containers: { image: string }[] } };
  };
}

/**
 * Renders a dry commit for every environment and commits the results to the proposed branches, as Argo CD's source
 * hydrator does. Supports only the Kustomize fields that the demo uses: resources, namespace, replicas, images.
 */
export async function hydrate(repository: LocalRepository, drySHA: string, time: number): Promise<void> {
  const sources = await readFiles(repository, drySHA);
  const subject = await repository.git(['show', '-s', '--format=%s', drySHA]);
  const author = await repository.git(['show', '-s', '--format=%an <%ae>', drySHA]);
  const metadata = { drySha: drySHA, author, date: new Date(time).toISOString(), subject };
  for (const environment of demoEnvironments) {
    await commitFiles(repository, {
      branch: `${environmentBranch(environment)}-next`,
      message: `${drySHA.slice(0, 7)}: ${subject}`,
      time,
      files: new Map([
        ['manifest.yaml', render(sources, environment)],
        ['README.md', `Rendered from overlays/${environment} of ${drySHA}.\n`],
        [hydratorMetadataFile, `${JSON.stringify(metadata, null, 2)}\n`],
      ]),
    });
  }
}

/** Returns the manifests of an environment. */
export function render(sources: ReadonlyMap<string, string>, environment: DemoEnvironment): string {
  const read = (path: string): unknown => parse(sources.get(path) ?? '');
  const overlay = read(`overlays/${environment}/kustomization.yaml`) as Kustomization;
  const base = read('base/kustomization.yaml') as Kustomization;
  const manifests = base.resources.map((file) => read(`base/${file}`) as Manifest);
  return manifests.map((manifest) => stringify(customize(manifest, overlay))).join('---\n');
}

function customize(manifest: Manifest, { namespace, replicas = [], images = [] }: Kustomization): Manifest {
  const count = replicas.find(({ name }) => name === manifest.metadata.name)?.count;
  if (namespace !== undefined) manifest.metadata.namespace = namespace;
  if (count !== undefined && manifest.kind === 'Deployment' && manifest.spec) manifest.spec.replicas = count;
  for (const container of manifest.spec?.template?.spec.containers ?? []) {
    const tag = images.find(({ name }) => name === container.image)?.newTag;
    if (tag !== undefined) container.image += `:${tag}`;
  }
  return manifest;
}
