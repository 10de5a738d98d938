import { readFile } from 'node:fs/promises';
import type { GatewayManifests } from './gateway.js';
import { findHelm } from './helm.js';
import { parseManifests } from './manifest.js';
import { releaseNamespace } from './namespaces.js';
import { chartsPath, renderCharts, type Values } from './render.js';

/** The address of the GitHub Enterprise Server whose jobs the tenants of `npm start -- --scenario tenants` run. */
export const enterpriseAddress = '127.0.0.2';

export const gmcFile = 'gmc-demo.yaml';

/**
 * Returns the manifests of the gmc of an installation with a GitHub Enterprise Server at {@link enterpriseAddress} and
 * without github.com: rendered by Helm, or from a file of `charts/rendered` without Helm.
 *
 * @param helm the path of the program, or null if it does not exist
 * @throws Error with the output of Helm when it refuses the chart
 */
export async function gmcManifests(helm: string | null = findHelm() ?? null): Promise<GatewayManifests> {
  const text =
    helm === null ? await readFile(chartsPath('rendered', gmcFile), 'utf8') : await renderGmc(helm);
  const source = helm === null ? `charts/rendered/${gmcFile}` : `its chart by ${helm}`;
  return { source, manifests: parseManifests(text) };
}

/** Returns the manifests of the gmc as text. */
export async function renderGmc(helm: string): Promise<string> {
  const texts = await renderCharts(helm, releaseNamespace, { gmc: gmcValues });
  return texts.get('gmc') ?? '';
}

/**
 * Values in the form in which a user writes them. The bundles that the embedded cluster runs as images have no digests.
 */
const gmcValues: Values = {
  tenantImages: { requireDigests: false },
  githubMetaUrl: 'none',
  extraEgressCidrs: [`${enterpriseAddress}/32`],
};
