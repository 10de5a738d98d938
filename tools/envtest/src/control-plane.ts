import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  apiServerArguments,
  controllerManagerArguments,
  etcdArguments,
  loopback,
  type KeyFiles,
} from './arguments.js';
import { findAssets } from './assets.js';
import { Component } from './component.js';
import { createCredentials, type Credentials } from './credentials.js';
import { adminKubeconfig } from './kubeconfig.js';
import { freePorts } from './ports.js';
import { get, missingAnswer, type ClientIdentity } from './probe.js';

export interface ControlPlaneOptions {
  /** The folder with `etcd`, `kube-apiserver` and, if it is there, `kube-controller-manager`. */
  assets: string;
  /** Where the private folder of the run is created; default: the system's folder for temporary files. */
  folder?: string | undefined;
  /** Gives up the start. */
  signal?: AbortSignal | undefined;
  /** How long the start may take; default: two minutes. */
  startTimeoutMs?: number | undefined;
  /** How long each process may take to end before it is killed; default: ten seconds. */
  stopTimeoutMs?: number | undefined;
}

/** A Kubernetes control plane of one member, whose processes end with this one. */
export interface ControlPlane {
  /** Such as `https://127.0.0.1:12345`. */
  readonly url: string;
  /** The kubeconfig of a cluster admin, as YAML. */
  readonly kubeconfig: string;
  /** The file with that kubeconfig; it is removed with the control plane. */
  readonly kubeconfigPath: string;
  /**
   * Whether the controllers of Kubernetes run. Without them nothing removes the content of deleted namespaces or the
   * dependents of deleted objects, and no namespace has a service account `default`.
   */
  readonly hasControllerManager: boolean;
  /** Of the API server, such as `v1.33.0`. */
  readonly version: string;
  /** Ends all processes and removes everything that they wrote. It can be called more than once. */
  close(): Promise<void>;
}

const defaultStartTimeoutMs = 120_000;
const defaultStopTimeoutMs = 10_000;

/**
 * Starts etcd, kube-apiserver and, if it is among the assets, kube-controller-manager, and waits until they are ready.
 * @throws Error that names the file that is missing or failed; whatever was started is stopped by then.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { stopTimeoutMs = defaultStopTimeoutMs } = options;
  const assets = await findAssets(options.assets);
  const signal = startSignal(options);
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'interlock-envtest-'));
  const components: Component[] = [];
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= stopAll(components, folder));
  const start = (file: string, args: readonly string[]): Component => {
    signal.throwIfAborted();
    const component = new Component({ file, args, folder, stopTimeoutMs });
    components.push(component);
    return component;
  };
  try {
    const [clientPort, peerPort, port, managerPort] = (await freePorts(4)) as [
      number,
      number,
      number,
      number,
    ];
    const url = `https://${loopback}:${port}`;
    const credentials = await createCredentials();
    const files = await writeKeyFiles(credentials, folder);
    const kubeconfig = adminKubeconfig(url, credentials);
    const kubeconfigPath = join(folder, 'admin.kubeconfig');
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
    const { ca, admin } = credentials;
    const identity: ClientIdentity = { ca, cert: admin.certificate, key: admin.key };
    const hasControllerManager = assets.controllerManager !== undefined;

    const etcd = start(
      assets.etcd,
      etcdArguments({ clientPort, peerPort, dataFolder: join(folder, 'etcd') }),
    );
    await etcd.waitUntil(() => missingAnswer(`http://${loopback}:${clientPort}/health`), signal);

    const certificateFolder = join(folder, 'certificates');
    const apiServer = start(
      assets.apiServer,
      apiServerArguments({ port, etcdPort: clientPort, files, certificateFolder, hasControllerManager }),
    );
    await apiServer.waitUntil(() => missingAnswer(`${url}/readyz`, identity), signal);
    await apiServer.waitUntil(() => missingAnswer(`${url}/api/v1/namespaces/default`, identity), signal);

    if (assets.controllerManager !== undefined) {
      const settings = { port: managerPort, kubeconfig: kubeconfigPath, files };
      const manager = start(assets.controllerManager, controllerManagerArguments(settings));
      const health = `https://${loopback}:${managerPort}/healthz`;
      await manager.waitUntil(() => missingAnswer(health, identity), signal);
      const account = `${url}/api/v1/namespaces/default/serviceaccounts/default`;
      await manager.waitUntil(() => missingAnswer(account, identity), signal);
    }
    const version = await readVersion(url, identity);
    return { url, kubeconfig, kubeconfigPath, hasControllerManager, version, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startSignal({ signal, startTimeoutMs = defaultStartTimeoutMs }: ControlPlaneOptions): AbortSignal {
  const timeout = AbortSignal.timeout(startTimeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

/** Stops the newest first: each one needs those before it. */
async function stopAll(components: Component[], folder: string): Promise<void> {
  for (const component of components.splice(0).reverse()) await component.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function writeKeyFiles(credentials: Credentials, folder: string): Promise<KeyFiles> {
  const keys = join(folder, 'keys');
  await mkdir(keys);
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(keys, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const { ca, serving, serviceAccounts } = credentials;
  return {
    ca: await write('ca.crt', ca),
    servingCertificate: await write('serving.crt', serving.certificate),
    servingKey: await write('serving.key', serving.key),
    serviceAccountKey: await write('service-accounts.key', serviceAccounts.key),
    serviceAccountPublicKey: await write('service-accounts.pub', serviceAccounts.publicKey),
  };
}

async function readVersion(url: string, identity: ClientIdentity): Promise<string> {
  const { status, body } = await get(`${url}/version`, identity);
  if (status !== 200) throw new Error(`${url}/version answers ${status}: ${body}`);
  return (JSON.parse(body) as { gitVersion: string }).gitVersion;
}
