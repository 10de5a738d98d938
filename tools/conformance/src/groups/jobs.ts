import { expect } from 'expect';
import { defineGroup } from '../suite/case.js';
import {
  createJob,
  existing,
  jobs,
  newJob,
  podTemplate,
  setPhase,
  untilCondition,
  untilEvent,
  untilJobPods,
  untilPods,
  untilStatus,
} from '../suite/controlled.js';
import { expectInvalid } from '../suite/write.js';
import { jobEndRules } from './jobs/ends.js';

const finalizer = 'batch.kubernetes.io/job-tracking';
const indexKey = 'batch.kubernetes.io/job-completion-index';

/** Cases about Jobs. Their pods never run, so a case writes their status. */
export const jobGroup = defineGroup(
  'jobs',
  { source: 'https://kubernetes.io/docs/concepts/workloads/controllers/job/' },
  (rule) => {
    rule('fills in the defaults, a selector and the labels that go with it', async (scope) => {
      const { object, name } = await createJob(scope);
      const { uid } = object.metadata;
      expect(object).toMatchObject({
        metadata: { generation: 1 },
        spec: {
          parallelism: 1,
          completions: 1,
          backoffLimit: 6,
          completionMode: 'NonIndexed',
          suspend: false,
          selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
          template: {
            metadata: {
              labels: {
                'batch.kubernetes.io/controller-uid': uid,
                'batch.kubernetes.io/job-name': name,
                'controller-uid': uid,
                'job-name': name,
              },
            },
          },
        },
      });
    });

    rule('sets no completions where only the parallelism is given', async (scope) => {
      const { object } = await createJob(scope, { parallelism: 2, suspend: true });
      expect(object.spec).toMatchObject({ parallelism: 2 });
      expect(object.spec).not.toHaveProperty('completions');
    });

    rule('refuses pods that are always restarted, and a custom selector', async (scope) => {
      const template = podTemplate({}, { restartPolicy: 'Always' });
      const always = await scope.api.post(jobs(scope.namespace), newJob(scope.name('always'), { template }));
      expectInvalid(always, 'spec.template.spec.restartPolicy');
      const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': 'mine' } };
      const own = await scope.api.post(jobs(scope.namespace), newJob(scope.name('own'), { selector }));
      expectInvalid(own, 'spec.selector');
    });

    rule('refuses an Indexed Job without completions', async (scope) => {
      const spec = { completionMode: 'Indexed', parallelism: 1 };
      const answer = await scope.api.post(jobs(scope.namespace), newJob(scope.name('indexed'), spec));
      expectInvalid(answer, 'spec.completions');
    });

    rule('refuses other completions and another template', async (scope) => {
      const { path } = await createJob(scope);
      const completions = await scope.api.patch(path, 'merge', { spec: { completions: 2 } });
      expectInvalid(completions, 'spec.completions');
      const containers = [{ name: 'app', image: 'example.com/pause:2.0' }];
      const template = { spec: { containers } };
      expectInvalid(await scope.api.patch(path, 'strategic', { spec: { template } }), 'spec.template');
    });

    rule(
      'creates a pod that it controls and keeps until it has counted it',
      async (scope) => {
        const { object, name, path } = await createJob(scope);
        const [pod] = await untilJobPods(scope, name, 1);
        expect(pod?.metadata.name).toMatch(new RegExp(`^${name}-[a-z0-9]{5}$`));
        expect(pod?.metadata).toMatchObject({
          generateName: `${name}-`,
          finalizers: [finalizer],
          ownerReferences: [
            { apiVersion: 'batch/v1', kind: 'Job', name, uid: object.metadata.uid, controller: true },
          ],
        });
        const body = await untilStatus(scope, path, { active: 1 });
        expect(body.status).toMatchObject({ ready: 0, startTime: expect.any(String) });
        expect(await untilEvent(scope, name, 'SuccessfulCreate')).toBe(
          `Created pod: ${existing(pod).metadata.name}`,
        );
      },
      'controllers',
    );

    rule(
      'runs as many pods at a time as its parallelism allows, until enough have succeeded',
      async (scope) => {
        const { name, path } = await createJob(scope, { completions: 3, parallelism: 2 });
        const first = await untilJobPods(scope, name, 2);
        await setPhase(scope, existing(first[0]), 'Succeeded');
        await untilStatus(scope, path, { succeeded: 1, active: 2 });
        const second = await untilJobPods(scope, name, 3);
        for (const pod of second.filter(({ metadata }) => metadata.uid !== existing(first[0]).metadata.uid)) {
          await setPhase(scope, pod, 'Succeeded');
        }
        await untilCondition(scope, path, 'Complete', 'True');
        await untilStatus(scope, path, { succeeded: 3, active: undefined });
      },
      'controllers',
    );

    rule(
      'gives each pod of an Indexed Job its own index',
      async (scope) => {
        const { name, path } = await createJob(scope, {
          completionMode: 'Indexed',
          completions: 2,
          parallelism: 2,
        });
        const pods = await untilJobPods(scope, name, 2);
        const indexes = pods.map(({ metadata }) => metadata.annotations?.[indexKey]);
        expect(indexes.sort()).toEqual(['0', '1']);
        for (const pod of pods) {
          const index = pod.metadata.annotations?.[indexKey] ?? '';
          expect(pod).toMatchObject({
            metadata: { generateName: `${name}-${index}-`, labels: { [indexKey]: index } },
            spec: { hostname: `${name}-${index}`, containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }] },
          });
          await setPhase(scope, pod, 'Succeeded');
        }
        await untilCondition(scope, path, 'Complete', 'True');
        await untilStatus(scope, path, { completedIndexes: '0,1', succeeded: 2 });
      },
      'controllers',
    );

    rule(
      'has no pods while it is suspended, and starts when it is resumed',
      async (scope) => {
        const { name, path } = await createJob(scope, { suspend: true });
        const suspended = await untilCondition(scope, path, 'Suspended', 'True');
        expect(suspended).toMatchObject({ reason: 'JobSuspended', message: 'Job suspended' });
        expect((await scope.api.get(path)).body.status).not.toHaveProperty('startTime');
        await untilJobPods(scope, name, 0);
        await scope.api.patch(path, 'merge', { spec: { suspend: false } });
        await untilJobPods(scope, name, 1);
        expect(await untilCondition(scope, path, 'Suspended', 'False')).toMatchObject({
          reason: 'JobResumed',
          message: 'Job resumed',
        });
        const { body } = await scope.eventually(path, (answer) => answer.body.status !== undefined);
        expect(body.status).toMatchObject({ startTime: expect.any(String) });
        await scope.api.patch(path, 'merge', { spec: { suspend: true } });
        await untilJobPods(scope, name, 0);
        await untilStatus(scope, path, { active: undefined, failed: undefined });
      },
      'controllers',
    );

    rule(
      'leaves its pods behind, with a warning, when it is deleted without a propagation policy',
      async (scope) => {
        const { name, path } = await createJob(scope);
        const [pod] = await untilJobPods(scope, name, 1);
        const left = scope.core('pods', existing(pod).metadata.name);
        scope.deleteAfterwards(left);
        const { warnings } = await scope.api.delete(path);
        expect(warnings).toEqual([
          'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
        ]);
        await scope.eventually(path, ({ status }) => status === 404);
        const { body } = await scope.eventually(
          left,
          (answer) => answer.body.metadata.finalizers === undefined,
        );
        expect(body.metadata.ownerReferences).toBeUndefined();
      },
      'controllers',
    );

    rule(
      'is deleted in the background with its pods',
      async (scope) => {
        const { name, path } = await createJob(scope);
        await untilJobPods(scope, name, 1);
        const { warnings } = await scope.api.delete(path, { query: { propagationPolicy: 'Background' } });
        expect(warnings).toEqual([]);
        await untilPods(scope, `job-name=${name}`, 0);
        const pods = `${scope.core('pods')}?labelSelector=job-name%3D${name}`;
        await scope.eventually(pods, ({ body }) => body.items.length === 0);
      },
      'controllers',
    );

    jobEndRules(rule);
  },
);
