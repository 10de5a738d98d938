import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { useCluster } from '../testing/harness.js';
import { createPod, logOf, pod, shell, testImages, untilStatus } from '../testing/pods.js';

const folder = mkdtempSync(join(tmpdir(), 'image-'));
mkdirSync(join(folder, 'bin'));
writeFileSync(join(folder, 'bin/hello'), '#!/bin/sh\necho "hello from $0"\n', { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

const nodes = ['isolated', 'plain'];
const api = useCluster({
  kubelets: [{ nodeName: 'isolated' }, { nodeName: 'plain', namespaces: false }],
  images: {
    ...testImages,
    'test/tool': { command: ['sh', '-c'], files: { '/opt/test-tool': folder } },
    'test/lost': { command: ['sh', '-c'], files: { '/opt/test-tool': join(folder, 'none') } },
  },
});

/** Returns a pod of a node that runs once. */
function once(name: string, nodeName: string, container: object, spec: object = {}): Record<string, unknown> {
  return pod(name, [container as never], { restartPolicy: 'Never', nodeName, ...spec });
}

describe.each(nodes)('a container on the %s node', (node) => {
  it.each([
    ['the default path', {}, '/dev/termination-log'],
    ['another path', { terminationMessagePath: '/run/test-report/end' }, '/run/test-report/end'],
  ])('has the file of its termination message at %s', async (title, fields, path) => {
    const name = `${node}-${title.replaceAll(' ', '-')}`;
    const container = shell('c', `test -f ${path} && printf done > ${path}; exit 4`, fields);
    await createPod(api, once(name, node, container) as never);
    const { body } = await untilStatus(api, name, ({ phase }) => phase === 'Failed');
    expect(body['status']).toMatchObject({
      containerStatuses: [{ state: { terminated: { exitCode: 4, message: 'done' } } }],
    });
  });

  it('has a copy of the files of its image, in which volumes can be mounted', async () => {
    const script =
      'echo own > /opt/test-tool/bin/own; echo data > /opt/test-tool/work/deep/data; /opt/test-tool/bin/hello';
    const container = {
      ...shell('c', script),
      image: 'test/tool:1',
      volumeMounts: [{ name: 'work', mountPath: '/opt/test-tool/work/deep' }],
    };
    await createPod(
      api,
      once(`${node}-image`, node, container, { volumes: [{ name: 'work', emptyDir: {} }] }) as never,
    );
    await untilStatus(api, `${node}-image`, ({ phase }) => phase === 'Succeeded');
    expect(await logOf(api, `${node}-image`)).toMatch(/^hello from .*\/bin\/hello\n$/);
    expect(readdirSync(join(folder, 'bin'))).toEqual(['hello']);
  });

  it('does not start when the files of its image are missing', async () => {
    const container = { ...shell('c', 'true'), image: 'test/lost:1' };
    await createPod(api, once(`${node}-lost`, node, container) as never);
    const { body } = await untilStatus(api, `${node}-lost`, ({ containerStatuses }) =>
      JSON.stringify(containerStatuses ?? '').includes('CreateContainerError'),
    );
    expect(JSON.stringify(body['status'])).toContain(`failed to copy ${join(folder, 'none')}`);
  });
});

it('a container with a termination message under /dev has the usual devices', async () => {
  const script = 'echo x > /dev/null; head -c 4 /dev/zero | wc -c; ls /dev | tr "\\n" " "';
  await createPod(api, once('devices', 'isolated', shell('c', script)) as never);
  await untilStatus(api, 'devices', ({ phase }) => phase === 'Succeeded');
  const log = await logOf(api, 'devices');
  expect(log).toContain('4\n');
  expect(log).toContain('urandom');
});
