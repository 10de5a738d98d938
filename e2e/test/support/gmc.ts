import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifests, type Manifest } from '@interlock/charts';
import {
  ClusterRole,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  type Client,
} from '@interlock/kube';
import {
  AppProcess,
  freePort,
  installIdentity,
  installWebhooks,
  writeAppKubeconfig,
  type Cluster,
} from '@interlock/stack';
import { parse } from 'yaml';
import { root } from './program.js';
import { namespaces, webhookHost } from './test-cluster.js';

const app = 'gmc';
const fieldManager = 'e2e';
/** The ClusterRole of the controllers of tenants. */
const tenantRole = 'interlock-agc-tenant';
/** The namespace in which the manifests of `charts/rendered` install the gmc. */
const renderedNamespace = 'interlock-system';
export const webhookConfiguration = 'interlock-gmc';

/** Creates the service account of the gmc with the permissions of its chart. */
export async function installGmcIdentity(client: Client): Promise<void> {
  await installIdentity(client, app, namespaces);
  const rules = parse(await readFile(join(root, 'charts/gmc/files/tenant-role.yaml'), 'utf8')) as object[];
  await client.apply(ClusterRole, { metadata: { name: tenantRole }, rules }, { fieldManager });
}

/** Creates the policies of the chart, as its default values render them. */
export async function installGmcPolicies(client: Client): Promise<void> {
  const text = await readFile(join(root, 'charts/rendered/gmc.yaml'), 'utf8');
  const manifests: Manifest[] = parseManifests(text.replaceAll(renderedNamespace, namespaces.system));
  for (const kind of [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding])
    for (const manifest of manifests.filter((one) => one.kind === kind.kind))
      await client.apply<ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding>(kind, manifest, {
        fieldManager,
      });
}

export interface GmcProcess {
  process: AppProcess;
  logFile: string;
  /** Client with the permissions of the gmc. */
  kubeconfig: string;
}

/**
 * Starts the bundle with the permissions of its chart, and registers its webhooks.
 *
 * @param folder the folder for its kubeconfig and its log
 */
export async function startGmc(client: Client, cluster: Cluster, folder: string): Promise<GmcProcess> {
  const kubeconfig = join(folder, 'kubeconfig');
  const account = { namespace: namespaces.system, name: app };
  await writeAppKubeconfig(client, cluster.admin, account, kubeconfig);
  const port = await freePort();
  const logFile = join(folder, 'log');
  const process = new AppProcess({
    app,
    logFile,
    args: [
      ...[`--kubeconfig=${kubeconfig}`, `--namespace=${namespaces.system}`, '--leader-elect=false'],
      ...['--metrics-bind-address=0', '--health-probe-bind-address=127.0.0.1:0'],
      ...['--agc-image=interlock/agc:test', '--proxy-image=interlock/egress-proxy:test'],
      ...['--image-references=any', '--github-meta-url=https://127.0.0.1:1/meta'],
      `--admission-bind-address=${webhookHost === 'localhost' ? '127.0.0.1' : ''}:${port}`,
    ],
  });
  await installWebhooks(client, app, { port, host: webhookHost, namespace: namespaces.system });
  process.start();
  return { process, logFile, kubeconfig };
}
