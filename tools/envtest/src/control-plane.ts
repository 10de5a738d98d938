import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeLimit } from '@interlock/base';
import {
  apiServerArguments,
  controllerManagerArguments,
  etcdArguments,
  loopback,
  type KeyFiles,
} from './arguments.js';
import { findAssets, type Assets } from './assets.js';
import { createCredentials, type Credentials } from './credentials.js';
import { adminKubeconfig } from './kubeconfig.js';
import { freePorts } from './ports.js';
import { get, missingAnswer, type ClientIdentity } from './probe.js';
import { Processes } from './processes.js';

interface ControlPlaneOptions {
  /** The folder with `etcd`, `kube-apiserver` and, optionally, `kube-controller-manager`. */
  assets: string;
  /** Parent of the private folder of the run; default: the system's folder for temporary files. */
  folder?: string | undefined;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
  /** Timeout of the start; default: two minutes. */
  startTimeoutMs?: number | undefined;
  /** Time after which a process that does not end is killed; default: ten seconds. */
  stopTimeoutMs?: number | undefined;
}

/** A Kubernetes control plane of one member, whose processes end with this process. */
export interface ControlPlane {
  /** URL, such as `https://127.0.0.1:12345`. */
  readonly url: string;
  /** The kubeconfig of a cluster admin, as YAML. */
  readonly kubeconfig: string;
  /** The file with that kubeconfig, which is deleted with the control plane. */
  readonly kubeconfigPath: string;
  /**
   * Whether the controllers of Kubernetes run. Without them, the content of deleted namespaces and the dependents of
   * deleted objects are not deleted, and no namespace has a service account `default`.
   */
  readonly hasControllerManager: boolean;
  /** Version of the API server, such as `v1.33.0`. */
  readonly version: string;
  /** Ends all processes and deletes their files. Can be called more than once. */
  close(): Promise<void>;
}

const defaultStartTimeoutMs = 120_000;
const defaultStopTimeoutMs = 10_000;

/**
 * Starts etcd, kube-apiserver and, if it is among the assets, kube-controller-manager, and waits until they are ready.
 * @throws Error that names the file that is missing or failed; all started processes have been stopped by then.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const assets = await findAssets(options.assets);
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'interlock-envtest-'));
  const { stopTimeoutMs = defaultStopTimeoutMs } = options;
  const processes = new Processes({ folder, stopTimeoutMs, signal: startSignal(options) });
  const close = (): Promise<void> => processes.close();
  try {
    const run = await prepareRun(folder);
    await startAll(processes, assets, run);
    const { url, kubeconfig, kubeconfigPath, identity } = run;
    const hasControllerManager = assets.controllerManager !== undefined;
    const version = await readVersion(url, identity);
    return { url, kubeconfig, kubeconfigPath, hasControllerManager, version, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The settings of a run, which are determined before its first process starts. */
interface Run {
  folder: string;
  ports: Record<'etcdClients' | 'etcdPeers' | 'apiServer' | 'controllerManager', number>;
  url: string;
  files: KeyFiles;
  kubeconfig: string;
  kubeconfigPath: string;
  /** Client certificate of the administrator. */
  identity: ClientIdentity;
}

async function prepareRun(folder: string): Promise<Run> {
  const [etcdClients, etcdPeers, apiServer, controllerManager] = (await freePorts(4)) as [
    number,
    number,
    number,
    number,
  ];
  const url = `https://${loopback}:${apiServer}`;
  const credentials = await createCredentials();
  const { ca, admin } = credentials;
  const kubeconfig = adminKubeconfig(url, credentials);
  const kubeconfigPath = join(folder, 'admin.kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  return {
    folder,
    ports: { etcdClients, etcdPeers, apiServer, controllerManager },
    url,
    files: await writeKeyFiles(credentials, folder),
    kubeconfig,
    kubeconfigPath,
    identity: { ca, cert: admin.certificate, key: admin.key },
  };
}

async function startAll(processes: Processes, assets: Assets, run: Run): Promise<void> {
  const { folder, ports, url, files, kubeconfigPath: kubeconfig, identity } = run;
  const answers = (at: string) => () => missingAnswer(at, identity);
  const hasControllerManager = assets.controllerManager !== undefined;
  await processes.start(
    assets.etcd,
    etcdArguments({
      clientPort: ports.etcdClients,
      peerPort: ports.etcdPeers,
      dataFolder: join(folder, 'etcd'),
    }),
    () => missingAnswer(`http://${loopback}:${ports.etcdClients}/health`),
  );
  await processes.start(
    assets.apiServer,
    apiServerArguments({
      port: ports.apiServer,
      etcdPort: ports.etcdClients,
      files,
      certificateFolder: join(folder, 'certificates'),
      hasControllerManager,
    }),
    answers(`${url}/readyz`),
    answers(`${url}/api/v1/namespaces/default`),
  );
  if (assets.controllerManager === undefined) return;
  await processes.start(
    assets.controllerManager,
    controllerManagerArguments({ port: ports.controllerManager, kubeconfig, files }),
    answers(`https://${loopback}:${ports.controllerManager}/healthz`),
    answers(`${url}/api/v1/namespaces/default/serviceaccounts/default`),
  );
}

function startSignal({ signal, startTimeoutMs = defaultStartTimeoutMs }: ControlPlaneOptions): AbortSignal {
  return timeLimit(startTimeoutMs, signal);
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
