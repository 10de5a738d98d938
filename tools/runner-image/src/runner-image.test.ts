import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runnerImage } from './runner-image.js';

const folder = mkdtempSync(join(tmpdir(), 'runner-image-'));
const calls: string[] = [];
let statuses: number[] = [];
const server = createServer((request, response) => {
  calls.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  request.resume().on('end', () => response.writeHead(statuses.shift() ?? 204).end());
});

beforeAll(async () => {
  runnerImage({ folder });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  calls.length = 0;
  statuses = [];
  writeFileSync(join(folder, '.runner'), '\uFEFF{"AgentName":"r","WorkFolder":"_work"}');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function job(variables: Record<string, string> = {}, extra: object = {}): string {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given = Object.entries({ 'interlock.test.durationMs': '1', ...variables });
  return JSON.stringify({
    messageType: 'RunnerJobRequest',
    plan: { planId: 'p' },
    jobId: 'j',
    variables: Object.fromEntries(given.map(([name, value]) => [name, { value }])),
    resources: {
      endpoints: [
        {
          name: 'SystemVssConnection',
          url: `${url}/run`,
          authorization: { parameters: { AccessToken: 't' } },
          data: { ResultsServiceUrl: `${url}/results` },
        },
      ],
    },
    ...extra,
  });
}

/** Runs the simulated runner with a job. @param options `cancel`: the type of a frame that is sent when the job has started */
async function run(
  text: string,
  { env = {}, type = 1, cancel }: { env?: object; type?: number; cancel?: number } = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(join(folder, 'bin/Runner.Worker'), ['spawnclient', '3', '4'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const pipe = child.stdio[3] as Writable;
  pipe.on('error', () => undefined);
  let output = '';
  const keep = (chunk: string): void => {
    output += chunk;
    if (cancel !== undefined && output.includes('Job j runs'))
      pipe.write(Buffer.from(`0${cancel}00000000000000`, 'hex'));
  };
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', keep);
  const header = Buffer.alloc(8);
  header.writeInt32LE(type, 0);
  header.writeInt32LE(text.length * 2, 4);
  pipe.write(Buffer.concat([header, Buffer.from(text, 'utf16le')]));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('the simulated runner', () => {
  it('reports its start and its end with the token of the job', async () => {
    expect(await run(job())).toMatchObject({ code: 100 });
    expect(calls).toEqual(['POST /results/started Bearer t', 'POST /run/completejob Bearer t']);
  });

  it.each([
    ['succeededWithIssues', 101],
    ['failed', 102],
    ['skipped', 104],
    ['abandoned', 105],
  ])('ends a job that %s with %i', async (result, code) => {
    expect(await run(job({ 'interlock.test.result': result }))).toMatchObject({ code });
  });

  it('repeats its report, but not after a final answer', async () => {
    statuses = [204, 503, 500];
    expect(await run(job())).toMatchObject({ code: 100 });
    expect(calls.filter((call) => call.includes('completejob'))).toHaveLength(3);
    calls.length = 0;
    statuses = [204, 404];
    expect(await run(job())).toMatchObject({ code: 100 });
    expect(calls.filter((call) => call.includes('completejob'))).toHaveLength(1);
  });

  it.each([2, 3, 4])('is canceled by a frame of type %i', async (cancel) => {
    const { code } = await run(job({ 'interlock.test.durationMs': '60000' }), { cancel });
    expect(code).toBe(103);
    expect(calls.at(-1)).toContain('completejob');
  });

  it('ends because of a second job', async () => {
    const { code, output } = await run(job({ 'interlock.test.durationMs': '60000' }), { cancel: 1 });
    expect(code).toBe(1);
    expect(output).toContain('a later frame has the type 1');
  });

  it('continues after a cancellation with the fault ignoreCancel', async () => {
    const variables = { 'interlock.test.fault': 'ignoreCancel', 'interlock.test.durationMs': '500' };
    expect(await run(job(variables), { cancel: 2 })).toMatchObject({ code: 100 });
  });

  it.each([
    ['crashBeforeJob', 134, 0],
    ['crashAfterJob', 134, 0],
    ['noCompletion', 100, 1],
  ])('with the fault %s ends with %i after %i calls', async (fault, code, count) => {
    expect(await run(job(), { env: { INTERLOCK_RUNNER_FAULT: fault } })).toMatchObject({ code });
    expect(calls).toHaveLength(count);
  });

  it.each([
    ['a first frame of another type', '{}', 2, 'the first frame has the type 2'],
    ['text that is not JSON', '{', 1, 'not JSON'],
    ['a message of another service', '{"messageType":"PipelineAgentJobRequest"}', 1, 'messageType'],
    ['a message without a connection', '{"messageType":"RunnerJobRequest"}', 1, 'SystemVssConnection'],
  ])('refuses %s', async (_title, text, type, message) => {
    const { code, output } = await run(text, { type });
    expect(code).toBe(1);
    expect(output).toContain(message);
  });

  it('requires the settings of the runner', async () => {
    writeFileSync(join(folder, '.runner'), '{"agentName":"r"}');
    const { code, output } = await run(job());
    expect(code).toBe(1);
    expect(output).toContain('.runner has no workFolder');
  });
});
