import { expect } from 'expect';
import type { Body } from '../../suite/body.js';
import type { Rule } from '../../suite/case.js';
import {
  createJob,
  existing,
  setPhase,
  statusOf,
  untilCondition,
  untilEvent,
  untilJobPods,
  untilStatus,
} from '../../suite/controlled.js';

/** Returns the types of the true conditions in order. */
function metTypes(body: Body): unknown[] {
  const conditions = (statusOf(body)['conditions'] ?? []) as Record<string, unknown>[];
  return conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
}

/**
 * Declares the rules about the end of Jobs. Source:
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
 */
export function jobEndRules(rule: Rule): void {
  rule(
    'is complete when its pod has succeeded',
    async (scope) => {
      const { name, path } = await createJob(scope);
      const [pod] = await untilJobPods(scope, name, 1);
      await setPhase(scope, existing(pod), 'Running');
      await untilStatus(scope, path, { ready: 1 });
      await setPhase(scope, existing(pod), 'Succeeded');
      expect(await untilCondition(scope, path, 'Complete', 'True')).toMatchObject({
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
      });
      const { body } = await scope.api.get(path);
      expect(body.status).toMatchObject({ succeeded: 1, ready: 0, completionTime: expect.any(String) });
      expect(body.status).not.toHaveProperty('active');
      expect(metTypes(body)).toEqual(['SuccessCriteriaMet', 'Complete']);
      const ended = await scope.api.get(scope.core('pods', existing(pod).metadata.name));
      expect(ended.body.metadata.finalizers).toBeUndefined();
      expect(await untilEvent(scope, name, 'Completed')).toBe('Job completed');
    },
    'controllers',
  );

  rule(
    'fails when more pods have failed than its backoffLimit allows',
    async (scope) => {
      const { name, path } = await createJob(scope, { backoffLimit: 0, completions: 2, parallelism: 2 });
      const [pod] = await untilJobPods(scope, name, 2);
      await setPhase(scope, existing(pod), 'Failed');
      expect(await untilCondition(scope, path, 'Failed', 'True')).toMatchObject({
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
      });
      const { body } = await scope.api.get(path);
      expect(metTypes(body)).toEqual(['FailureTarget', 'Failed']);
      expect(body.status).not.toHaveProperty('active');
      await untilJobPods(scope, name, 1);
      expect(await untilEvent(scope, name, 'BackoffLimitExceeded')).toBe(
        'Job has reached the specified backoff limit',
      );
    },
    'controllers',
  );

  rule(
    'fails when it is active for longer than its deadline, and deletes its pods',
    async (scope) => {
      const { name, path } = await createJob(scope, { activeDeadlineSeconds: 1 });
      expect(await untilCondition(scope, path, 'Failed', 'True')).toMatchObject({
        reason: 'DeadlineExceeded',
        message: 'Job was active longer than specified deadline',
      });
      await untilJobPods(scope, name, 0);
    },
    'controllers',
  );

  rule(
    'fails at once for an exit code that its policy names, and does not count one that it ignores',
    async (scope) => {
      const rules = [
        { action: 'Ignore', onExitCodes: { operator: 'In', values: [7] } },
        { action: 'FailJob', onExitCodes: { containerName: 'app', operator: 'In', values: [42] } },
      ];
      const { name, path } = await createJob(scope, {
        completions: 2,
        parallelism: 2,
        backoffLimit: 6,
        podFailurePolicy: { rules },
      });
      const [ignored, failing] = await untilJobPods(scope, name, 2);
      await setPhase(scope, existing(ignored), 'Failed', exited(7));
      const pod = scope.core('pods', existing(ignored).metadata.name);
      await scope.eventually(pod, ({ body }) => body.metadata.finalizers === undefined);
      expect((await scope.api.get(path)).body.status).not.toHaveProperty('failed');
      await setPhase(scope, existing(failing), 'Failed', exited(42));
      expect(await untilCondition(scope, path, 'Failed', 'True')).toMatchObject({
        reason: 'PodFailurePolicy',
        message: `Container app for pod ${scope.namespace}/${existing(failing).metadata.name} failed with exit code 42 matching FailJob rule at index 1`,
      });
    },
    'controllers',
  );

  rule(
    'is deleted with its pods once ttlSecondsAfterFinished have elapsed',
    async (scope) => {
      const { name, path } = await createJob(scope, { ttlSecondsAfterFinished: 0 });
      const [pod] = await untilJobPods(scope, name, 1);
      await setPhase(scope, existing(pod), 'Succeeded');
      await scope.eventually(path, ({ status }) => status === 404);
      await scope.eventually(scope.core('pods', existing(pod).metadata.name), ({ status }) => status === 404);
    },
    'controllers',
  );
}

/** Returns the status of a pod whose container has ended. */
function exited(exitCode: number): { containerStatuses: object[] } {
  const [startedAt, finishedAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
  const terminated = { exitCode, reason: 'Error', startedAt, finishedAt, containerID: 'conformance://1' };
  const image = 'example.com/pause:1.0';
  const state = { terminated };
  return {
    containerStatuses: [{ name: 'app', image, imageID: '', ready: false, restartCount: 0, state }],
  };
}
