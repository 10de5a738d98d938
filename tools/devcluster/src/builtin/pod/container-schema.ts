import {
  boolean,
  int32,
  int64,
  intOrString,
  list,
  listMap,
  map,
  object,
  oneOf,
  quantity,
  string,
  atomic,
} from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';

/** v1 ResourceRequirements. */
export const resources: Schema = object(
  {
    limits: map(quantity(), 'The most that may be used.'),
    requests: map(quantity(), 'What is set aside.'),
    claims: listMap(
      object(
        { name: string('Entry of spec.resourceClaims.'), request: string('One request of the claim.') },
        { required: ['name'] },
      ),
      ['name'],
      'Claims that the container uses.',
    ),
  },
  { description: 'CPU, memory and other resources.', default: {} },
);

const keyRef = (of: string): Schema =>
  atomic(
    object(
      {
        name: string({ description: `Name of the ${of}.`, default: '' }),
        key: string('Key to take.'),
        optional: boolean(`Whether the ${of} or the key may be missing.`),
      },
      { required: ['key'] },
    ),
  );

/** v1 ObjectFieldSelector. */
export const fieldRef: Schema = atomic(
  object(
    {
      apiVersion: string({ description: 'Version that the path is of.', default: 'v1' }),
      fieldPath: string('Field of the pod, such as metadata.name.'),
    },
    { required: ['fieldPath'] },
  ),
);

/** v1 ResourceFieldSelector. */
export const resourceFieldRef: Schema = atomic(
  object(
    {
      containerName: string('Container; needed in volumes.'),
      resource: string('Such as limits.cpu.'),
      divisor: quantity('Unit of the value.'),
    },
    { required: ['resource'] },
  ),
);

const envVar = object(
  {
    name: string('Name of the variable.'),
    value: string('Value; $(VAR) is expanded.'),
    valueFrom: object(
      {
        fieldRef: fieldRef,
        resourceFieldRef: resourceFieldRef,
        configMapKeyRef: keyRef('ConfigMap'),
        secretKeyRef: keyRef('Secret'),
      },
      'Where the value comes from instead.',
    ),
  },
  { required: ['name'] },
);

const sourceRef = (of: string): Schema =>
  object({
    name: string({ description: `Name of the ${of}.`, default: '' }),
    optional: boolean('Whether it may be missing.'),
  });

const envFrom = object({
  prefix: string('Put before each key.'),
  configMapRef: sourceRef('ConfigMap'),
  secretRef: sourceRef('Secret'),
});

const port = object(
  {
    name: string('Name for Services to use.'),
    hostPort: int32('Port of the node.'),
    containerPort: int32('Port of the container.'),
    protocol: string({ description: 'TCP, UDP or SCTP.', default: 'TCP' }),
    hostIP: string('Address of the node.'),
  },
  { required: ['containerPort'] },
);

const httpGet = object(
  {
    path: string({ description: 'Path to ask for.', default: '/' }),
    port: intOrString('Number or name of the port.'),
    host: string('Host name; default: the pod.'),
    scheme: string({ description: 'HTTP or HTTPS.', default: 'HTTP' }),
    httpHeaders: list(
      object({ name: string(), value: string() }, { required: ['name', 'value'] }),
      'Additional headers.',
    ),
  },
  { required: ['port'] },
);

const handler = {
  exec: object(
    { command: list(string(), 'Program and arguments, without a shell.') },
    'Runs a program in the container.',
  ),
  httpGet,
  tcpSocket: object(
    { port: intOrString('Number or name of the port.'), host: string() },
    { required: ['port'] },
  ),
};

const probe = (description: string): Schema =>
  object(
    {
      ...handler,
      grpc: object({ port: int32('Port.'), service: string({ default: '' }) }, { required: ['port'] }),
      initialDelaySeconds: int32('Seconds before the first probe.'),
      timeoutSeconds: int32({ description: 'Seconds until a probe has failed.', default: 1 }),
      periodSeconds: int32({ description: 'Seconds between probes.', default: 10 }),
      successThreshold: int32({ description: 'Successes in a row that count.', default: 1 }),
      failureThreshold: int32({ description: 'Failures in a row that count.', default: 3 }),
      terminationGracePeriodSeconds: int64('Seconds to stop after a failure.'),
    },
    description,
  );

const lifecycleHandler = object({
  ...handler,
  sleep: object({ seconds: int64('How long.') }, { required: ['seconds'] }),
});

/** Fields that pods and containers share. */
export const securityShared = {
  seLinuxOptions: object({ level: string(), role: string(), type: string(), user: string() }),
  windowsOptions: object({
    gmsaCredentialSpec: string(),
    gmsaCredentialSpecName: string(),
    hostProcess: boolean(),
    runAsUserName: string(),
  }),
  runAsUser: int64('User id of the process.'),
  runAsGroup: int64('Group id of the process.'),
  runAsNonRoot: boolean('Refuses to run as root.'),
  seccompProfile: object(
    { type: string('RuntimeDefault, Localhost or Unconfined.'), localhostProfile: string() },
    { required: ['type'] },
  ),
  appArmorProfile: object(
    { type: string('RuntimeDefault, Localhost or Unconfined.'), localhostProfile: string() },
    { required: ['type'] },
  ),
};

const securityContext = object(
  {
    ...securityShared,
    capabilities: object({ add: list(string(), 'Added.'), drop: list(string(), 'Dropped.') }),
    privileged: boolean('Runs with all privileges of the node.'),
    readOnlyRootFilesystem: boolean('Mounts the root file system read-only.'),
    allowPrivilegeEscalation: boolean('Whether a process may gain more privileges than its parent.'),
    procMount: string('How /proc is mounted.'),
  },
  'Security settings of the container.',
);

const volumeMount = object(
  {
    name: string('Name of the volume.'),
    readOnly: boolean('Whether it is mounted read-only.'),
    recursiveReadOnly: string('Whether mounts below are read-only too.'),
    mountPath: string('Path in the container.'),
    subPath: string('Path in the volume.'),
    subPathExpr: string('Path in the volume, with $(VAR) expanded.'),
    mountPropagation: string('How mounts spread.'),
  },
  { required: ['name', 'mountPath'] },
);

/** v1 Container; ephemeral containers have a target in addition. */
export const container: Schema = object(
  {
    name: string('Name, unique in the pod.'),
    image: string('Image to run.'),
    command: list(string(), 'Program; default: that of the image.'),
    args: list(string(), 'Arguments; default: those of the image.'),
    workingDir: string('Working directory.'),
    ports: {
      ...listMap(port, ['containerPort', 'protocol'], 'Ports that the container listens on.'),
      'x-kubernetes-patch-merge-key': 'containerPort',
    },
    envFrom: list(envFrom, 'Sources of whole sets of variables.'),
    env: listMap(envVar, ['name'], 'Environment variables.'),
    resources: resources,
    resizePolicy: list(
      object(
        { resourceName: string(), restartPolicy: string() },
        { required: ['resourceName', 'restartPolicy'] },
      ),
    ),
    restartPolicy: string('Always makes an init container a sidecar.'),
    volumeMounts: listMap(volumeMount, ['mountPath'], 'Where volumes appear.'),
    volumeDevices: listMap(
      object({ name: string(), devicePath: string() }, { required: ['name', 'devicePath'] }),
      ['devicePath'],
    ),
    livenessProbe: probe('Restarts the container when it fails.'),
    readinessProbe: probe('Takes the pod out of Services while it fails.'),
    startupProbe: probe('Holds the other probes until it succeeds.'),
    lifecycle: object({ postStart: lifecycleHandler, preStop: lifecycleHandler, stopSignal: string() }),
    terminationMessagePath: string({
      description: 'File with the last words.',
      default: '/dev/termination-log',
    }),
    terminationMessagePolicy: oneOf(['File', 'FallbackToLogsOnError'], {
      description: 'Where the last words come from.',
      default: 'File',
    }),
    imagePullPolicy: oneOf(['Always', 'IfNotPresent', 'Never'], 'When the image is pulled.'),
    securityContext,
    stdin: boolean('Keeps standard input open.'),
    stdinOnce: boolean('Closes standard input after the first client.'),
    tty: boolean('Gives the container a terminal.'),
  },
  { required: ['name'] },
);

/** Containers of a pod by name. */
export const containers: Schema = listMap(container, ['name'], 'Containers that run side by side.');
