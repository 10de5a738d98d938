import { readFile } from 'node:fs/promises';
import { findHelm } from './helm.js';
import { parseManifests, type Manifest } from './manifest.js';
import { chartsPath, renderCharts, type Values } from './render.js';

/** The tenant whose jobs `npm start -- --scenario jobs` runs. */
export const gatewayTenant = {
  namespace: 'team-a',
  /** Owner of its repositories at the Actions service. */
  account: 'acme',
  /** Name of the Secret with the credential of the GitHub App. */
  secret: 'github-app',
} as const;

/** Placeholder for the Actions service in the file of `charts/rendered`, which is created before the service starts. */
const anyService = 'actions.invalid';
export const gatewayFile = 'agc-demo.yaml';

/** The manifests of a controller of the Actions gateway. */
export interface GatewayManifests {
  /** The source of the manifests, for messages. */
  source: string;
  /** The manifests, in the order in which they have to be applied. */
  manifests: readonly Manifest[];
}

/**
 * Returns the manifests of the controller of a tenant's runners, rendered by Helm, or from a file of `charts/rendered`
 * without Helm.
 *
 * @param serviceHost the host and the port of the Actions service, to which the controller connects without TLS
 * @param helm the path of the program, or null if it does not exist
 * @throws Error with the output of Helm when it refuses the chart
 */
export async function gatewayManifests(
  serviceHost: string,
  helm: string | null = findHelm() ?? null,
): Promise<GatewayManifests> {
  const text =
    helm === null
      ? await readFile(chartsPath('rendered', gatewayFile), 'utf8')
      : await renderGateway(helm, serviceHost);
  const source = helm === null ? `charts/rendered/${gatewayFile}` : `its chart by ${helm}`;
  return { source, manifests: parseManifests(text.replaceAll(anyService, serviceHost)) };
}

/** Returns the manifests as text, for a service at any host. */
export async function renderGateway(helm: string, serviceHost = anyService): Promise<string> {
  const texts = await renderCharts(helm, gatewayTenant.namespace, { agc: gatewayValues(serviceHost) });
  return texts.get('agc') ?? '';
}

/**
 * Returns the values for a service without TLS and a namespace of the level `restricted`, in the form in which a user
 * writes them.
 */
function gatewayValues(serviceHost: string): Values {
  return {
    githubUrl: `http://${serviceHost}/${gatewayTenant.account}`,
    githubApiUrl: `http://${serviceHost}/api/v3`,
    githubAppSecret: gatewayTenant.secret,
    securityProfile: 'restricted',
    allowHttp: true,
  };
}
