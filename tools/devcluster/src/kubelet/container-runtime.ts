import type { KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { ContainerLog } from './logs/container-log.js';

/** The shared settings of the containers of a pod. */
export interface PodSandbox {
  /** The address of the pod. */
  ip: string;
}

/** The end of a container as reported by the runtime. */
export interface ContainerExit {
  /** The exit code; 128 plus the number of the signal if a signal ended the container. */
  exitCode: number;
  /** The signal, if the runtime reports it separately. */
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
  /** Resolves when the container has ended; never rejects. */
  readonly ended: Promise<ContainerExit>;
  /** Sends a signal to the first process, or SIGKILL to all processes. Has no effect after the container has ended. */
  signal(signal: NodeJS.Signals): void;
}

/** The container to start. */
export interface ContainerStart {
  pod: KubeObject;
  /** The container of the spec. */
  container: JsonObject;
  /** 0 for the first run. */
  restartCount: number;
}

/** The handler of a probe or a hook (v1 ProbeHandler and LifecycleHandler, without `sleep` and `grpc`). */
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
  /** Its output, or the reason of its failure. */
  output: string;
}

/** The reason why a pod or a container cannot start now. The start is retried. */
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

/** The container runtime of a kubelet. */
export interface ContainerRuntime {
  /** The scheme of container ids, such as `process`. */
  readonly name: string;
  /** Pulls an image and returns its id. @throws StartProblem `ErrImagePull` if the image does not exist */
  pullImage(image: string): Promise<string>;
  /**
   * Prepares the address and the volumes of a pod.
   * @throws StartProblem `FailedMount` when a volume cannot be set up.
   */
  preparePod(pod: KubeObject): Promise<PodSandbox>;
  /** Updates the volumes of a prepared pod. Called when the pod or an object of its namespace changes. */
  refreshPod(pod: KubeObject): Promise<void>;
  /**
   * Starts a container of a prepared pod.
   * @throws StartProblem `CreateContainerConfigError`, or `StartError` for a program that cannot be started.
   */
  startContainer(start: ContainerStart): Promise<RunningContainer>;
  /** Runs a probe or a hook of a running container. Never rejects. */
  call(call: HandlerCall): Promise<HandlerResult>;
  /** Returns the log of a run by its id; undefined when it is not kept. */
  log(containerId: string): ContainerLog | undefined;
  /** Removes the resources of a pod whose containers have ended. */
  removePod(podUid: string): Promise<void>;
  /** Ends every container and removes all resources within a time limit. */
  close(): Promise<void>;
}
