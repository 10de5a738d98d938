import {
  labelSelector,
  bootstrapLabels,
  localReference,
  many,
  metadata,
  one,
  strings,
  type FieldType,
  type Message,
} from './message.js';

const container: Message = {
  1: ['name', 'string'],
  2: ['image', 'string'],
  3: ['command', strings],
  4: ['args', strings],
  5: ['workingDir', 'string'],
  6: [
    'ports',
    many({
      1: ['name', 'string'],
      2: ['hostPort', 'int'],
      3: ['containerPort', 'int'],
      4: ['protocol', 'string'],
      5: ['hostIP', 'string'],
    }),
  ],
  7: ['env', many({ 1: ['name', 'string'], 2: ['value', 'string'] })],
  8: ['resources', one({ 1: ['limits', { map: 'quantity' }], 2: ['requests', { map: 'quantity' }] })],
  13: ['terminationMessagePath', 'string'],
  14: ['imagePullPolicy', 'string'],
  16: ['stdin', 'bool'],
  17: ['stdinOnce', 'bool'],
  18: ['tty', 'bool'],
  20: ['terminationMessagePolicy', 'string'],
};

export const podSpec: Message = {
  2: ['containers', many(container)],
  3: ['restartPolicy', 'string'],
  4: ['terminationGracePeriodSeconds', 'int?'],
  5: ['activeDeadlineSeconds', 'int?'],
  6: ['dnsPolicy', 'string'],
  7: ['nodeSelector', bootstrapLabels],
  8: ['serviceAccountName', 'string'],
  9: ['serviceAccount', 'string'],
  10: ['nodeName', 'string'],
  11: ['hostNetwork', 'bool'],
  12: ['hostPID', 'bool'],
  13: ['hostIPC', 'bool'],
  15: ['imagePullSecrets', many(localReference)],
  16: ['hostname', 'string'],
  17: ['subdomain', 'string'],
  19: ['schedulerName', 'string'],
  20: ['initContainers', many(container)],
  21: ['automountServiceAccountToken', 'bool?'],
  24: ['priorityClassName', 'string'],
};

const podTemplate: FieldType = one({ 1: metadata, 2: ['spec', one(podSpec)] });

export const deploymentSpec: Message = {
  1: ['replicas', 'int?'],
  2: ['selector', one(labelSelector)],
  3: ['template', podTemplate],
  4: [
    'strategy',
    one({
      1: ['type', 'string'],
      2: ['rollingUpdate', one({ 1: ['maxUnavailable', 'intOrString'], 2: ['maxSurge', 'intOrString'] })],
    }),
  ],
  5: ['minReadySeconds', 'int'],
  6: ['revisionHistoryLimit', 'int?'],
  7: ['paused', 'bool'],
  9: ['progressDeadlineSeconds', 'int?'],
};

export const jobSpec: Message = {
  1: ['parallelism', 'int?'],
  2: ['completions', 'int?'],
  3: ['activeDeadlineSeconds', 'int?'],
  4: ['selector', one(labelSelector)],
  5: ['manualSelector', 'bool?'],
  6: ['template', podTemplate],
  7: ['backoffLimit', 'int?'],
  8: ['ttlSecondsAfterFinished', 'int?'],
  9: ['completionMode', 'string'],
  10: ['suspend', 'bool?'],
  14: ['podReplacementPolicy', 'string'],
};
