import { describe, expect, it } from '@jest/globals';
import { hasNamespaces } from './process/namespaces.js';
import { configMap, useCluster } from '../testing/harness.js';
import {
  createPod,
  eventsOf,
  logOf,
  nodeName,
  pod,
  podsPath,
  shell,
  testImages,
  untilGone,
  untilStatus,
} from '../testing/pods.js';

const api = useCluster({
  kubelets: [{ nodeName }, { nodeName: 'node-2', namespaces: false }],
  images: testImages,
});
/* Without mount namespaces, paths are rewritten. */
const nodes = [nodeName, 'node-2'];
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('volumes', () => {
  it.each(nodes)(
    'contain ConfigMaps and Secrets at the mount path, and follow their updates (%s)',
    async (node) => {
      const name = `files-${node}`;
      await api.create(configMaps, configMap(name, { mode: 'old', other: 'x' }));
      await api.create('/api/v1/namespaces/default/secrets', {
        metadata: { name },
        stringData: { pem: 'secret text' },
      });
      const script =
        'cat "$FILE" /dev/null; stat -Lc %a "$KEY"; until grep -q new "$FILE"; do sleep 0.05; done; cat "$FILE"; ls "${FILE%/*}"';
      const container = shell('c', script, {
        env: [
          { name: 'FILE', value: '/etc/app/mode.txt' },
          { name: 'KEY', value: '/keys/pem' },
        ],
        volumeMounts: [
          { name: 'config', mountPath: '/etc/app' },
          { name: 'keys', mountPath: '/keys' },
        ],
      });
      const volumes = [
        { name: 'config', configMap: { name, items: [{ key: 'mode', path: 'mode.txt' }] } },
        { name: 'keys', secret: { secretName: name, defaultMode: 0o400 } },
      ];
      await createPod(api, pod(name, [container], { nodeName: node, volumes, restartPolicy: 'Never' }));
      await api.until(`${podsPath}/${name}/log`, ({ text }) => text === 'old400\n');
      await api.patch(`${configMaps}/${name}`, { data: { mode: 'new' } });
      await untilStatus(api, name, ({ phase }) => phase === 'Succeeded');
      expect(await logOf(api, name)).toBe('old400\nnewmode.txt\n');
    },
  );

  it('are at their mount paths for all programs if the machine supports mount namespaces', async () => {
    const script =
      'cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; echo " $(cat /data/sub/x) $(cat /one)"; test -r /etc/passwd && test -w /dev/null && echo same';
    const init = shell('i', 'mkdir -p "$0/sub" && echo shared > "$0/sub/x"', {
      args: ['mkdir -p "$0/sub" && echo shared > "$0/sub/x"', '/tmp/work'],
      volumeMounts: [{ name: 'data', mountPath: '/tmp/work' }],
    });
    const volumeMounts = [
      { name: 'data', mountPath: '/data' },
      { name: 'data', mountPath: '/one', subPath: 'sub/x' },
    ];
    const volumes = [{ name: 'data', emptyDir: {} }];
    const spec = { volumes, restartPolicy: 'Never', initContainers: [init] };
    await createPod(api, pod('paths', [shell('c', script, { volumeMounts })], spec));
    await untilStatus(api, 'paths', ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
    if (await hasNamespaces()) expect(await logOf(api, 'paths')).toBe('default shared shared\nsame\n');
  });

  it('prevent the pod from starting while a referenced object is missing', async () => {
    const volumes = [{ name: 'config', configMap: { name: 'later' } }];
    const container = shell('c', 'cat /config/a', {
      volumeMounts: [{ name: 'config', mountPath: '/config' }],
    });
    await createPod(
      api,
      pod('waits', [{ ...container, args: ['cat "$0"', '/config/a'] }], { volumes, restartPolicy: 'Never' }),
    );
    const selector = encodeURIComponent('involvedObject.name=waits,reason=FailedMount');
    await api.until(
      `/api/v1/namespaces/default/events?fieldSelector=${selector}`,
      ({ body }) => (body['items'] as unknown[]).length === 1,
    );
    expect(await eventsOf(api, 'waits')).toEqual([
      'FailedMount: MountVolume.SetUp failed for volume "config" : configmap "later" not found',
    ]);
    await api.create(configMaps, configMap('later', { a: 'here' }));
    await untilStatus(api, 'waits', ({ phase }) => phase === 'Succeeded');
    expect(await logOf(api, 'waits')).toBe('here');
  });
});

describe('the environment', () => {
  it('contains fields of the pod, keys of objects, and the variables of envFrom', async () => {
    await api.create(configMaps, configMap('env', { COLOUR: 'blue', SIZE: '4' }));
    const container = shell('c', 'echo "$NAME $COLOUR $GREETING $LIMIT $NONE $1" $POD_IP', {
      args: ['echo "$NAME $COLOUR $GREETING $LIMIT ${NONE-unset} $0"; echo "$POD_IP"', '$(NAME)-$$(NAME)'],
      envFrom: [{ configMapRef: { name: 'env' } }, { secretRef: { name: 'absent', optional: true } }],
      env: [
        { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'GREETING', value: 'size $(SIZE)' },
        { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        { name: 'NONE', valueFrom: { configMapKeyRef: { name: 'env', key: 'none', optional: true } } },
      ],
      resources: { limits: { cpu: '250m' } },
    });
    await createPod(api, pod('env', [container], { restartPolicy: 'Never' }));
    const { body } = await untilStatus(api, 'env', ({ phase }) => phase === 'Succeeded');
    const { podIP } = body['status'] as { podIP: string };
    expect(podIP).toMatch(/^127\./);
    expect(await logOf(api, 'env')).toBe(`env blue size 4 250 unset env-$(NAME)\n${podIP}\n`);
  });

  it('prevents the container from starting while a key is missing', async () => {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'late', key: 'a' } } }];
    await createPod(api, pod('config', [shell('c', 'echo $A', { env })], { restartPolicy: 'Never' }));
    const waiting = { reason: 'CreateContainerConfigError', message: 'secret "late" not found' };
    const { body } = await api.until(`${podsPath}/config`, ({ text }) =>
      text.includes('CreateContainerConfigError'),
    );
    expect(body['status']).toMatchObject({ phase: 'Pending', containerStatuses: [{ state: { waiting } }] });
    await api.create('/api/v1/namespaces/default/secrets', {
      metadata: { name: 'late' },
      stringData: { a: 'now' },
    });
    await untilStatus(api, 'config', ({ phase }) => phase === 'Succeeded');
    expect(await logOf(api, 'config')).toBe('now\n');
    await api.remove(`${podsPath}/config`);
    await untilGone(api, 'config');
  });
});

describe('the account of a pod', () => {
  it.each(nodes)(
    'is authenticated by the API server with the token of the automatic volume (%s)',
    async (node) => {
      const name = `token-${node}`;
      const script = `
      const { readFileSync } = require('node:fs');
      const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, FOLDER: folder } = process.env;
      const read = (name) => readFileSync(folder + '/' + name, 'utf8');
      const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
      const headers = { authorization: 'Bearer ' + read('token'), 'content-type': 'application/json' };
      const options = { host, port, ca: read('ca.crt'), method: 'POST', headers, path: '/apis/authentication.k8s.io/v1/selfsubjectreviews' };
      require('node:https').request(options, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        const { username, extra } = JSON.parse(text).status.userInfo;
        console.log(read('namespace'), username, extra['authentication.kubernetes.io/pod-name'][0]);
      }).end(body);`;
      const env = [{ name: 'FOLDER', value: '/var/run/secrets/kubernetes.io/serviceaccount' }];
      const container = { name: 'c', image: 'test/node:1', args: [script], env };
      await createPod(api, pod(name, [container], { nodeName: node, restartPolicy: 'Never' }));
      await untilStatus(api, name, ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
      expect(await logOf(api, name)).toBe(`default system:serviceaccount:default:default ${name}\n`);
    },
  );
});
