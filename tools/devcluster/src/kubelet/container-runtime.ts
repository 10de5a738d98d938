import type { KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { ContainerLog } from './logs/container-log.js';

/** What the containers of a pod share. */
export interface PodSandbox {
  /** The address of the pod. */
  ip: string;
}

/** How a container ended, as the runtime sees it. */
export interface ContainerExit {
  /** 128 plus the number of the signal that ended it, as container runtimes report it. */
  exitCode: number;
  /** Set where the runtime reports the signal in a field of its own. */
  signal?: number | undefined;
  /** Default: `Completed` for the exit code 0, else `Error`. */
  reason?: string | undefined;
  /** The termination message. */
  message?: string | undefined;
}

/** One run of a container. */
export interface RunningContainer {
  /** Unique among all runs; `containerID` of the status is `<runtime>://<id>`. */
  readonly id: string;
  /** Resolves when it has ended; never rejects. */
  readonly ended: Promise<ContainerExit>;
  /** Sends a signal to its first process, SIGKILL to all; without effect after its end. */
  signal(signal: NodeJS.Signals): void;
}

/** What to start. */
export interface ContainerStart {
  pod: KubeObject;
  /** The container of the spec. */
  container: JsonObject;
  /** 0 for the first run. */
  restartCount: number;
}

/** What a probe or a hook does (v1 ProbeHandler and LifecycleHandler, without `sleep` and `grpc`). */
export interface HandlerCall {
  pod: KubeObject;
  container: JsonObject;
  /** The object that has one of `exec`, `httpGet` and `tcpSocket`. */
  handler: JsonObject;
  timeoutMs: number;
}

/** The outcome of a probe or a hook. */
export interface HandlerResult {
  isSuccess: boolean;
  /** What it printed, or why it failed. */
  output: string;
}

/** Why a pod or a container cannot start now. It is tried again. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';

  /** @param reason as in the status of a waiting container, such as `CreateContainerConfigError`. */
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/** What runs the containers of a kubelet. */
export interface ContainerRuntime {
  /** The scheme of container ids, such as `process`. */
  readonly name: string;
  /**
   * Makes an image available. Returns its id.
   * @throws StartProblem `ErrImagePull` when there is no such image.
   */
  pullImage(image: string): Promise<string>;
  /**
   * Makes what the containers of a pod need: its address and its volumes.
   * @throws StartProblem `FailedMount` when a volume cannot be set up.
   */
  preparePod(pod: KubeObject): Promise<PodSandbox>;
  /** Brings the volumes of a prepared pod up to date; called when the pod or an object of its namespace changes. */
  refreshPod(pod: KubeObject): Promise<void>;
  /**
   * Starts a container of a prepared pod.
   * @throws StartProblem `CreateContainerConfigError`, or `StartError` for a program that cannot be started.
   */
  startContainer(start: ContainerStart): Promise<RunningContainer>;
  /** Runs a probe or a hook in, or against, a container that runs. Never rejects. */
  call(call: HandlerCall): Promise<HandlerResult>;
  /** Returns the log of a run by its id; undefined when it is not kept. */
  log(containerId: string): ContainerLog | undefined;
  /** Removes all that was made for a pod whose containers have ended. */
  removePod(podUid: string): Promise<void>;
  /** Ends every container and removes everything, in bounded time. */
  close(): Promise<void>;
}
