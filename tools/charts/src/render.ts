import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Helm } from './helm.js';

/* Both src/ and dist/ are three levels below the root. */
const chartsFolder = fileURLToPath(new URL('../../../charts/', import.meta.url));

/** The oldest Kubernetes version that the charts support. */
export const leastKubeVersion = '1.30.0';

/** The charts of the controllers, which have permissions. */
export const appCharts = ['commit-status-sync', 'gate-controller', 'gitops-responder', 'promoter'] as const;
export type AppChart = (typeof appCharts)[number];

/**
 * The charts of the Actions gateway. The gmc is installed once, and the others once for each tenant, with permissions
 * only in its namespace.
 */
export const runnerCharts = ['agc', 'egress-proxy', 'gmc'] as const;
export type RunnerChart = (typeof runnerCharts)[number];

/** Values for a chart, as in a values file. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns a file or folder of the charts. */
export function chartsPath(...path: string[]): string {
  return join(chartsFolder, ...path);
}

/**
 * Renders charts of controllers, each with its name as the release. Returns the manifests as text, by chart.
 *
 * @param helm the path of the program
 * @param values the values of each chart to render
 * @throws Error with the output of Helm when it refuses a chart or its values
 */
export async function renderCharts<C extends AppChart | RunnerChart>(
  helm: string,
  namespace: string,
  values: Readonly<Record<C, Values>>,
): Promise<Map<C, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-charts-'));
  try {
    const program = new Helm({ path: helm, folder, home: join(folder, 'home') });
    const rendered = (Object.keys(values) as C[]).map(async (app): Promise<[C, string]> => {
      await copyChart(app, folder);
      const flags = [`--namespace=${namespace}`, `--kube-version=${leastKubeVersion}`, '--values=-'];
      return [app, await program.output(['template', app, app, ...flags], JSON.stringify(values[app]))];
    });
    return new Map(await Promise.all(rendered));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies a chart with its library chart, as `helm dependency build` does, so that the working tree does not change. */
async function copyChart(app: AppChart | RunnerChart, folder: string): Promise<void> {
  const isOwn = (path: string): boolean => !['charts', 'Chart.lock'].includes(basename(path));
  await cp(chartsPath(app), join(folder, app), { recursive: true, filter: isOwn });
  await cp(chartsPath('interlock-lib'), join(folder, app, 'charts/interlock-lib'), { recursive: true });
}
