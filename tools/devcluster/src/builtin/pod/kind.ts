import { qosClass } from '@interlock/api/quantities';
import { isFinished } from '../../controllers/pod-state.js';
import { podLog } from '../../kubelet/logs/pod-log.js';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import {
  anyObject,
  atomic,
  boolean,
  dateTime,
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  quantity,
  string,
} from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';
import { condition } from '../meta/condition.js';
import { defineKind } from '../define.js';
import { evictPod } from './eviction.js';
import { bindPod } from './binding.js';
import { podColumns } from './columns.js';
import { defaultPodSpec } from './defaults.js';
import { podSpec } from './spec-schema.js';
import { podStreams } from './streams.js';
import { validatePodUpdate } from './update-validation.js';
import { validatePodSpec } from './validation.js';

const stateOf = (description: string): Schema =>
  object(
    {
      waiting: object({ reason: string(), message: string() }, 'Not running yet.'),
      running: object({ startedAt: dateTime() }, 'Running.'),
      terminated: object(
        {
          exitCode: int32(),
          signal: int32(),
          reason: string(),
          message: string(),
          startedAt: dateTime(),
          finishedAt: dateTime(),
          containerID: string(),
        },
        { description: 'Ended.', required: ['exitCode'] },
      ),
    },
    { description, default: {} },
  );

const containerStatuses = list(
  object({
    name: string('Name of the container.'),
    state: stateOf('What the container does now.'),
    lastState: stateOf('What it did before.'),
    ready: boolean('Whether its readiness probe succeeds.'),
    restartCount: int32('How often it was started again.'),
    image: string('Image that runs.'),
    imageID: string('Digest of the image.'),
    containerID: string('Id of the container.'),
    started: boolean('Whether its startup probe has succeeded.'),
    allocatedResources: map(quantity()),
    resources: anyObject(),
    volumeMounts: list(anyObject()),
    user: anyObject(),
  }),
  'State of each container.',
);

const status = object(
  {
    phase: string('Pending, Running, Succeeded, Failed or Unknown.'),
    conditions: listMap(condition(), ['type'], 'State in detail.'),
    message: string('Text about the state.'),
    reason: string('Machine-readable reason of the state.'),
    nominatedNodeName: string('Node that is being made free.'),
    hostIP: string('Address of the node.'),
    hostIPs: list(atomic(object({ ip: string() }))),
    podIP: string('Address of the pod.'),
    podIPs: listMap(object({ ip: string() }), ['ip']),
    startTime: dateTime('When the node took the pod on.'),
    initContainerStatuses: containerStatuses,
    containerStatuses,
    ephemeralContainerStatuses: containerStatuses,
    qosClass: string('Guaranteed, Burstable or BestEffort.'),
    resize: string(),
    resourceClaimStatuses: list(anyObject()),
    observedGeneration: int64('Generation that the status is about.'),
  },
  { description: 'What has become of the pod.', default: {} },
);

const gatedReason = 'SchedulingGated';

const defaultGraceSeconds = 30;

/** Returns the grace period; an unscheduled or ended pod has none. */
function gracePeriod(o: KubeObject, requested: number | undefined): number {
  if (textAt(o, 'spec', 'nodeName') === '' || isFinished(o)) return 0;
  const own = valueAt(o, 'spec', 'terminationGracePeriodSeconds');
  return Math.max(0, requested ?? (typeof own === 'number' ? own : defaultGraceSeconds));
}

/** The API server sets this condition for a pod with scheduling gates. */
const gatedCondition = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: gatedReason,
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

/** v1 Pod. */
export const podKind: Resource = defineKind({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  schema: object(
    { spec: { ...podSpec, description: 'What is to run.', default: {} }, status },
    'Containers that run together on a node.',
  ),
  fields: {
    'spec.nodeName': (o) => textAt(o, 'spec', 'nodeName'),
    'spec.restartPolicy': (o) => textAt(o, 'spec', 'restartPolicy'),
    'spec.schedulerName': (o) => textAt(o, 'spec', 'schedulerName'),
    'spec.serviceAccountName': (o) => textAt(o, 'spec', 'serviceAccountName'),
    'spec.hostNetwork': (o) => String(valueAt(o, 'spec', 'hostNetwork') === true),
    'status.phase': (o) => textAt(o, 'status', 'phase'),
    'status.podIP': (o) => textAt(o, 'status', 'podIP'),
    'status.nominatedNodeName': (o) => textAt(o, 'status', 'nominatedNodeName'),
  },
  columns: podColumns,
  subresources: {
    binding: { kind: 'Binding', verbs: ['create'], handle: bindPod },
    eviction: { kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'], handle: evictPod },
    log: { kind: 'Pod', verbs: ['get'], handle: podLog },
    ...podStreams,
  },
  strategy: {
    status: true,
    generation: true,
    returnsDeleted: true,
    /* Assigning a node does not change the requested state. */
    desired: (o) => {
      const { nodeName: _nodeName, ...desired } = objectAt(o, 'spec');
      return desired;
    },
    defaults: (o) => {
      const spec = objectAt(o, 'spec');
      defaultPodSpec(spec);
      spec['enableServiceLinks'] ??= true;
    },
    prepareCreate: (o) => {
      const gated = objectsAt(o, 'spec', 'schedulingGates').length > 0;
      o['status'] = {
        phase: 'Pending',
        ...(gated && { conditions: [gatedCondition] }),
        qosClass: qosClass(objectAt(o, 'spec')),
      };
    },
    prepareStatusUpdate: (o, old) => {
      const status = objectAt(o, 'status');
      status['qosClass'] ??= textAt(old, 'status', 'qosClass');
    },
    gracePeriod,
    validate: (o) => validatePodSpec(objectAt(o, 'spec'), 'spec'),
    validateUpdate: validatePodUpdate,
  },
});
