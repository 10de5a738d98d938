import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@interlock/base';
import { runProgram, type SpawnedProcess } from '@interlock/process';
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
import { startContainerProcess } from './container-process.js';
import { programOf, type ImageTable } from './image-table.js';
import { writeKubeconfig } from './kubeconfig.js';
import { launchOf, type Launch } from './launch.js';
import { objectsOf, PodFolder } from './pod-folder.js';
import { rewritePaths } from './mounts.js';
import { withMessage } from './termination-message.js';
import { besideContainer, hasNamespaces, inNamespaces } from './namespaces.js';
import { source as preloadSource } from './preload.worker.js';
import { keepServiceFile } from './service-file.js';

const maxExecOutputBytes = 64 * 1024;

export interface ProcessRuntimeOptions {
  cluster: Cluster;
  clock: Clock;
  images: ImageTable;
  hostIp: string;
  /** Where processes reach the API server. */
  apiServer: { host: string; port: number };
  /** Whether containers get mount namespaces; default: when the machine allows it. */
  namespaces?: boolean | undefined;
}

/** What is known of a pod that was prepared. */
interface Pod {
  folder: PodFolder;
  /** The latest runs by container, the newest last. */
  runs: Map<string, Run[]>;
}

interface Run {
  id: string;
  /** As the container sees it. */
  launch: Launch;
  log: LogFile;
  path: string;
  running: RunningContainer;
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
  /** Starts that are under way. */
  readonly #starts = new Set<Promise<unknown>>();
  #cleaner: SpawnedProcess | undefined;
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
    const launch = this.#launch(pod, container, known);
    const name = textAt(container, 'name');
    const start = this.#usesNamespaces(launch) ? inNamespaces(launch, known.folder.root(name)) : launch;
    const id = randomBytes(32).toString('hex');
    mkdirSync(join(known.folder.logs, name), { recursive: true });
    const path = join(known.folder.logs, name, `${restartCount}.log`);
    const log = new LogFile(path, () => this.#options.clock.now());
    try {
      const process = await startContainerProcess(id, start, log);
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
    const launch = known?.runs.get(textAt(container, 'name'))?.at(-1)?.launch;
    if (known === undefined || launch === undefined)
      return { isSuccess: false, output: 'the container is not running' };
    const { podIp } = known.folder.addresses;
    if ('httpGet' in handler) return httpGet(objectAt(handler, 'httpGet'), container, podIp, timeoutMs);
    if ('tcpSocket' in handler) return tcpSocket(objectAt(handler, 'tcpSocket'), container, podIp, timeoutMs);
    const command = textsAt(handler, 'exec', 'command');
    if (!this.#usesNamespaces(launch))
      return exec(
        { ...launch, ...split(command.map((text) => rewritePaths(text, launch.mounts))) },
        timeoutMs,
      );
    return exec(besideContainer(launch, known.folder.root(textAt(container, 'name')), command), timeoutMs);
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
    const cleaner = this.#cleaner;
    if (cleaner !== undefined) {
      const ended = new Promise((resolve) => cleaner.once('close', resolve));
      cleaner.stdin.end();
      await ended;
    }
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Made for the first pod: a cluster without pods starts no process. */
  async #prepare(): Promise<void> {
    mkdirSync(this.#root, { mode: 0o700 });
    this.#cleaner = startCleaner(this.#root);
    const { cluster, apiServer, namespaces } = this.#options;
    writeFileSync(this.#preload, preloadSource);
    this.#stopServices = keepServiceFile(cluster, this.#services, apiServer);
    this.#hasNamespaces = namespaces ?? (await hasNamespaces());
  }

  #usesNamespaces({ mounts }: Launch): boolean {
    return this.#hasNamespaces && mounts.length > 0;
  }

  #podOf(pod: KubeObject): Pod {
    const known = this.#pods.get(pod.metadata.uid ?? '');
    if (known === undefined) throw new StartProblem('CreateContainerError', 'the pod is not prepared');
    return known;
  }

  #launch(pod: KubeObject, container: JsonObject, known: Pod): Launch {
    const { cluster, images, apiServer } = this.#options;
    const { volumes, temporary, addresses } = known.folder;
    const base = {
      INTERLOCK_SERVICES: this.#services,
      INTERLOCK_POD_IP: addresses.podIp,
      INTERLOCK_NAMESPACE: pod.metadata.namespace ?? '',
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: temporary,
      TMPDIR: temporary,
      HOSTNAME: textAt(pod, 'spec', 'hostname') || pod.metadata.name,
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
    return launchOf({
      pod,
      container,
      image,
      objects,
      ...addresses,
      volumes,
      base: environment,
      preload,
      hasBindMounts,
    });
  }

  /** The latest run and the one before keep their logs. */
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

function split([program = '', ...args]: string[]): Pick<Launch, 'program' | 'args'> {
  return { program, args };
}

async function exec({ mounts: _mounts, ...launch }: Launch, timeoutMs: number): Promise<HandlerResult> {
  try {
    const { code, stdout, stderr } = await runProgram({
      ...launch,
      timeoutMs,
      maxOutputBytes: maxExecOutputBytes,
    });
    return { isSuccess: code === 0, output: `${stdout.toString('utf8')}${stderr}` };
  } catch (error) {
    return { isSuccess: false, output: error instanceof Error ? error.message : String(error) };
  }
}
