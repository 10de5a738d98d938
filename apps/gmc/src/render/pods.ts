import type * as core from 'kubernetes-types/core/v1.js';
import type * as policy from 'kubernetes-types/policy/v1.js';

/** The parts of a pod that differ between the controller and the proxy of a tenant. */
interface PodParts {
  name: string;
  serviceAccount: string;
  /** Whether a token for the API server is mounted in the container. */
  mountsToken: boolean;
  gracePeriodSeconds: number;
  image: string;
  args?: string[] | undefined;
  env: core.EnvVar[];
  ports: core.ContainerPort[];
  resources: core.ResourceRequirements;
  volumes: core.Volume[];
  volumeMounts: core.VolumeMount[];
  sysctls?: core.Sysctl[] | undefined;
  dnsConfig?: core.PodDNSConfig | undefined;
  selector: Record<string, string>;
}

const user = 65532;

/** Returns a pod that the Pod Security level `restricted` admits, spread over nodes and zones if there are several. */
export function hardenedPod(parts: PodParts): core.PodSpec {
  return {
    serviceAccountName: parts.serviceAccount,
    automountServiceAccountToken: parts.mountsToken,
    /* Variables for Services named interlock-… would be read as flags. */
    enableServiceLinks: false,
    terminationGracePeriodSeconds: parts.gracePeriodSeconds,
    ...(parts.dnsConfig && { dnsConfig: parts.dnsConfig }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
      ...(parts.sysctls && { sysctls: parts.sysctls }),
    },
    topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(
      (topologyKey) => ({
        topologyKey,
        maxSkew: 1,
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: parts.selector },
      }),
    ),
    containers: [containerOf(parts)],
    volumes: parts.volumes,
  };
}

function containerOf({ name, image, args, env, ports, resources, volumeMounts }: PodParts): core.Container {
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    ...(args && { args }),
    env,
    ports,
    livenessProbe: {
      httpGet: { path: '/healthz', port: 'probes' },
      initialDelaySeconds: 15,
      periodSeconds: 20,
      timeoutSeconds: 5,
    },
    readinessProbe: { httpGet: { path: '/readyz', port: 'probes' }, periodSeconds: 10, timeoutSeconds: 5 },
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts,
  };
}

/** Returns the PodDisruptionBudget of the pods of a program, of which one at a time may be evicted. */
export function disruptionBudget(selector: Record<string, string>): { spec: policy.PodDisruptionBudgetSpec } {
  return {
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selector },
    },
  };
}

/** Returns environment variables; an undefined value is not set. */
export function variablesOf(values: Readonly<Record<string, string | undefined>>): core.EnvVar[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

/** Returns the volume of a Secret whose files only the user of the pod can read. */
export function secretVolume(name: string, secretName: string, keys?: readonly string[]): core.Volume {
  const items = keys?.map((key) => ({ key, path: key }));
  return { name, secret: { secretName, defaultMode: 0o440, ...(items && { items }) } };
}
