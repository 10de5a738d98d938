import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runJob } from './run-job.js';
import { Misconfigured } from './misconfigured.js';
import { JobFixture } from './testing/fake-runner.js';
import { temporaryFolder } from './testing/folder.js';
import { closedPipe, stuckPipe } from './testing/streams.js';

const { path: folder, remove } = temporaryFolder();
afterAll(remove);
mkdirSync(join(folder, 'home'));
mkdirSync(join(folder, 'payload'));
writeFileSync(join(folder, 'payload/payload'), '{"token":"s3cret"}');

/** Starts a job whose runner has read it. */
async function running(env: NodeJS.ProcessEnv = {}): Promise<{ job: JobFixture; code: Promise<number> }> {
  const job = new JobFixture(folder, env);
  const code = runJob(job.host());
  await job.clock.advance(0);
  expect(job.frames).toEqual([1]);
  return { job, code };
}

describe('a job', () => {
  it('is reported as sent before its end, and then with its result', async () => {
    const { job, code } = await running();
    expect(job.reports).toEqual([{ jobSent: false }, { jobSent: true }]);
    job.end({ code: 102 });
    expect(await code).toBe(102);
    expect(job.reports.at(-1)).toEqual({ jobSent: true, exitCode: 102, result: 'failed' });
    expect(job.groupSignals).toEqual(['SIGKILL']);
    expect(job.clock.pendingTimers).toBe(0);
  });

  it('is reported without a result when the runner crashes', async () => {
    const { job, code } = await running();
    job.end({ signal: 'SIGSEGV' });
    expect(await code).toBe(139);
    const problem = 'Runner.Worker ended by SIGSEGV without a result of its job';
    expect(job.reports.at(-1)).toEqual({ jobSent: true, problem });
    expect(job.lines).toEqual([problem]);
  });

  it.each(['RUNNER_NAME', 'PAYLOAD_SECRET_PATH', 'RUNNER_HOME_DIR', 'PROXY_CA_CERT_PATH'])(
    'does not start with an invalid %s',
    async (name) => {
      const job = new JobFixture(folder, { [name]: name === 'RUNNER_NAME' ? '' : '/none' });
      expect(await runJob(job.host())).toBe(78);
      expect(job.starts).toBe(0);
      expect(job.lines).toHaveLength(1);
      expect(job.reports).toEqual([{ jobSent: false }, { jobSent: false, problem: job.lines[0] }]);
    },
  );

  it('does not start when its report cannot be written', async () => {
    const job = new JobFixture(folder);
    const report = (): never => {
      throw new Misconfigured('no report');
    };
    expect(await runJob(job.host({ report }))).toBe(78);
    expect(job.starts).toBe(0);
    expect(job.lines).toEqual(['no report']);
  });

  it('is not sent when the report about sending it cannot be written', async () => {
    const job = new JobFixture(folder);
    const report = ({ jobSent }: { jobSent: boolean }): void => {
      if (jobSent) throw new Misconfigured('no report');
    };
    expect(await runJob(job.host({ report }))).toBe(78);
    expect(() => job.frames).toThrow();
    expect(job.groupSignals).toEqual(['SIGKILL']);
  });
});

it('a job keeps its result when it has made the folder of the authorities inaccessible', async () => {
  const [before, temporary] = [process.env['TMPDIR'], join(folder, 'temporary')];
  mkdirSync(temporary);
  writeFileSync(join(folder, 'ca.pem'), '-----BEGIN CERTIFICATE-----\n');
  process.env['TMPDIR'] = temporary;
  try {
    const { job, code } = await running({ PROXY_CA_CERT_PATH: join(folder, 'ca.pem') });
    /* Neither can be removed: a folder without permissions, by a user other than root, and a folder below a file. */
    renameSync(temporary, `${temporary}-moved`);
    writeFileSync(temporary, '');
    job.end({ code: 100 });
    expect(await code).toBe(0);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

describe('a signal', () => {
  it.each([
    ['SIGTERM', 2],
    ['SIGINT', 3],
  ])('%s asks the runner by frame %i to end its job within the grace period', async (signal, type) => {
    const { job, code } = await running();
    job.kubelet.emit(signal);
    await job.clock.advance(24_999);
    expect(job.frames).toEqual([1, type]);
    expect(job.groupSignals).toEqual([]);
    job.end({ code: 103 });
    expect(await code).toBe(103);
    expect(job.reports.at(-1)).toEqual({ jobSent: true, exitCode: 103, result: 'canceled' });
    expect(job.clock.pendingTimers).toBe(0);
  });

  it('ends a runner that continues, by SIGTERM after the grace period and by SIGKILL five seconds later', async () => {
    const { job, code } = await running({ WORKER_SHUTDOWN_GRACE: '1m' });
    job.kubelet.emit('SIGTERM');
    await job.clock.advance(59_999);
    expect(job.groupSignals).toEqual([]);
    await job.clock.advance(1);
    expect(job.groupSignals).toEqual(['SIGTERM']);
    await job.clock.advance(4_999);
    expect(job.groupSignals).toEqual(['SIGTERM']);
    await job.clock.advance(1);
    expect(job.groupSignals).toEqual(['SIGTERM', 'SIGKILL', 'SIGKILL']);
    expect(await code).toBe(137);
    expect(job.reports.at(-1)).toMatchObject({
      jobSent: true,
      problem: expect.stringContaining('after SIGTERM'),
    });
  });

  it('that is repeated has no effect', async () => {
    const { job, code } = await running();
    job.kubelet.emit('SIGTERM');
    await job.clock.advance(10_000);
    job.kubelet.emit('SIGTERM');
    job.kubelet.emit('SIGINT');
    await job.clock.advance(14_999);
    expect(job.frames).toEqual([1, 2]);
    expect(job.groupSignals).toEqual([]);
    job.end({ code: 103 });
    expect(await code).toBe(103);
  });

  it('before the runner starts ends the container without it', async () => {
    const job = new JobFixture(folder);
    const host = job.host();
    job.kubelet.emit('SIGTERM');
    expect(await runJob(host)).toBe(143);
    expect(job.starts).toBe(0);
    expect(job.reports.at(-1)).toEqual({
      jobSent: false,
      problem: 'SIGTERM was received before the job was sent',
    });
  });

  it('before the last byte of the job ends the runner, which cannot have read it', async () => {
    const job = new JobFixture(folder);
    const host = job.host();
    const { startRunner } = host;
    const late: typeof startRunner = async (...given) => {
      const runner = await startRunner(...given);
      job.kubelet.emit('SIGINT');
      return runner;
    };
    expect(await runJob({ ...host, startRunner: late })).toBe(130);
    expect(() => job.frames).toThrow('does not end');
    expect(job.reports.at(-1)).toEqual({
      jobSent: false,
      problem: 'SIGINT was received before the job was sent',
    });
    expect(job.groupSignals).toContain('SIGKILL');
  });
});

it('a runner has the variables of the file `.env` of its image, except those that only the controller sets', async () => {
  const file = join(folder, 'home/.env');
  const lines = [
    '\uFEFFACTIONS_RUNNER_HOOK_JOB_STARTED=/opt/hook.sh --level=2',
    'LANG=C.UTF-8\r',
    'EMPTY=',
    'MOTTO=one\u2028two',
    '=x',
    '# text',
    'https_proxy=http://elsewhere',
    'WORKER_SHUTDOWN_GRACE=1s',
    '',
  ];
  writeFileSync(file, lines.join('\n'));
  try {
    const { job, code } = await running({ LANG: 'C', EMPTY: 'no', HTTPS_PROXY: 'http://proxy' });
    job.end({ code: 100 });
    expect(await code).toBe(0);
    expect(job.environment).toEqual({
      ACTIONS_RUNNER_HOOK_JOB_STARTED: '/opt/hook.sh --level=2',
      LANG: 'C.UTF-8',
      MOTTO: 'one\u2028two',
      HTTPS_PROXY: 'http://proxy',
    });
  } finally {
    rmSync(file);
  }
});

describe('a job whose pod has its own Docker daemon', () => {
  const waiting = (seconds: string): { job: JobFixture; code: Promise<number> } => {
    const job = new JobFixture(folder, { RUNNER_WAIT_FOR_DOCKER_IN_SECONDS: seconds });
    return { job, code: runJob(job.host()) };
  };

  it('starts when the daemon answers', async () => {
    const { job, code } = waiting('120');
    await job.clock.advance(5_000);
    expect([job.starts, job.dockerCalls]).toEqual([0, 6]);
    job.isDockerReady = true;
    await job.clock.advance(1_000);
    expect(job.frames).toEqual([1]);
    job.end({ code: 100 });
    expect(await code).toBe(0);
    expect(job.clock.pendingTimers).toBe(0);
  });

  it.each(['0', '2', '', 'two minutes'])('starts without the daemon after %j seconds', async (seconds) => {
    const { job, code } = waiting(seconds);
    await job.clock.advance(2_000);
    expect(job.frames).toEqual([1]);
    job.end({ code: 102 });
    expect(await code).toBe(102);
  });

  it('ends at a signal without its runner', async () => {
    const { job, code } = waiting('120');
    await job.clock.advance(1_500);
    job.kubelet.emit('SIGTERM');
    expect(await code).toBe(143);
    expect(job.starts).toBe(0);
    expect(job.reports.at(-1)).toMatchObject({ jobSent: false });
    expect(job.clock.pendingTimers).toBe(0);
  });
});

describe('a runner that does not read its job', () => {
  it('is ended at once by a signal', async () => {
    const job = new JobFixture(folder);
    const code = runJob(job.host({}, stuckPipe()));
    await job.clock.advance(1_000);
    job.kubelet.emit('SIGTERM');
    await job.clock.advance(0);
    expect(job.groupSignals[0]).toBe('SIGKILL');
    expect(await code).toBe(143);
    expect(job.reports.at(-1)).toEqual({
      jobSent: false,
      problem: 'SIGTERM was received before the job was sent',
    });
  });

  it.each([
    ['', 30],
    ['120', 120],
    ['10', 30],
    ['900', 300],
    ['2m', 30],
  ])(
    'is ended as GITHUB_ACTIONS_RUNNER_CHANNEL_TIMEOUT=%j states, after %i seconds',
    async (text, seconds) => {
      const job = new JobFixture(folder, { GITHUB_ACTIONS_RUNNER_CHANNEL_TIMEOUT: text });
      const code = runJob(job.host({}, stuckPipe()));
      await job.clock.advance(seconds * 1000 - 1);
      expect(job.lines).toEqual([]);
      expect(await job.clock.run(code)).toBe(1);
      expect(job.lines).toEqual([`the runner did not read its message within ${seconds} s`]);
      expect(job.reports.at(-1)).toEqual({ jobSent: false, problem: job.lines[0] });
      expect(job.groupSignals[0]).toBe('SIGKILL');
      expect(job.clock.pendingTimers).toBe(0);
    },
  );

  it('has time to end with the exit code of its crash', async () => {
    const job = new JobFixture(folder);
    const code = runJob(job.host({}, closedPipe()));
    await job.clock.advance(1_000);
    job.end({ code: 134 });
    expect(await code).toBe(134);
    expect(job.lines).toEqual(['the runner has closed its pipe (EPIPE)']);
    expect(job.clock.pendingTimers).toBe(0);
  });
});

it('the runner receives the environment without the variables of the program, and reports contain no part of the payload', async () => {
  const { job, code } = await running({ HTTPS_PROXY: 'http://proxy' });
  job.end({ code: 100 });
  expect(await code).toBe(0);
  expect(job.environment).toEqual({ HTTPS_PROXY: 'http://proxy' });
  expect(JSON.stringify([job.reports, job.lines])).not.toContain('s3cret');
});
