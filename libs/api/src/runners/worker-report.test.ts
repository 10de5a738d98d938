import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  maxWorkerProgramBytes,
  payloadChunkKey,
  workerCommand,
  workerConfigMapName,
} from './worker-contract.js';
import { encodeWorkerReport, parseWorkerReport, runnerResults, type WorkerReport } from './worker-report.js';
import { jobMayHaveStarted, type WorkerPodView } from './worker-start.js';

describe('the report of a worker pod', () => {
  const reports = fc.record<WorkerReport>({
    jobSent: fc.boolean(),
    exitCode: fc.option(fc.nat({ max: 255 }), { nil: undefined }),
    result: fc.option(fc.constantFrom(...Object.values(runnerResults)), { nil: undefined }),
    problem: fc.option(fc.string({ unit: 'binary', maxLength: 3000 }), { nil: undefined }),
  });

  it('is parsed as it was encoded, whatever text follows it, and fits into a termination message', () => {
    fc.assert(
      fc.property(reports, (report) => {
        const text = encodeWorkerReport(report);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
        const { problem, ...rest } = parseWorkerReport(text.padEnd(text.length + 10)) ?? {
          jobSent: undefined,
        };
        const { problem: given, ...expected } = report;
        expect(rest).toEqual(expected);
        expect(problem).toBe(given?.replace(/[^\x20-\x7e]/g, '?').slice(0, 1000));
      }),
    );
  });

  it.each([
    undefined,
    '',
    'OOMKilled',
    '[]',
    'null',
    '{}',
    '{"jobSent":"yes"}',
    '{"jobSent":true',
    `{"jobSent":true,"problem":"${'x'.repeat(5000)}"}`,
  ])('is not found in %s', (message) => {
    expect(parseWorkerReport(message)).toBeUndefined();
  });

  it('is parsed without fields that have an unknown value', () => {
    const message = '{"version":2,"jobSent":true,"exitCode":"1","result":"exploded","problem":7,"more":{}}';
    expect(parseWorkerReport(message)).toEqual({ jobSent: true });
  });
});

describe('jobMayHaveStarted', () => {
  const ended = (terminated: object, status: object = {}): WorkerPodView => ({
    spec: { nodeName: 'n' },
    status: { phase: 'Failed', ...status, containerStatuses: [{ name: 'runner', state: { terminated } }] },
  });
  const onNode = (status: WorkerPodView['status']): WorkerPodView => ({ spec: { nodeName: 'n' }, status });
  const notSent = '{"version":1,"jobSent":false}  ';
  const sent = '{"version":1,"jobSent":true}';
  const unknown = {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located',
  };
  const notFound = (container: object) =>
    onNode({
      phase: 'Failed',
      containerStatuses: [{ name: 'runner', state: { terminated: unknown }, ...container }],
    });
  const initEnded = (exitCode: number, init: object = {}, runner: object = {}): WorkerPodView => ({
    spec: { nodeName: 'n', initContainers: [{ name: 'prepare', ...init }] },
    status: {
      phase: 'Failed',
      initContainerStatuses: [{ name: 'prepare', state: { terminated: { exitCode } } }],
      containerStatuses: [{ name: 'runner', state: {}, ...runner }],
    },
  });

  it.each<[string, WorkerPodView, boolean]>([
    ['was never scheduled', { status: { phase: 'Pending' } }, false],
    ['was removed before it was scheduled', { status: { phase: 'Failed' } }, false],
    ['has succeeded, and names no node', { status: { phase: 'Succeeded' } }, true],
    ['has the end of its container, and names no node', { status: ended({ exitCode: 1 }).status }, true],
    ['was refused by the kubelet', onNode({ phase: 'Failed', reason: 'OutOfcpu' }), false],
    ['was evicted before its containers', onNode({ phase: 'Failed', reason: 'Evicted' }), false],
    ['has no status yet', onNode(undefined), true],
    ['was removed with its node', onNode({ phase: 'Failed' }), true],
    ['is on a lost node', onNode({ phase: 'Failed', reason: 'NodeLost' }), true],
    ['runs', onNode({ phase: 'Running', containerStatuses: [{ name: 'runner', state: {} }] }), true],
    [
      'could not start its container',
      ended({ exitCode: 128, reason: 'StartError', message: 'exec failed' }),
      false,
    ],
    ['has no Node.js', ended({ exitCode: 78, reason: 'Error' }), false],
    ['is misconfigured', ended({ exitCode: 78, reason: 'Error', message: notSent }), false],
    ['was deleted before the job was sent', ended({ exitCode: 143, message: notSent }), false],
    [
      'ran out of memory before the job was sent',
      ended({ reason: 'OOMKilled', exitCode: 137, message: notSent }),
      false,
    ],
    ['ran out of memory', ended({ reason: 'OOMKilled', exitCode: 137, message: sent }), true],
    ['was evicted', ended({ exitCode: 137, message: sent }, { reason: 'Evicted' }), true],
    ['was killed', ended({ exitCode: 137, reason: 'Error', message: sent }), true],
    ['ended with a result', ended({ exitCode: 102, message: notSent }), true],
    ['succeeded without a report', ended({ exitCode: 0, reason: 'Completed' }), true],
    ['was not found any more', notFound({ containerID: 'containerd://1' }), true],
    ['was running when it was last found', notFound({ lastState: { terminated: unknown } }), true],
    [
      'was started again by its node, and did not send the job again',
      onNode({
        phase: 'Failed',
        containerStatuses: [
          {
            name: 'runner',
            state: { terminated: { exitCode: 78, message: notSent } },
            lastState: { terminated: unknown },
          },
        ],
      }),
      true,
    ],
    ['was ended before its image was pulled', notFound({ containerID: '', lastState: {} }), false],
    ['has an init container that failed', initEnded(3), false],
    ['has an init container that has succeeded', initEnded(0), true],
    ['has a sidecar that failed', initEnded(3, { restartPolicy: 'Always' }), true],
    [
      'has an init container that must not start again and failed',
      initEnded(3, { restartPolicy: 'Never' }),
      false,
    ],
    [
      'has an init container that starts again after a failure',
      initEnded(3, { restartPolicy: 'OnFailure' }),
      true,
    ],
    [
      'has a runner although an init container failed',
      initEnded(3, {}, { containerID: 'containerd://1' }),
      true,
    ],
  ])('returns whether the job may have started in a pod that %s', (_title, pod, expected) => {
    expect(jobMayHaveStarted(pod)).toBe(expected);
  });

  it('ignores the end of another container', () => {
    const pod = ended({ exitCode: 137, message: sent });
    const [runner] = pod.status?.containerStatuses ?? [];
    const sidecar = { name: 'sidecar', state: { terminated: { exitCode: 1, message: notSent } } };
    expect(jobMayHaveStarted(onNode({ containerStatuses: [sidecar, runner!] }))).toBe(true);
  });
});

describe('the names of the contract', () => {
  it('are the names with which pods are built', () => {
    expect(workerConfigMapName('0123456789abcdef')).toBe('interlock-worker-0123456789');
    expect([0, 7, 42].map(payloadChunkKey)).toEqual(['payload.000', 'payload.007', 'payload.042']);
    expect(workerCommand.slice(0, 2)).toEqual(['/bin/sh', '-c']);
    expect(maxWorkerProgramBytes).toBeLessThan(1024 * 1024);
  });
});
