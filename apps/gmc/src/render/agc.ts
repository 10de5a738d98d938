import { runnerLabels, workerServiceAccount, workloadComponent, type ActionsGateway } from '@interlock/api';
import { Deployment, PodDisruptionBudget, RoleBinding, Service, ServiceAccount } from '@interlock/kube';
import type * as core from 'kubernetes-types/core/v1.js';
import { namespaceOf, type TenantContext } from './context.js';
import { caBundleAnnotations, caBundleParts } from './ca-bundle.js';
import { names, ports, proxyCaFile, proxyUrl, workerProxyUrl } from './names.js';
import { noProxyOf } from './no-proxy.js';
import { derivedFrom, labelsOf, objectOf, selectorOf, type Rendered } from './objects.js';
import { disruptionBudget, hardenedPod, secretVolume, variablesOf } from './pods.js';
import { tracingVariables } from './tracing.js';

const initialReplicas = 2;
const gracePeriodSeconds = 25;
/* Its requests leave room for 250 sessions; docs/performance.md has the figures. */
const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '512Mi' } };
const credentialFolder = '/etc/actions-gateway/github-app';

/** Returns the objects of a tenant's controller, and the service account of its workers. */
export function controllerObjects(gateway: ActionsGateway, context: TenantContext): Rendered[] {
  const labels = labelsOf(gateway, 'agc', context.installation);
  const selector = selectorOf(gateway, 'agc');
  const of = (kind: Rendered['kind'], name: string, content: Record<string, unknown>) =>
    objectOf(gateway, kind, name, labels, content);
  return [
    of(ServiceAccount, names.controller, { automountServiceAccountToken: false }),
    of(ServiceAccount, workerServiceAccount, { automountServiceAccountToken: false }),
    of(RoleBinding, names.controller, {
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: context.installation.tenantRole,
      },
      subjects: [{ kind: 'ServiceAccount', name: names.controller, namespace: namespaceOf(gateway) }],
    }),
    derivedFrom(
      context.controllerVersion,
      of(Deployment, names.controller, {
        spec: {
          replicas: context.controllerReplicas ?? initialReplicas,
          revisionHistoryLimit: 3,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
          selector: { matchLabels: selector },
          template: {
            metadata: {
              labels: { ...labels, [runnerLabels.component]: workloadComponent },
              ...caBundleAnnotations(context),
            },
            spec: controllerPod(gateway, context, selector),
          },
        },
      }),
    ),
    of(PodDisruptionBudget, names.controller, disruptionBudget(selector)),
    of(Service, `${names.controller}-metrics`, {
      spec: { selector, ports: [{ name: 'metrics', port: ports.metrics, targetPort: 'metrics' }] },
    }),
  ];
}

function controllerPod(
  gateway: ActionsGateway,
  { installation, credentialSecret }: TenantContext,
  selector: Record<string, string>,
): core.PodSpec {
  const { logLevel = 'info' } = gateway.spec;
  const authorities = caBundleParts(gateway);
  return hardenedPod({
    name: 'agc',
    serviceAccount: names.controller,
    mountsToken: true,
    gracePeriodSeconds: gracePeriodSeconds + 5,
    image: installation.images.controller,
    args: [
      '--leader-elect=false',
      `--grace-period=${gracePeriodSeconds}s`,
      `--log-level=${logLevel}`,
      `--github-app-secret-dir=${credentialFolder}`,
      `--security-profile=${gateway.spec.securityProfile}`,
    ],
    env: controllerVariables(gateway, installation, authorities.env),
    ports: [
      { name: 'metrics', containerPort: ports.metrics },
      { name: 'probes', containerPort: ports.probes },
    ],
    resources,
    volumes: [
      { name: 'tmp', emptyDir: { sizeLimit: '256Mi' } },
      secretVolume('github-app', credentialSecret),
      /* Only ca.crt is mounted: the same Secret contains the private key of the proxy. */
      secretVolume('proxy-ca', names.proxyTls, ['ca.crt']),
      ...authorities.volumes,
    ],
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'github-app', mountPath: credentialFolder, readOnly: true },
      { name: 'proxy-ca', mountPath: '/etc/actions-gateway/proxy-ca', readOnly: true },
      ...authorities.volumeMounts,
    ],
    selector,
  });
}

function controllerVariables(
  gateway: ActionsGateway,
  { workerImage, runnerVersion, apiServer }: TenantContext['installation'],
  authorities: readonly core.EnvVar[],
): core.EnvVar[] {
  const { gitHubURL, proxy, tracing } = gateway.spec;
  const url = proxyUrl(namespaceOf(gateway));
  return [
    fromField('INTERLOCK_NAMESPACE', 'metadata.namespace'),
    fromField('POD_NAME', 'metadata.name'),
    fromField('POD_NAMESPACE', 'metadata.namespace'),
    { name: 'GITHUB_ORG_URL', value: gitHubURL },
    { name: 'HTTP_PROXY', value: url },
    { name: 'HTTPS_PROXY', value: url },
    { name: 'NO_PROXY', value: noProxyOf(proxy.noProxyCIDRs, apiServer) },
    { name: 'NODE_EXTRA_CA_CERTS', value: proxyCaFile },
    { name: 'PROXY_CA_SECRET', value: names.proxyTls },
    { name: 'WORKER_PROXY_URL', value: workerProxyUrl(namespaceOf(gateway)) },
    ...authorities,
    ...variablesOf({ WORKER_IMAGE: workerImage, GITHUB_RUNNER_VERSION: runnerVersion }),
    ...tracingVariables(tracing),
  ];
}

function fromField(name: string, fieldPath: string): core.EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
