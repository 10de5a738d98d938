import {
  recordedGate,
  runnerAnnotations,
  runnerLabels,
  workerGraceSeconds,
  workerPodGraceSeconds,
  workerServiceAccount,
  type RunnerGroup,
} from '@interlock/api';
import { parseDuration, traceIdOf } from '@interlock/service';
import { childName, controllerReference, type Pod } from '@interlock/kube';
import type * as core from 'kubernetes-types/core/v1.js';
import type * as meta from 'kubernetes-types/meta/v1.js';
import { planLabel } from '../job/job-secret.js';
import type { JobRecord } from '../job/record.js';
import { scheduledToNode } from './node.js';
import { runnerContainerOf, type RunnerEnvironment, type WorkerPodSpec } from './runner-container.js';
import { withSecurityDefaults, type SecurityProfile } from './security.js';
import { jobVolumes } from './volumes.js';

/** The settings of every worker pod of an installation. */
export interface WorkerSettings extends RunnerEnvironment {
  /** Image of the runner if neither the pod template nor the RunnerGroup names one. */
  defaultImage: string;
  securityProfile: SecurityProfile;
  /** Name of the ConfigMap that holds the worker program. */
  programConfigMap: string;
}

/** Annotations that protect a pod from autoscalers and the descheduler, unless the template has other values. */
const disruptionDefaults = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'descheduler.alpha.kubernetes.io/prefer-no-eviction': 'true',
};

/** Returns the name of a job's worker pod; a pod that replaces one in which the job cannot have started has another name. */
export function workerPodName(
  group: string,
  { planId, launches }: Pick<JobRecord, 'planId' | 'launches'>,
): string {
  return childName('runner', group, planId, ...(launches === 0 ? [] : [String(launches)]));
}

/**
 * Returns the worker pod of a job: the group's pod template, in which every field that the controller relies on is
 * overwritten, so that no value of a tenant remains there. Pure.
 *
 * @param priorityClassName the class of the tier of the pod; absent to keep the class of the template
 */
export function buildWorkerPod(
  group: RunnerGroup,
  record: JobRecord,
  settings: WorkerSettings,
  priorityClassName: string | undefined,
): Pod {
  const { podTemplate = {} } = group.spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(group, record, podTemplate.metadata ?? {}),
    spec: specOf(group, record, settings, structuredClone(podTemplate.spec), priorityClassName),
  };
}

function metadataOf(group: RunnerGroup, record: JobRecord, template: meta.ObjectMeta): Pod['metadata'] {
  return {
    name: workerPodName(group.metadata.name, record),
    namespace: group.metadata.namespace ?? '',
    labels: {
      ...template.labels,
      /* The NetworkPolicies of the controller and of the egress proxy, which allow more, select their pods by this label. */
      'app.kubernetes.io/name': workerServiceAccount,
      [runnerLabels.component]: 'workload',
      [runnerLabels.runnerGroup]: group.metadata.name,
      [runnerLabels.planId]: planLabel(record.planId),
    },
    annotations: { ...disruptionDefaults, ...foreignAnnotations(template), ...identityOf(record) },
    ownerReferences: [controllerReference(group)],
  };
}

/** Returns the annotations that this controller does not read: a pod with `deletion-reason` counts as one that it deletes. */
function foreignAnnotations({ annotations = {} }: meta.ObjectMeta): Record<string, string> {
  const own = new Set<string>(Object.values(runnerAnnotations));
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !own.has(key)));
}

function identityOf({ run, traceparent }: JobRecord): Record<string, string> {
  const known = {
    [runnerAnnotations.runId]: run?.runId,
    [runnerAnnotations.repository]: run?.repository,
    [runnerAnnotations.jobName]: run?.jobName,
    [runnerAnnotations.workflow]: run?.workflow,
    [runnerAnnotations.traceId]: traceIdOf(traceparent),
  };
  return Object.fromEntries(
    Object.entries(known).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function specOf(
  group: RunnerGroup,
  record: JobRecord,
  settings: WorkerSettings,
  template: WorkerPodSpec | undefined,
  priorityClassName: string | undefined,
): core.PodSpec {
  const {
    serviceAccount: _account,
    ephemeralContainers: _ephemeral,
    priority: _priority,
    ...kept
  } = scheduledToNode(template ?? { containers: [] });
  const image = group.spec.workerImage || settings.defaultImage;
  /* No pod may outlast the NetworkPolicies of its tenant, which the gmc keeps for a bounded time. */
  const terminationGracePeriodSeconds = workerPodGraceSeconds(
    workerGraceSeconds(Math.max(kept.terminationGracePeriodSeconds ?? 0, settings.podGraceSeconds)),
  );
  const { runner, isAdded } = runnerContainerOf(kept, image, record, settings);
  const others = kept.containers.filter(({ name }) => name !== runner.name);
  const spec: core.PodSpec = {
    ...kept,
    containers: isAdded
      ? [runner, ...others]
      : kept.containers.map((one) => (one.name === runner.name ? runner : one)),
    volumes: jobVolumes(kept.volumes ?? [], record, settings),
    serviceAccountName: workerServiceAccount,
    automountServiceAccountToken: false,
    hostNetwork: false,
    hostPID: false,
    hostIPC: false,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds,
    ...lifetimeOf(group, kept),
    schedulingGates: gatesOf(kept),
    ...(priorityClassName !== undefined && { priorityClassName }),
  };
  return withSecurityDefaults(spec, settings.securityProfile);
}

/** Returns the gates that keep a pod from starting. */
function gatesOf({ schedulingGates = [] }: core.PodSpec): core.PodSchedulingGate[] {
  return [...schedulingGates.filter(({ name }) => name !== recordedGate), { name: recordedGate }];
}

/** Returns the lifetime after which the kubelet ends a pod, even if no controller runs. */
function lifetimeOf(
  { spec: { maxWorkerLifetime } }: RunnerGroup,
  { activeDeadlineSeconds }: core.PodSpec,
): Pick<core.PodSpec, 'activeDeadlineSeconds'> {
  if (activeDeadlineSeconds !== undefined) return { activeDeadlineSeconds };
  const lifetimeMs = parseDuration(maxWorkerLifetime);
  return lifetimeMs === 0 ? {} : { activeDeadlineSeconds: Math.max(1, Math.ceil(lifetimeMs / 1000)) };
}
