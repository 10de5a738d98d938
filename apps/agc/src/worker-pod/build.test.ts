import { describe, expect, it } from '@jest/globals';
import type { RunnerGroup } from '@interlock/api';
import type { Pod } from '@interlock/kube';
import { group, record, worker } from '../job/testing/builders.js';
import { buildWorkerPod, workerPodName, type WorkerSettings } from './build.js';

/** Fields of every worker pod that a template cannot change. */
const reserved = {
  serviceAccountName: 'actions-gateway-worker',
  automountServiceAccountToken: false,
  hostNetwork: false,
  hostPID: false,
  hostIPC: false,
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 35,
  schedulingGates: [{ name: 'actions-gateway.com/recorded' }],
};

type Template = RunnerGroup['spec']['podTemplate'];

function build(
  podTemplate: Template,
  changes: Partial<WorkerSettings> = {},
  spec: Partial<RunnerGroup['spec']> = {},
): Pod {
  const own: RunnerGroup = { ...group, spec: { ...group.spec, ...spec, podTemplate } };
  return buildWorkerPod(own, record, { ...worker, ...changes }, undefined);
}

const runnerOf = ({ spec }: Pod) => spec?.containers.find(({ name }) => name === 'runner');
const envOf = (pod: Pod): Record<string, string | undefined> =>
  Object.fromEntries((runnerOf(pod)?.env ?? []).map(({ name, value }) => [name, value]));

describe('buildWorkerPod', () => {
  it('keeps the gates of the template', () => {
    const schedulingGates = [{ name: 'a.io/b' }, ...reserved.schedulingGates];
    expect(build({ spec: { containers: [], schedulingGates } }).spec?.schedulingGates).toEqual(
      schedulingGates,
    );
  });

  it('lets the scheduler bind a pod to the node of the template, because a bound pod can have no gate', () => {
    const { spec } = build({ spec: { containers: [], nodeName: 'node-1' } });
    expect(spec).not.toHaveProperty('nodeName');
    expect(spec).toMatchObject({
      schedulingGates: reserved.schedulingGates,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: expect.anything() } },
    });
  });

  it('builds a complete pod without a template', () => {
    expect(build({})).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'runner-linux-plan-1',
        namespace: 'team-a',
        labels: {
          'app.kubernetes.io/name': 'actions-gateway-worker',
          'actions-gateway/component': 'workload',
          'actions-gateway/runner-group': 'linux',
          'actions-gateway/plan-id': 'plan-1',
        },
        annotations: {
          'karpenter.sh/do-not-disrupt': 'true',
          'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
          'descheduler.alpha.kubernetes.io/prefer-no-eviction': 'true',
          'actions-gateway.com/run-id': '9007199254740993',
          'actions-gateway.com/repository': 'acme/web',
          'actions-gateway.com/job-name': 'build',
        },
        ownerReferences: [
          {
            apiVersion: 'actions-gateway.github.com/v1alpha1',
            kind: 'RunnerGroup',
            name: 'linux',
            uid: 'group-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        containers: [
          {
            name: 'runner',
            image: 'ghcr.io/actions/actions-runner:2.335.1',
            command: ['/bin/sh', '-c', expect.stringContaining('/opt/interlock/worker/worker.mjs')],
            env: [
              { name: 'RUNNER_HOME_DIR', value: '/home/runner' },
              { name: 'PAYLOAD_SECRET_PATH', value: '/run/secrets/job-payload' },
              { name: 'RUNNER_NAME', value: 'linux-0a1b' },
              { name: 'RUNNER_GITHUB_URL', value: 'https://github.com/acme' },
              { name: 'WORKER_SHUTDOWN_GRACE', value: '3600s' },
              { name: 'TERMINATION_MESSAGE_PATH', value: '/dev/termination-log' },
            ],
            resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '500m', memory: '1Gi' } },
            volumeMounts: [
              { name: 'interlock-job-payload', mountPath: '/run/secrets/job-payload', readOnly: true },
              { name: 'interlock-worker', mountPath: '/opt/interlock/worker', readOnly: true },
            ],
            terminationMessagePolicy: 'File',
          },
        ],
        volumes: [
          {
            name: 'interlock-job-payload',
            projected: {
              sources: [{ secret: { name: 'job-plan-1', items: [{ key: 'payload', path: 'payload' }] } }],
              defaultMode: 0o444,
            },
          },
          {
            name: 'interlock-worker',
            configMap: {
              name: 'interlock-worker-0123456789',
              items: [{ key: 'worker.mjs', path: 'worker.mjs' }],
              defaultMode: 0o444,
            },
          },
        ],
        ...reserved,
        activeDeadlineSeconds: 43_200,
        securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: 'RuntimeDefault' } },
      },
    });
  });

  it('overwrites every value of a tenant that the controller relies on', () => {
    const pod = build({
      metadata: {
        name: 'other',
        namespace: 'kube-system',
        finalizers: ['tenant/stay'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
        labels: {
          'actions-gateway/runner-group': 'other',
          'app.kubernetes.io/name': 'egress-proxy',
          team: 'a',
        },
        annotations: {
          'actions-gateway.com/run-id': '1',
          'actions-gateway.com/deletion-reason': 'evil',
          'actions-gateway.com/job-completed-at': 'evil',
        },
      },
      spec: {
        serviceAccountName: 'admin',
        serviceAccount: 'admin',
        automountServiceAccountToken: true,
        hostNetwork: true,
        hostPID: true,
        hostIPC: true,
        restartPolicy: 'Always',
        priority: 2_000_000_000,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'runner',
            command: ['/evil'],
            args: ['--evil'],
            terminationMessagePath: '/evil',
            restartPolicy: 'evil',
            ...{ restartPolicyRules: [{ action: 'evil' }] },
            env: [
              { name: 'https_proxy', value: 'http://evil' },
              { name: 'ACTIONS_RUNTIME_TOKEN', value: 'evil' },
              { name: 'PAYLOAD_SECRET_PATH', value: '/evil' },
              { name: 'KEPT', value: 'kept' },
            ],
            volumeMounts: [{ name: 'own', mountPath: '/run/secrets/job-payload/' }],
          },
        ],
        volumes: [{ name: 'interlock-worker', emptyDir: {} }],
      },
    });
    const { metadata, spec } = pod;
    expect(JSON.stringify(pod)).not.toContain('evil');
    expect([metadata.name, metadata.namespace, metadata.finalizers]).toEqual([
      'runner-linux-plan-1',
      'team-a',
      undefined,
    ]);
    expect(metadata.ownerReferences).toHaveLength(1);
    expect(metadata.labels).toMatchObject({
      'actions-gateway/runner-group': 'linux',
      'app.kubernetes.io/name': 'actions-gateway-worker',
      team: 'a',
    });
    expect(metadata.annotations).toMatchObject({ 'actions-gateway.com/run-id': '9007199254740993' });
    expect(spec).toMatchObject({
      ...reserved,
    });
    expect(spec).not.toHaveProperty('serviceAccount');
    expect(spec).not.toHaveProperty('priority');
    expect(spec?.volumes?.map(({ name }) => name)).toEqual(['interlock-job-payload', 'interlock-worker']);
    expect(envOf(pod)).toMatchObject({ KEPT: 'kept', PAYLOAD_SECRET_PATH: '/run/secrets/job-payload' });
  });

  it('keeps what the controller does not rely on', () => {
    const pod = build({
      spec: {
        nodeSelector: { gpu: 'true' },
        activeDeadlineSeconds: 60,
        terminationGracePeriodSeconds: 120,
        securityContext: { runAsUser: 0, runAsNonRoot: false },
        initContainers: [{ name: 'prepare', image: 'prepare' }],
        containers: [
          { name: 'dind', image: 'dind' },
          {
            name: 'runner',
            image: 'mine',
            resources: { requests: { cpu: '4' } },
            env: [{ name: 'RUNNER_HOME_DIR', value: '/opt/r' }],
          },
        ],
      },
    });
    expect(pod.spec?.containers.map(({ name, image }) => [name, image])).toEqual([
      ['dind', 'dind'],
      ['runner', 'mine'],
    ]);
    expect(pod.spec).toMatchObject({
      nodeSelector: { gpu: 'true' },
      activeDeadlineSeconds: 60,
      terminationGracePeriodSeconds: 120,
      securityContext: { runAsUser: 0, runAsNonRoot: false, seccompProfile: { type: 'RuntimeDefault' } },
      initContainers: [{ name: 'prepare' }],
    });
    expect(runnerOf(pod)?.resources).toEqual({ requests: { cpu: '4' } });
    expect(envOf(pod)['RUNNER_HOME_DIR']).toBe('/opt/r');
  });

  it.each([
    [0, 35],
    [300, 300],
    [3610, 3610],
    [86_400, 3610],
  ])('gives the pod the grace period of a template with %i seconds', (seconds, ofPod) => {
    const pod = build({ spec: { containers: [], terminationGracePeriodSeconds: seconds } });
    expect(pod.spec?.terminationGracePeriodSeconds).toBe(ofPod);
  });

  it('limits the runner by the resources of the whole pod, if the template has them', () => {
    const resources = { requests: { cpu: '4', memory: '8Gi' }, limits: { memory: '8Gi' } };
    const pod = build({ spec: { containers: [], ...{ resources } } });
    expect(pod.spec).toMatchObject({ resources });
    expect(runnerOf(pod)?.resources).toEqual({});
  });

  it('prefers the image of the group to the default image, and the image of the template to both', () => {
    const spec = { workerImage: 'of-group' };
    expect(runnerOf(build({}, {}, spec))?.image).toBe('of-group');
    expect(
      runnerOf(build({ spec: { containers: [{ name: 'runner', image: 'own' }] } }, {}, spec))?.image,
    ).toBe('own');
    const empty = { spec: { containers: [{ name: 'runner', image: '' }] } };
    expect(runnerOf(build(empty, {}, { workerImage: '' }))?.image).toBe(worker.defaultImage);
  });

  it('sends workers through the proxy, with environment variables in upper case and in lower case', () => {
    const proxy = { proxyUrl: 'https://proxy:8080', noProxy: 'localhost,10.96.0.1', proxyCaSecret: 'proxy' };
    const pod = build({}, proxy);
    expect(envOf(pod)).toMatchObject({
      HTTP_PROXY: 'https://proxy:8080',
      HTTPS_PROXY: 'https://proxy:8080',
      NO_PROXY: 'localhost,10.96.0.1',
      https_proxy: 'https://proxy:8080',
      no_proxy: 'localhost,10.96.0.1',
      PROXY_CA_CERT_PATH: '/etc/actions-gateway/proxy-ca/ca.crt',
    });
    /* The private key of the proxy is not mounted. */
    const items = [{ key: 'ca.crt', path: 'ca.crt' }];
    expect(pod.spec?.volumes).toContainEqual({
      name: 'interlock-proxy-ca',
      secret: { secretName: 'proxy', items, defaultMode: 0o444 },
    });
    expect(runnerOf(pod)?.volumeMounts).toContainEqual({
      name: 'interlock-proxy-ca',
      mountPath: '/etc/actions-gateway/proxy-ca',
      readOnly: true,
    });
  });

  it('makes workers trust the authorities of GitHub, and mounts them from their ConfigMap', () => {
    const gitHubCa = { kind: 'ConfigMap', name: 'ghes', key: 'root.pem' } as const;
    const pod = build({}, { gitHubCa });
    const mountPath = '/etc/actions-gateway/github-ca';
    expect(envOf(pod)).toMatchObject({ GITHUB_CA_CERT_PATH: `${mountPath}/ca.crt` });
    const items = [{ key: 'root.pem', path: 'ca.crt' }];
    const name = 'interlock-github-ca';
    expect(pod.spec?.volumes).toContainEqual({
      name,
      configMap: { name: 'ghes', items, defaultMode: 0o444 },
    });
    expect(runnerOf(pod)?.volumeMounts).toContainEqual({ name, mountPath, readOnly: true });
    /* Other keys of the Secret are not mounted. */
    expect(build({}, { gitHubCa: { ...gitHubCa, kind: 'Secret' } }).spec?.volumes).toContainEqual({
      name,
      secret: { secretName: 'ghes', items, defaultMode: 0o444 },
    });
  });

  it.each<
    [profile: WorkerSettings['securityProfile'], pod: object | undefined, container: object | undefined]
  >([
    ['privileged', undefined, undefined],
    [
      'baseline',
      { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: 'RuntimeDefault' } },
      undefined,
    ],
    [
      'restricted',
      { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: 'RuntimeDefault' } },
      { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    ],
  ])(
    'gives a pod the settings that the profile %s requires',
    (securityProfile, podContext, containerContext) => {
      const pod = build({}, { securityProfile });
      expect(pod.spec?.securityContext).toEqual(podContext);
      expect(runnerOf(pod)?.securityContext).toEqual(containerContext);
    },
  );

  it.each([
    ['12h', 43_200],
    ['90s', 90],
    ['0s', undefined],
  ])('bounds the lifetime by maxWorkerLifetime %s', (maxWorkerLifetime, seconds) => {
    expect(build({}, {}, { maxWorkerLifetime }).spec?.activeDeadlineSeconds).toBe(seconds);
  });

  it('puts the parts of a large payload into one folder', () => {
    const pod = buildWorkerPod(group, { ...record, parts: 2 }, worker, undefined);
    expect(pod.spec?.volumes?.[0]?.projected?.sources).toEqual([
      { secret: { name: 'job-plan-1', items: [{ key: 'payload.000', path: 'payload.000' }] } },
      { secret: { name: 'job-plan-1-1', items: [{ key: 'payload.001', path: 'payload.001' }] } },
    ]);
  });

  it('gives a replacement pod a new name', () => {
    expect(workerPodName('linux', { planId: 'plan-1', launches: 2 })).toBe('runner-linux-plan-1-2');
  });
});
