import { objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import {
  boolean,
  dateTime,
  int32,
  int64,
  list,
  listMap,
  object,
  oneOf,
  setList,
  string,
} from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';
import { age } from '../../table/age.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { defaultJob, generateSelector } from './defaults.js';
import { validateJob, validateJobUpdate } from './validation.js';
import { podTemplate } from '../pod/spec-schema.js';
import { labelSelector } from '../meta/label-selector.js';
import { defaultLabels, numberOf, templateColumns } from '../workload.js';

const podFailurePolicy = object(
  {
    rules: list(
      object(
        {
          action: string('FailJob, Ignore or Count.'),
          onExitCodes: object(
            {
              containerName: string('Container whose exit code counts; default: any.'),
              operator: string('In or NotIn.'),
              values: setList({ type: 'integer', format: 'int32' }, 'Exit codes.'),
            },
            { description: 'Exit codes that the rule is about.', required: ['operator', 'values'] },
          ),
          onPodConditions: list(
            object(
              { type: string('Type of the condition.'), status: string('Status of the condition.') },
              { required: ['type'] },
            ),
            'Conditions of the pod that the rule is about.',
          ),
        },
        { required: ['action'] },
      ),
      'Of several rules the first that matches counts.',
    ),
  },
  { description: 'What a failed pod means.', required: ['rules'] },
);

const condition: Schema = object(
  {
    type: string('Name of the condition.'),
    status: string('True, False or Unknown.'),
    lastProbeTime: dateTime('When the condition was last checked.'),
    lastTransitionTime: dateTime('When the status last changed.'),
    reason: string('Machine-readable reason of the last change.'),
    message: string('Text about the last change.'),
  },
  { required: ['type', 'status'] },
);

const schema = object(
  {
    spec: object(
      {
        parallelism: int32('The most pods that run at a time.'),
        completions: int32('Pods that have to succeed; default: one that ends the Job.'),
        activeDeadlineSeconds: int64('Seconds after which the Job has failed.'),
        podFailurePolicy,
        backoffLimit: int32('Pods that may fail before the Job does.'),
        selector: { ...labelSelector, description: 'Which pods belong to it; generated.' },
        manualSelector: boolean('Whether the selector is not generated.'),
        template: podTemplate,
        ttlSecondsAfterFinished: int32('Seconds after its end at which the Job is deleted.'),
        completionMode: string('NonIndexed or Indexed.'),
        suspend: boolean('Whether the Job has no pods for now.'),
        podReplacementPolicy: oneOf(
          ['TerminatingOrFailed', 'Failed'],
          'When a pod is replaced: once it is being deleted, or once it has failed.',
        ),
      },
      { description: 'The desired state.', required: ['template'], default: {} },
    ),
    status: object(
      {
        conditions: listMap(condition, ['type'], {
          description: 'State in detail.',
          'x-kubernetes-list-type': 'atomic',
        }),
        startTime: dateTime('When the Job was started or resumed.'),
        completionTime: dateTime('When the Job was complete.'),
        active: int32('Pods that are pending or running.'),
        terminating: int32('Pods that are being deleted.'),
        ready: int32('Pods that are ready.'),
        succeeded: int32('Pods that succeeded.'),
        failed: int32('Pods that failed.'),
        completedIndexes: string('Indexes that succeeded, as in "1,3-5".'),
        failedIndexes: string('Indexes that failed for good.'),
        uncountedTerminatedPods: object(
          {
            succeeded: setList(string(), 'UIDs of pods that succeeded.'),
            failed: setList(string(), 'UIDs of pods that failed.'),
          },
          'Pods that have ended and are not in the counts yet.',
        ),
      },
      { description: 'The observed state.', default: {} },
    ),
  },
  'Runs pods until enough of them succeed.',
);

/** Returns the state as kubectl shows it (pkg/printers/internalversion, printJob). */
function stateText(o: KubeObject): string {
  const met = objectsAt(o, 'status', 'conditions')
    .filter(({ status }) => status === 'True')
    .map(({ type }) => String(type));
  for (const ended of ['Complete', 'Failed']) if (met.includes(ended)) return ended;
  if (o.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => met.includes(type)) ?? 'Running';
}

function completionsText(o: KubeObject): string {
  const succeeded = String(numberOf(o, 'status', 'succeeded'));
  const completions = valueAt(o, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${String(completions)}`;
  const parallelism = numberOf(o, 'spec', 'parallelism');
  return `${succeeded}/1${parallelism > 1 ? ` of ${String(parallelism)}` : ''}`;
}

function durationText(o: KubeObject, now: Date): string {
  const start = textAt(o, 'status', 'startTime');
  const end = textAt(o, 'status', 'completionTime');
  return start === '' ? '' : age(start, end === '' ? now : new Date(end));
}

/** batch/v1 Job. */
export const jobKind: Resource = defineKind({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  schema,
  fields: { 'status.successful': (o) => String(numberOf(o, 'status', 'succeeded')) },
  columns: [
    nameColumn,
    column('Status', 'State of the Job.', stateText),
    column('Completions', 'Pods that succeeded, of those that have to.', completionsText),
    column('Duration', 'Time between the start and the end.', durationText),
    ageColumn,
    ...templateColumns,
  ],
  strategy: {
    generation: true,
    status: true,
    orphansByDefault: true,
    desired: (o) => o['spec'] ?? {},
    defaults: defaultJob,
    prepareCreate: (o) => {
      o['status'] = {};
      if (valueAt(o, 'spec', 'manualSelector') !== true) generateSelector(o);
      defaultLabels(o);
    },
    validate: validateJob,
    validateUpdate: validateJobUpdate,
  },
});
