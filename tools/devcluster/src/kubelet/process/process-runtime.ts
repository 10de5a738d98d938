import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@interlock/base';
import type { Cluster } from '../../api/cluster.js';
import { objectAt, textAt, textsAt, type KubeObject } from '../../object.js';
import {
  StartProblem,
  type ContainerRuntime,
  type ContainerStart,
  type HandlerCall,
  type HandlerResult,
  type PodSandbox,
  type RunningContainer,
} from '../container-runtime.js';
import type { JsonObject } from '../../schema/types.js';
import type { ContainerLog } from '../logs/container-log.js';
import { LogFile } from '../logs/log-file.js';
import { httpGet, tcpSocket } from '../probes/network-call.js';
import { PodAddresses } from './addresses.js';
import { startCleaner } from './cleaner.js';
import { startContainerProcess, type ContainerProcess } from './container-process.js';
import { execIn } from './exec.js';
import { copyImageFiles, makeMountPoints } from './image-files.js';
import { programOf, type ImageTable } from './image-table.js';
import { writeKubeconfig } from './kubeconfig.js';
import { hostnameOf, launchOf, type Launch } from './launch.js';
import { MarkedProcesses } from './marked-processes.js';
import { objectsOf, PodFolder } from './pod-folder.js';
import { terminationMount, withMessage } from './termination-message.js';
import { hasNamespaces, inNamespaces } from './namespaces.js';
import { source as preloadSource } from './preload.worker.js';
import { keepServiceFile } from './service-file.js';

interface ProcessRuntimeOptions {
  cluster: Cluster;
  clock: Clock;
  images: ImageTable;
  /** Addresses of host names that the processes of pods can resolve. */
  hosts: Readonly<Record<string, string>>;
  hostIp: string;
  /** Address of the API server for processes. */
  apiServer: { host: string; port: number };
  /** Whether containers run in namespaces; default: if the machine allows it. */
  namespaces?: boolean | undefined;
}

/** The state of a prepared pod. */
interface Pod {
  folder: PodFolder;
  /** The latest runs by container, the newest last. */
  runs: Map<string, Run[]>;
}

interface Run {
  id: string;
  /** The path in the container. */
  launch: Launch;
  log: LogFile;
  path: string;
  running: ContainerProcess;
}

/** Runs containers as processes of this machine. */
export class ProcessRuntime implements ContainerRuntime {
  readonly name = 'process';
  readonly #options: ProcessRuntimeOptions;
  readonly #root = join(tmpdir(), `interlock-kubelet-${randomBytes(6).toString('hex')}`);
  readonly #preload = join(this.#root, 'preload.cjs');
  readonly #services = join(this.#root, 'services.json');
  readonly #addresses = new PodAddresses();
  readonly #pods = new Map<string, Pod>();
  readonly #logs = new Map<string, LogFile>();
  readonly #marked = new MarkedProcesses();
  /** Starts in progress. */
  readonly #starts = new Set<Promise<unknown>>();
  #endCleaner: (() => Promise<void>) | undefined;
  #setUp: Promise<void> | undefined;
  #hasNamespaces = false;
  #stopServices: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
  }

  pullImage(image: string): Promise<string> {
    return attempt(() => {
      programOf(this.#options.images, image);
      return image;
    });
  }

  async preparePod(pod: KubeObject): Promise<PodSandbox> {
    if (this.#isClosed) throw closedProblem();
    await (this.#setUp ??= this.#prepare());
    const { uid = '' } = pod.metadata;
    const { cluster, clock, hostIp } = this.#options;
    let known = this.#pods.get(uid);
    if (known === undefined) {
      const podIp = this.#addresses.take();
      known = {
        folder: new PodFolder(cluster, clock, join(this.#root, uid), { podIp, hostIp }),
        runs: new Map(),
      };
      this.#pods.set(uid, known);
    }
    known.folder.write(pod);
    return { ip: known.folder.addresses.podIp };
  }

  refreshPod(pod: KubeObject): Promise<void> {
    return attempt(() => this.#pods.get(pod.metadata.uid ?? '')?.folder.write(pod));
  }

  async startContainer(start: ContainerStart): Promise<RunningContainer> {
    if (this.#isClosed) throw closedProblem();
    const started = this.#start(start);
    this.#starts.add(started);
    try {
      return await started;
    } finally {
      this.#starts.delete(started);
    }
  }

  async #start({ pod, container, restartCount }: ContainerStart): Promise<RunningContainer> {
    const known = this.#podOf(pod);
    const id = randomBytes(32).toString('hex');
    const launch = this.#launch(pod, container, known, id);
    const name = textAt(container, 'name');
    const isInNamespaces = this.#hasNamespaces;
    const options = { folder: known.folder.root(name), hostname: hostnameOf(pod) };
    const start = isInNamespaces ? inNamespaces(launch, options) : launch;
    /* In namespaces, nothing can be left. */
    const killRest = isInNamespaces ? async () => undefined : () => this.#marked.kill(id);
    mkdirSync(join(known.folder.logs, name), { recursive: true });
    const path = join(known.folder.logs, name, `${restartCount}.log`);
    const log = new LogFile(path, () => this.#options.clock.now());
    try {
      const process = await startContainerProcess(id, { ...start, isInNamespaces, killRest }, log);
      const running = { ...process, ended: withMessage(process.ended, { container, launch, log }) };
      this.#keep(known, name, { id, launch, log, path, running });
      return running;
    } catch (error) {
      log.end();
      throw new StartProblem('StartError', error instanceof Error ? error.message : String(error));
    }
  }

  async call({ pod, container, handler, timeoutMs }: HandlerCall): Promise<HandlerResult> {
    const known = this.#pods.get(pod.metadata.uid ?? '');
    const run = known?.runs.get(textAt(container, 'name'))?.at(-1);
    if (known === undefined || run === undefined)
      return { isSuccess: false, output: 'the container is not running' };
    const { podIp } = known.folder.addresses;
    if ('httpGet' in handler) return httpGet(objectAt(handler, 'httpGet'), container, podIp, timeoutMs);
    if ('tcpSocket' in handler) return tcpSocket(objectAt(handler, 'tcpSocket'), container, podIp, timeoutMs);
    const namespacesOf = this.#hasNamespaces ? run.running.pid : undefined;
    return execIn({ launch: run.launch, namespacesOf }, textsAt(handler, 'exec', 'command'), timeoutMs);
  }

  log(containerId: string): ContainerLog | undefined {
    return this.#logs.get(containerId);
  }

  removePod(podUid: string): Promise<void> {
    return attempt(() => {
      const known = this.#pods.get(podUid);
      if (known === undefined) return;
      known.folder.remove();
      this.#pods.delete(podUid);
      for (const run of [...known.runs.values()].flat()) this.#logs.delete(run.id);
      this.#addresses.giveBack(known.folder.addresses.podIp);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#starts, this.#setUp]);
    const runs = [...this.#pods.values()].flatMap((pod) => [...pod.runs.values()].flat());
    for (const { running } of runs) running.signal('SIGKILL');
    await Promise.all(runs.map(({ running }) => running.ended));
    await Promise.all([...this.#pods.keys()].map((uid) => this.removePod(uid)));
    this.#stopServices?.();
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
    await this.#endCleaner?.();
  }

  /**
   * Creates the folder and starts what all pods share. It is called for the first pod, because a cluster without pods
   * starts no processes.
   */
  async #prepare(): Promise<void> {
    mkdirSync(this.#root, { mode: 0o700 });
    this.#endCleaner = startCleaner(this.#root);
    const { cluster, apiServer, namespaces } = this.#options;
    writeFileSync(this.#preload, preloadSource);
    this.#stopServices = keepServiceFile(cluster, this.#services, apiServer);
    this.#hasNamespaces = namespaces ?? (await hasNamespaces());
  }

  #podOf(pod: KubeObject): Pod {
    const known = this.#pods.get(pod.metadata.uid ?? '');
    if (known === undefined) throw new StartProblem('CreateContainerError', 'the pod is not prepared');
    return known;
  }

  #launch(pod: KubeObject, container: JsonObject, known: Pod, id: string): Launch {
    const { cluster, images, hosts, apiServer } = this.#options;
    const { volumes, temporary, addresses } = known.folder;
    const base = {
      INTERLOCK_CONTAINER: id,
      INTERLOCK_SERVICES: this.#services,
      INTERLOCK_POD_IP: addresses.podIp,
      INTERLOCK_NAMESPACE: pod.metadata.namespace ?? '',
      INTERLOCK_HOSTS: JSON.stringify(hosts),
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: temporary,
      TMPDIR: temporary,
      HOSTNAME: hostnameOf(pod),
      KUBERNETES_SERVICE_HOST: apiServer.host,
      KUBERNETES_SERVICE_PORT: String(apiServer.port),
      KUBERNETES_SERVICE_PORT_HTTPS: String(apiServer.port),
    };
    const image = programOf(images, textAt(container, 'image'));
    const objects = objectsOf(cluster, pod);
    const hasBindMounts = this.#hasNamespaces;
    const config = hasBindMounts ? undefined : writeKubeconfig(known.folder, container, apiServer);
    const environment = { ...base, ...(config !== undefined && { KUBECONFIG: config }) };
    const preload = this.#preload;
    const name = textAt(container, 'name');
    const files = copyImageFiles(image, join(known.folder.own(name), 'image'));
    const ended = terminationMount(container, join(known.folder.own(name), 'termination-log'));
    const launch = launchOf({
      pod,
      container,
      image,
      objects,
      ...addresses,
      volumes,
      base: environment,
      preload,
      ownMounts: [...files, ...ended],
      hasBindMounts,
    });
    makeMountPoints(files, launch.mounts);
    return launch;
  }

  /** Keeps the logs of the latest two runs of a container. */
  #keep(known: Pod, name: string, run: Run): void {
    const runs = [...(known.runs.get(name) ?? []), run];
    for (const old of runs.slice(0, -2)) {
      this.#logs.delete(old.id);
      for (const path of [old.path, `${old.path}.1`]) rmSync(path, { force: true });
    }
    known.runs.set(name, runs.slice(-2));
    this.#logs.set(run.id, run.log);
  }
}

function closedProblem(): StartProblem {
  return new StartProblem('CreateContainerError', 'the kubelet ends');
}

async function attempt<T>(act: () => T): Promise<T> {
  return Promise.resolve().then(act);
}
