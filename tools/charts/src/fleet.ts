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

/** Placeholder for the forge in the files of `charts/rendered`, which are created before the forge starts. */
const anyForge = 'forge.invalid';

/** Values of a tenant with an egress proxy, for the files of `charts/rendered`. */
const tenantNamespace = 'team-a';
const tenantValues: Record<Exclude<RunnerChart, 'gmc'>, Values> = {
  agc: {
    githubUrl: 'https://github.com/my-org',
    githubAppSecret: 'github-app',
    proxy: {
      url: 'https://actions-gateway-proxy.team-a.svc:8080',
      workerUrl: 'http://actions-gateway-proxy.team-a.svc:8080',
      caSecret: 'actions-gateway-proxy-tls',
    },
  },
  'egress-proxy': {
    allowedHosts: ['github.com', '*.github.com', '*.githubusercontent.com'],
    networkPolicy: { githubCIDRs: ['140.82.112.0/20'] },
  },
};

/** Values of the gmc for the files of `charts/rendered`. */
const gmcValues: Record<'gmc', Values> = { gmc: { tenantImages: { requireDigests: false } } };

/** The manifests of the apps of `npm start`. */
export interface FleetManifests {
  /** The source of the manifests, for messages. */
  source: string;
  /** The manifests, in the order in which they have to be applied. */
  manifests: ReadonlyMap<AppChart, readonly Manifest[]>;
}

/**
 * Returns the manifests of the apps, rendered by Helm, or from the files of `charts/rendered` without Helm.
 *
 * @param forgeHost the host and the port of the forge, to which the apps connect without TLS
 * @param helm the path of the program, or null if it does not exist
 * @throws Error with the output of Helm when it refuses a chart
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

/** Returns the values for a forge without TLS, in the form in which a user writes them. */
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
      /* A scenario does not wait a minute until the responder detects that a pull request was merged or closed. */
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
