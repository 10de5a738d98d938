import type { apps, Values } from './workshop.js';

const named = [{ name: 'ca', configMap: { name: 'ca' } }];
const peers = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }];

/** Returns values that enable all features of the chart of an app. */
export function everything(app: (typeof apps)[number]): Values {
  return {
    replicas: 3,
    image: { digest: `sha256:${'0'.repeat(64)}` },
    imagePullSecrets: [{ name: 'registry' }],
    logLevel: 'debug',
    extraArgs: ['--metrics-bind-address=:8080'],
    extraEnv: [
      { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector.monitoring:4318' },
      { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } },
    ],
    extraVolumes: named,
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }],
    podAnnotations: { 'example.com/team': 'platform' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'platform', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: { matchExpressions: [{ key: 'pool', operator: 'In', values: ['platform'] }] },
          },
        ],
      },
    },
    priorityClassName: 'system-cluster-critical',
    serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
    networkPolicy: {
      metrics: { from: peers },
      extraIngress: [{ from: peers }],
      extraEgress: [{ to: peers, ports: [{ port: 4318 }] }],
      ...((app === 'promoter' || app === 'gitops-responder') && { webhooks: { from: peers } }),
      ...(app === 'gate-controller' && { admission: { from: peers }, gates: { from: peers } }),
    },
    ...ownValues[app],
  };
}

/** Returns values that route webhooks to an app. */
const webhooksOf = (app: string): Values => ({
  service: { type: 'NodePort', annotations: { 'example.com/note': 'yes' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/note': 'yes' },
    host: `${app}.example.com`,
    tlsSecretName: `${app}-tls`,
  },
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: 'public', namespace: 'gateways' }],
    hostnames: [`${app}.example.com`],
  },
});

const scmValues: Values = { scmHosts: ['git.example.com', 'forge.example.com:8443'], allowHttp: true };

const promoterValues: Values = {
  pollInterval: '2m30s',
  ...scmValues,
  gitProcessMebibytes: 512,
  cache: { maxGibibytes: 5, persistentVolumeClaim: { enabled: true } },
  webhooks: webhooksOf('promoter'),
};

const ownValues: Record<(typeof apps)[number], Values> = {
  promoter: promoterValues,
  'gitops-responder': {
    clusterId: 'c-1',
    clusterName: 'Production, EU: "north"',
    responderName: 'responder.north',
    maxAttempts: 5,
    pollInterval: '5m',
    ...scmValues,
    webhooks: webhooksOf('gitops-responder'),
    locate: { subjects: [{ apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] }] },
  },
  'commit-status-sync': { commitStatusTtl: '48h', ...scmValues },
  'gate-controller': {
    stateTtl: '30m',
    auditTtl: '2160h',
    auditKeySecret: 'audit-key',
    calendarHosts: ['calendars.example.com'],
    readResources: [{ apiGroup: 'argoproj.io', resources: ['rollouts'] }],
    admission: {
      authorizeOverrides: false,
      timeoutSeconds: 10,
      certificateSecret: 'admission-tls',
      caBundle: '-----BEGIN CERTIFICATE-----\n',
      annotations: { 'cert-manager.io/inject-ca-from': 'controllers/admission' },
    },
    gatesEndpoint: {
      enabled: true,
      certificateSecret: 'gates-tls',
      service: { type: 'LoadBalancer', annotations: { 'example.com/note': 'yes' } },
    },
  },
};
