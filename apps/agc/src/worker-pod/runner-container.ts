import {
  maxWorkerGraceSeconds,
  reservedRunnerVariables,
  runnerContainer,
  withoutEnd,
  workerCommand,
  workerDefaults,
  workerEnv,
  workerProgramFolder,
} from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import type { JobRecord } from '../job/record.js';
import type { AuthoritiesRef } from './github-authorities.js';
import {
  caFile,
  gitHubCaFolder,
  gitHubCaVolume,
  payloadVolume,
  programVolume,
  proxyCaFolder,
  proxyCaVolume,
} from './volumes.js';

/** The values that the controller sets in the environment of the runner; an absent value is not set. */
export interface RunnerEnvironment {
  /** URL of the organization, repository or enterprise. */
  gitHubUrl: string;
  /** URL of the egress proxy. */
  proxyUrl?: string | undefined;
  /** Hosts and networks that are reached without the proxy, separated by commas. */
  noProxy?: string | undefined;
  /** Secret whose key ca.crt has the authorities of the proxy. */
  proxyCaSecret?: string | undefined;
  /** Further certificate authorities that the runner and its job trust. */
  gitHubCa?: AuthoritiesRef | undefined;
  /** The minimum grace period of a worker pod, in seconds: see the contract of the worker program. */
  podGraceSeconds: number;
}

const defaultResources = { cpu: '500m', memory: '1Gi' };

/**
 * A container with the fields of its own restart policy, which overrides the restart policy of the pod: a job must not start
 * again.
 */
interface RestartableContainer extends core.Container {
  /** Since Kubernetes 1.34. */
  restartPolicyRules?: unknown;
}

/** A pod template with the resources that its containers share. */
export interface WorkerPodSpec extends core.PodSpec {
  /** Since Kubernetes 1.34. */
  resources?: core.ResourceRequirements | undefined;
}

/** Returns the container that runs the job, and whether the template lacks it. */
export function runnerContainerOf(
  { containers, resources: shared }: Pick<WorkerPodSpec, 'containers' | 'resources'>,
  image: string,
  { runnerName }: JobRecord,
  environment: RunnerEnvironment,
): { runner: core.Container; isAdded: boolean } {
  const own = containers.find(({ name }) => name === runnerContainer);
  const {
    args: _args,
    terminationMessagePath: _path,
    restartPolicy: _policy,
    restartPolicyRules: _rules,
    ...kept
  }: RestartableContainer = own ?? { name: runnerContainer };
  /* The kubelet ends the runner earlier, after the grace period of the deletion, which the runner cannot know. */
  const ours = environmentOf(runnerName, environment, maxWorkerGraceSeconds);
  const names = new Set(ours.map(({ name }) => name));
  const env = (kept.env ?? []).filter(
    ({ name }) => !names.has(name) && !reservedRunnerVariables.has(name.toUpperCase()),
  );
  const hasHome = env.some(({ name }) => name === workerEnv.runnerHome);
  const runner: core.Container = {
    ...kept,
    image: kept.image || image,
    command: [...workerCommand],
    env: [
      ...env,
      ...(hasHome ? [] : [{ name: workerEnv.runnerHome, value: workerDefaults.runnerHome }]),
      ...ours,
    ],
    resources: resourcesOf(kept.resources, shared),
    volumeMounts: mountsOf(kept.volumeMounts ?? [], environment),
    terminationMessagePolicy: 'File',
  };
  return { runner, isAdded: own === undefined };
}

function environmentOf(
  runnerName: string,
  environment: RunnerEnvironment,
  graceSeconds: number,
): core.EnvVar[] {
  const { gitHubUrl, proxyUrl, noProxy, proxyCaSecret, gitHubCa } = environment;
  const values: Record<string, string | undefined> = {
    [workerEnv.payloadFolder]: workerDefaults.payloadFolder,
    [workerEnv.runnerName]: runnerName,
    [workerEnv.gitHubUrl]: gitHubUrl,
    [workerEnv.shutdownGrace]: `${graceSeconds}s`,
    [workerEnv.terminationMessage]: workerDefaults.terminationMessage,
    [workerEnv.proxyCaCert]: proxyCaSecret && `${proxyCaFolder}/${caFile}`,
    [workerEnv.gitHubCaCert]: gitHubCa && `${gitHubCaFolder}/${caFile}`,
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    NO_PROXY: proxyUrl === undefined ? undefined : noProxy,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
    no_proxy: proxyUrl === undefined ? undefined : noProxy,
  };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/**
 * Adds default requests: a pod without requests of CPU and memory would be in the class BestEffort, whose pods are evicted first. A
 * template that has resources for the whole pod does not need them, and its runner may use all of these resources. A runner with
 * other resources alone, such as a GPU, gets no limits.
 */
function resourcesOf(
  resources: core.ResourceRequirements | undefined,
  shared: core.ResourceRequirements | undefined,
): core.ResourceRequirements {
  const lists = [resources, shared].flatMap((one) => [one?.requests, one?.limits]);
  const stated = new Set(lists.flatMap((list) => Object.keys(list ?? {})));
  if (Object.keys(defaultResources).some((name) => stated.has(name))) return resources ?? {};
  return {
    ...resources,
    requests: { ...defaultResources, ...resources?.requests },
    ...(stated.size === 0 && { limits: { ...defaultResources } }),
  };
}

function mountsOf(
  mounts: readonly core.VolumeMount[],
  { proxyCaSecret, gitHubCa }: RunnerEnvironment,
): core.VolumeMount[] {
  const ours: core.VolumeMount[] = [
    { name: payloadVolume, mountPath: workerDefaults.payloadFolder, readOnly: true },
    { name: programVolume, mountPath: workerProgramFolder, readOnly: true },
    ...(proxyCaSecret === undefined
      ? []
      : [{ name: proxyCaVolume, mountPath: proxyCaFolder, readOnly: true }]),
    ...(gitHubCa === undefined ? [] : [{ name: gitHubCaVolume, mountPath: gitHubCaFolder, readOnly: true }]),
  ];
  const paths = ours.map(({ mountPath }) => mountPath);
  return [...mounts.filter(({ mountPath }) => !paths.includes(withoutEnd(mountPath, '/'))), ...ours];
}
