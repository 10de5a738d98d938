import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { useCluster } from '../testing/harness.js';
import { createPod, logOf, nodeName, pod, shell, testImages, untilStatus } from '../testing/pods.js';
import { hasNamespaces } from './process/namespaces.js';

const isIsolated = await hasNamespaces();
if (!isIsolated) {
  process.stdout.write('skipped: namespaces of containers: this machine does not let its users make them\n');
}
const newProc = '--user --map-root-user --mount --pid --fork mount -t proc proc /proc'.split(' ');
const isProcWhole = isIsolated && spawnSync('unshare', newProc, { timeout: 10_000 }).status === 0;
if (isIsolated && !isProcWhole) {
  process.stdout.write('skipped: /proc of containers: this machine hides parts of its own\n');
}

(isIsolated ? describe : describe.skip)('the namespaces of a container', () => {
  const api = useCluster({ kubelets: [{ nodeName }], images: testImages });

  it('have the program as their first process, and a separate host name', async () => {
    const container = shell('c', 'echo "$$$$ $(hostname)"; exit 3');
    await createPod(api, pod('first', [container], { hostname: 'web-0', restartPolicy: 'Never' }));
    const { body } = await untilStatus(api, 'first', ({ phase }) => phase === 'Failed');
    expect(body['status']).toMatchObject({ containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] });
    expect(await logOf(api, 'first')).toBe('1 web-0\n');
  });

  (isProcWhole ? it : it.skip)('have its processes alone in /proc', async () => {
    const env = [{ name: 'MARK', value: 'own' }];
    const container = shell('c', 'tr "\\0" "\\n" < /proc/1/environ | grep ^MARK=', { env });
    await createPod(api, pod('listed', [container], { restartPolicy: 'Never' }));
    await untilStatus(api, 'listed', ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
    expect(await logOf(api, 'listed')).toBe('MARK=own\n');
  });

  it('are also used by hooks', async () => {
    const command = [
      'sh',
      '-c',
      'echo "$(hostname) $(readlink /proc/self/ns/pid)" > "$TMPDIR/hook"; pwd >> "$TMPDIR/hook"',
    ];
    const script =
      'until grep -qs / "$TMPDIR/hook"; do sleep 0.05; done; readlink /proc/self/ns/pid; cat "$TMPDIR/hook"';
    const container = shell('c', script, {
      workingDir: '/usr',
      lifecycle: { postStart: { exec: { command } } },
    });
    await createPod(api, pod('hooked', [container], { restartPolicy: 'Never' }));
    await untilStatus(api, 'hooked', ({ phase }) => phase === 'Succeeded');
    const [namespace = '', ...lines] = (await logOf(api, 'hooked')).split('\n');
    expect(lines).toEqual([`hooked ${namespace}`, '/usr', '']);
  });

  it('are not entered when the working directory is missing, so that the container fails to start', async () => {
    const container = shell('c', 'echo up', { workingDir: '/no/such/folder' });
    await createPod(api, pod('nowhere', [container], { restartPolicy: 'Never' }));
    const { body } = await untilStatus(api, 'nowhere', ({ phase }) => phase === 'Failed');
    expect(body['status']).toMatchObject({
      containerStatuses: [
        {
          state: {
            terminated: {
              exitCode: 128,
              reason: 'StartError',
              message: expect.stringContaining('/no/such/folder'),
            },
          },
        },
      ],
    });
  });

  it('end when a signal kills the program, and the exit code contains the signal', async () => {
    const script = 'echo up; exec sleep 600';
    await createPod(
      api,
      pod(
        'killed',
        [shell('c', script)],
        { terminationGracePeriodSeconds: 1 },
        { finalizers: ['test.dev/hold'] },
      ),
    );
    await untilStatus(api, 'killed', ({ phase }) => phase === 'Running');
    await api.remove('/api/v1/namespaces/default/pods/killed');
    const { body } = await untilStatus(api, 'killed', ({ phase }) => phase === 'Failed');
    expect(body['status']).toMatchObject({
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
    expect(await logOf(api, 'killed')).toBe('up\n');
    await api.patch('/api/v1/namespaces/default/pods/killed', { metadata: { finalizers: null } });
  });
});
