import { readFile } from 'node:fs/promises';
import { gatewayFile, renderGateway } from './gateway.js';
import { gmcFile, renderGmc } from './gmc.js';
import { findHelm } from './helm.js';
import { parseManifests, type Manifest } from './manifest.js';
import { releaseNamespace, responderConfigNamespace } from './namespaces.js';
import {
  appCharts,
  chartsPath,
  renderCharts,
  type AppChart,
  type RunnerChart,
  type Values,
} from './render.js';

/** Stands for the forge in the files of `charts/rendered`, which are made before there is one. */
const anyForge = 'forge.invalid';

/** Values of a tenant whose jobs go through an egress proxy, in the files of `charts/rendered`. */
const tenantNamespace = 'team-a';
const tenantValues: Record<Exclude<RunnerChart, 'gmc'>, Values> = {
  agc: {
    githubUrl: 'https://github.com/my-org',
    githubAppSecret: 'github-app',
    proxy: {
      url: 'https://actions-gateway-proxy.team-a.svc:8080',
      caSecret: 'actions-gateway-proxy-tls',
    },
  },
  'egress-proxy': {
    allowedHosts: ['github.com', '*.github.com', '*.githubusercontent.com'],
    networkPolicy: { githubCIDRs: ['140.82.112.0/20'] },
  },
};

/** Values of the gmc there. Its release has the images of the digests that it was built with. */
const gmcValues: Record<'gmc', Values> = { gmc: { tenantImages: { requireDigests: false } } };

/** The manifests of the apps of `npm start`. */
export interface FleetManifests {
  /** What made them, for people. */
  source: string;
  /** In the order in which they have to be applied. */
  manifests: ReadonlyMap<AppChart, readonly Manifest[]>;
}

/**
 * Returns the manifests of the apps, from the charts by helm, or from the files of `charts/rendered` where there is no helm.
 * @param forgeHost host and port of the forge, which the apps reach without TLS
 * @param helm the path of the program; null: there is none
 * @throws Error with what helm prints when it refuses a chart
 */
export async function fleetManifests(
  forgeHost: string,
  helm: string | null = findHelm() ?? null,
): Promise<FleetManifests> {
  const texts = helm === null ? await readRendered() : await renderFleet(helm, forgeHost);
  const parsed = [...texts].map(
    ([app, text]) => [app, parseManifests(text.replaceAll(anyForge, forgeHost))] as const,
  );
  const source = helm === null ? 'the files of charts/rendered' : `the charts by ${helm}`;
  return { source, manifests: new Map(parsed) };
}

/** Returns the files of `charts/rendered`, by their names. */
export async function renderedFiles(helm: string): Promise<Map<string, string>> {
  const head = '# Rendered from the chart by "npx nx run charts:render". Do not edit.\n';
  const texts = [
    ...(await renderFleet(helm, anyForge)),
    ...(await renderCharts(helm, tenantNamespace, tenantValues)),
    ...(await renderCharts(helm, releaseNamespace, gmcValues)),
  ];
  return new Map([
    ...texts.map(([app, text]) => [fileOf(app), `${head}${text}`] as const),
    [gatewayFile, `${head}${await renderGateway(helm)}`],
    [gmcFile, `${head}${await renderGmc(helm)}`],
  ]);
}

/** Values as a user of the charts writes them, for a forge without TLS. */
function fleetValues(forgeHost: string): Record<AppChart, Values> {
  const scm = { scmHosts: [forgeHost], allowHttp: true };
  return {
    'commit-status-sync': scm,
    'gate-controller': { gatesEndpoint: { enabled: true } },
    'gitops-responder': {
      ...scm,
      clusterId: 'demo',
      clusterName: 'demo',
      configNamespace: responderConfigNamespace,
      /* A scenario does not wait for a minute until the end of a pull request is noticed. */
      pollInterval: '1s',
    },
    promoter: scm,
  };
}

function renderFleet(helm: string, forgeHost: string): Promise<Map<AppChart, string>> {
  return renderCharts(helm, releaseNamespace, fleetValues(forgeHost));
}

async function readRendered(): Promise<Map<AppChart, string>> {
  const files = appCharts.map(async (app): Promise<[AppChart, string]> => [
    app,
    await readFile(chartsPath('rendered', fileOf(app)), 'utf8'),
  ]);
  return new Map(await Promise.all(files));
}

function fileOf(app: AppChart | RunnerChart): string {
  return `${app}.yaml`;
}
