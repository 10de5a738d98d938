import { expect, it } from '@jest/globals';
import { createLogger } from '@interlock/service';
import { levelledLog } from './levelled-log.js';

it('writes the lines that the current level includes, with the fields of its parents', () => {
  const lines: string[] = [];
  const root = createLogger({ component: 'agc', destination: { write: (line) => void lines.push(line) } });
  let level: string | undefined;
  const log = levelledLog(root.child({ runnerGroup: 'linux' }), () => level);
  const child = log.child({ job: 'job-1' });
  child.debug({}, 'not yet');
  level = 'debug';
  child.debug({}, 'now');
  log.warn({}, 'always');
  level = undefined;
  log.debug({}, 'not any more');
  child.info({}, 'by default');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { runnerGroup: 'linux', job: 'job-1', msg: 'now', level: 'debug' },
    { runnerGroup: 'linux', msg: 'always', level: 'warn' },
    { runnerGroup: 'linux', job: 'job-1', msg: 'by default', level: 'info' },
  ]);
});
