import { expect, test } from '@jest/globals';
import type { HungWorker } from '@interlock/kube';
import { Probe } from '../http/probes.js';
import { workersCheck } from './workers-check.js';

test('fails the liveness probe while a worker hangs, and names its controller, object and time', async () => {
  let hung: HungWorker | undefined = undefined;
  const lines: object[] = [];
  const log = { error: (fields: object, message: string) => void lines.push({ ...fields, message }) };
  const probe = new Probe();
  probe.add('workers', workersCheck({ hungWorker: () => hung }, log));
  expect(await probe.run()).toEqual({ ok: true, report: '[+]workers ok\ncheck passed\n' });
  expect(lines).toEqual([]);

  hung = { controller: 'git-repository', key: 'team/web', runningMs: 960_400 };
  expect(await probe.run()).toEqual({
    ok: false,
    report:
      '[-]workers failed: a worker of controller git-repository has been reconciling team/web for 960 s\ncheck failed\n',
  });
  const message = 'a worker hangs; the liveness probe fails';
  expect(lines).toEqual([{ controller: 'git-repository', key: 'team/web', seconds: 960, message }]);
});
