import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { Helm, locateHelm } from '../helm.js';
import { parseManifests, type Manifest } from '../manifest.js';
import { appCharts, leastKubeVersion, runnerCharts, type Values } from '../render.js';

export type { Manifest, Values };

export const root = fileURLToPath(new URL('../../../../', import.meta.url));

const helmPath = locateHelm();
if (helmPath === undefined) process.stdout.write('skipped: Helm is not available for this platform\n');

/** A group of tests that require Helm. */
export const describeWithHelm: typeof describe.skip = helmPath === undefined ? describe.skip : describe;

export const apps = appCharts;
/** Every chart that can be installed without values. */
export const charts = [...apps, 'interlock', 'interlock-crds'] as const;
/** Every chart that can be installed. */
export const allCharts = [...charts, ...runnerCharts] as const;
export type Chart = (typeof allCharts)[number];
/** The namespace of the tests, which differs from the default namespace of the apps. */
export const workshopNamespace = 'controllers';
export const kubeVersion = leastKubeVersion;

/** A copy of the charts with their dependencies, which {@link Workshop.close} deletes. */
export interface Workshop {
  readonly folder: string;
  /** Runs Helm in the folder of the copy of `charts/`. */
  readonly helm: Helm;
  /** Returns the objects of a chart. @throws Error when Helm fails or the YAML is malformed */
  render(chart: Chart, values?: Values, release?: string): Promise<Manifest[]>;
  close(): void;
}

/** @param withDependencies false if the caller runs `helm dependency build`. */
export async function openWorkshop({ withDependencies = true } = {}): Promise<Workshop> {
  const { folder, helm, close } = copyCharts();
  if (withDependencies)
    for (const [path, content] of await (dependencies ??= buildDependencies())) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  return {
    folder,
    helm,
    render: async (chart, values = {}, release = 'demo') =>
      parseManifests(await template(helm, chart, values, release)),
    close,
  };
}

function copyCharts(): Pick<Workshop, 'folder' | 'helm' | 'close'> {
  const folder = mkdtempSync(join(tmpdir(), 'charts-'));
  cpSync(join(root, 'charts'), join(folder, 'charts'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !isBuilt(relative(join(root, 'charts'), path)),
  });
  const helm = new Helm({ path: helmPath ?? '', folder, home: join(folder, 'home') });
  return { folder, helm, close: () => rmSync(folder, { recursive: true }) };
}

let dependencies: Promise<ReadonlyMap<string, Buffer>> | undefined;

/** Returns the files that `helm dependency build` writes, by their paths in a workshop: once for all of a process. */
async function buildDependencies(): Promise<Map<string, Buffer>> {
  const { folder, helm, close } = copyCharts();
  try {
    for (const chart of [...apps, ...runnerCharts, 'interlock'])
      await helm.output(['dependency', 'build', `charts/${chart}`]);
    const paths = readdirSync(join(folder, 'charts'), { recursive: true, encoding: 'utf8' })
      .filter((path) => isBuilt(path) && statSync(join(folder, 'charts', path)).isFile())
      .map((path) => join('charts', path));
    return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]));
  } finally {
    close();
  }
}

/** Opens a workshop before the tests of the calling block, and closes it after them. */
export function useWorkshop(): Workshop {
  let current: Workshop | undefined;
  beforeAll(async () => {
    current = await openWorkshop();
  });
  afterAll(() => current?.close());
  const workshop = (): Workshop => {
    if (current === undefined) throw new Error('a workshop is open only while tests run');
    return current;
  };
  return {
    get folder() {
      return workshop().folder;
    },
    get helm() {
      return workshop().helm;
    },
    render: (...parts) => workshop().render(...parts),
    close: () => workshop().close(),
  };
}

/** Returns whether `helm dependency build` writes the file, of which this is the path in `charts/`. */
function isBuilt(path: string): boolean {
  return /^[^/]+\/(charts|Chart\.lock)(\/|$)/.test(path);
}

function template(helm: Helm, chart: Chart, values: Values, release: string): Promise<string> {
  return helm.output(
    [
      'template',
      release,
      `charts/${chart}`,
      `--namespace=${workshopNamespace}`,
      `--kube-version=${kubeVersion}`,
      '--values=-',
    ],
    JSON.stringify(values),
  );
}

/** Returns the only object of a kind. @throws Error if there is not exactly one */
export function only(manifests: readonly Manifest[], kind: string): Manifest {
  const [one, ...more] = manifests.filter((manifest) => manifest.kind === kind);
  if (one === undefined || more.length > 0)
    throw new Error(`${String(more.length + Number(one !== undefined))} ${kind}`);
  return one;
}

/** Returns whether a role is for users: it is aggregated into a role of Kubernetes, and has no binding. */
export function isForUsers({ metadata }: Manifest): boolean {
  return Object.keys(metadata.labels ?? {}).some((key) => key.includes('/aggregate-to-'));
}
