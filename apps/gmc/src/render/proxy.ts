import type { ActionsGateway } from '@interlock/api';
import {
  Deployment,
  HorizontalPodAutoscaler,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '@interlock/kube';
import type * as core from 'kubernetes-types/core/v1.js';
import { namespaceOf, type Installation, type TenantContext } from './context.js';
import { names, ports } from './names.js';
import { labelsOf, objectOf, selectorOf, type Rendered } from './objects.js';
import { disruptionBudget, hardenedPod, secretVolume } from './pods.js';

/* At shutdown the proxy accepts new tunnels for up to 7 s, and waits for open ones for 45 s in all. */
const gracePeriodSeconds = 60;
const tlsFolder = '/etc/actions-gateway/proxy-tls';

const defaultResources: core.ResourceRequirements = {
  requests: { cpu: '10m', memory: '32Mi' },
  limits: { cpu: '100m', memory: '64Mi' },
};

/** Returns the objects of a tenant's egress proxy. Only the autoscaler sets the number of pods. */
export function proxyObjects(gateway: ActionsGateway, { installation }: TenantContext): Rendered[] {
  const labels = labelsOf(gateway, 'egress-proxy', installation);
  const selector = selectorOf(gateway, 'egress-proxy');
  const of = (kind: Rendered['kind'], content: Record<string, unknown>) =>
    objectOf(gateway, kind, names.proxy, labels, content);
  return [
    of(ServiceAccount, { automountServiceAccountToken: false }),
    of(Service, {
      spec: { selector, ports: [{ name: 'proxy', port: ports.proxy, targetPort: 'proxy' }] },
    }),
    of(Deployment, {
      spec: {
        revisionHistoryLimit: 3,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        selector: { matchLabels: selector },
        template: { metadata: { labels }, spec: proxyPod(gateway, installation, selector) },
      },
    }),
    of(PodDisruptionBudget, disruptionBudget(selector)),
    of(HorizontalPodAutoscaler, { spec: scaling(gateway) }),
  ];
}

function scaling({ spec: { proxy } }: ActionsGateway): Record<string, unknown> {
  return {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: names.proxy },
    minReplicas: proxy.minReplicas,
    maxReplicas: proxy.maxReplicas,
    metrics: [
      {
        type: 'Resource',
        resource: {
          name: 'cpu',
          target: { type: 'Utilization', averageUtilization: proxy.targetCPUUtilizationPercentage },
        },
      },
    ],
  };
}

function proxyPod(
  gateway: ActionsGateway,
  { images, allowedHosts, extraRanges }: Installation,
  selector: Record<string, string>,
): core.PodSpec {
  const { logLevel = 'info', gitHubURL, proxy } = gateway.spec;
  const targets = targetPorts(gateway);
  const hosts = [...new Set([new URL(gitHubURL).hostname, ...allowedHosts])];
  return hardenedPod({
    name: 'egress-proxy',
    serviceAccount: names.proxy,
    mountsToken: false,
    gracePeriodSeconds,
    /* A public name is looked up as it is: the search list costs four more lookups, and Services of the cluster could answer them. */
    dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
    image: images.proxy,
    env: [
      { name: 'PROXY_TENANT', value: namespaceOf(gateway) },
      { name: 'PROXY_PORT', value: String(ports.proxy) },
      { name: 'PROXY_HEALTH_PORT', value: String(ports.probes) },
      { name: 'PROXY_TLS_CERT_FILE', value: `${tlsFolder}/tls.crt` },
      { name: 'PROXY_TLS_KEY_FILE', value: `${tlsFolder}/tls.key` },
      { name: 'PROXY_ALLOWED_HOST_SUFFIXES', value: hosts.join(',') },
      { name: 'LOG_LEVEL', value: logLevel },
      ...(extraRanges.length === 0 ? [] : [{ name: 'PROXY_ALLOWED_CIDRS', value: extraRanges.join(',') }]),
      ...(targets.length === 1 ? [] : [{ name: 'PROXY_ALLOWED_PORTS', value: targets.join(',') }]),
    ],
    ports: [
      { name: 'proxy', containerPort: ports.proxy },
      { name: 'probes', containerPort: ports.probes },
    ],
    resources: isEmpty(proxy.resources) ? defaultResources : proxy.resources,
    volumes: [secretVolume('tls', names.proxyTls, ['tls.crt', 'tls.key'])],
    volumeMounts: [{ name: 'tls', mountPath: tlsFolder, readOnly: true }],
    selector,
  });
}

/** Returns the ports that a tenant's proxy connects to. */
export function targetPorts({ spec: { gitHubURL } }: ActionsGateway): readonly number[] {
  const { port } = new URL(gitHubURL);
  /* `port` is empty for the default port of the scheme. */
  return port === '' ? [443] : [443, Number(port)];
}

function isEmpty(resources: core.ResourceRequirements | undefined): resources is undefined {
  return resources === undefined || Object.keys(resources).length === 0;
}
