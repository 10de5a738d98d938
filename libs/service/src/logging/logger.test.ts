import { redactText } from '@interlock/base';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  context,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type ContextManager,
} from '@opentelemetry/api';
import { createLogger } from './logger.js';

/** The part of a logger that libraries use, in their own spelling. */
interface StructuralLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): StructuralLogger;
}

function captured(level: 'debug' | 'info' = 'info') {
  const lines: string[] = [];
  const log = createLogger({
    component: 'promoter',
    level,
    destination: { write: (line) => lines.push(line) },
    now: () => new Date('2026-01-02T03:04:05.678Z'),
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('createLogger', () => {
  test('writes lines with stable keys', () => {
    const { log, lines } = captured();
    log.info({ namespace: 'a' }, 'started');
    expect(lines).toEqual([
      '{"level":"info","ts":"2026-01-02T03:04:05.678Z","component":"promoter","namespace":"a","msg":"started"}\n',
    ]);
  });

  test('returns a logger that libraries can use', () => {
    const { log, last } = captured();
    const library: StructuralLogger = log;
    library.child({ controller: 'strategy' }).warn({ attempt: 2 }, 'slow');
    expect(last()).toMatchObject({
      level: 'warn',
      component: 'promoter',
      controller: 'strategy',
      attempt: 2,
      msg: 'slow',
    });
  });

  test('respects the level', () => {
    const { log, lines } = captured();
    log.debug({}, 'quiet');
    expect(lines).toEqual([]);
    const loud = captured('debug');
    loud.log.debug({}, 'loud');
    expect(loud.last()).toMatchObject({ level: 'debug' });
  });

  test('writes errors with their types, messages and stacks', () => {
    const { log, last } = captured();
    log.error({ error: new RangeError('too far') }, 'failed');
    expect(last()).toMatchObject({
      error: {
        type: 'RangeError',
        message: 'too far',
        stack: expect.stringContaining('RangeError: too far'),
      },
    });
    log.error(new RangeError('alone'));
    expect(last()).toMatchObject({ msg: 'alone', error: { message: 'alone' } });
  });
});

describe('a logger that receives secrets', () => {
  const canary = 'cAnArY0123456789abcdef';

  test.each([
    [{ password: canary }],
    [{ request: { headers: { authorization: canary } } }],
    [{ provider: { token: canary } }],
    [{ credentials: { username: 'u', password: canary } }],
    [{ a: { b: { c: { d: [{ webhookSecret: canary }] } } } }],
    [{ private_key: `quote " and backslash \\ ${canary}` }],
    [{ url: `https://x-access-token:${canary}@github.com/o/r` }],
    [{ url: `https://h/p?page=1&access_token=${canary}&x=1` }],
    [{ text: `ghs_${canary}` }],
    [{ text: `github_pat_${canary}` }],
    [{ text: `glpat-${canary}` }],
    [{ header: `Authorization: Bearer ${canary}` }],
    [{ header: `AUTHORIZATION: basic ${canary}==` }],
    [{ jwt: `eyJ${canary}.${canary}.${canary}` }],
    [{ jwt: `-x-eyJ${canary}-eyJ${canary}.${canary}.${canary}` }],
    [{ pem: `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n${canary}\n-----END RSA PRIVATE KEY-----` }],
    [{ error: new Error(`push to https://u:${canary}@h failed`) }],
  ])('masks %j, and writes a valid JSON line', (fields) => {
    const { log, lines, last } = captured();
    log.info(fields, 'canary');
    expect(lines.join('')).not.toContain(canary);
    expect(lines.join('')).toContain('[redacted]');
    expect(last()).toMatchObject({ msg: 'canary' });
  });

  test.each([
    'a.',
    'a',
    '-eyJ',
    'eyJaaaaaaaaaa-',
    'eyJaaaaaaaaaa.',
    '://',
    'Bearer ',
    '"token":"',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '"token":"\\"',
  ])('reads many repetitions of %j in one pass', (unit) => {
    /* V8 compiles a pattern at its second use, and only compiled patterns run out of memory for their states. */
    expect(redactText(unit)).not.toBe('');
    expect(redactText(unit.repeat(300_000))).not.toBe('');
  });

  test('cuts and masks a line that is too long, and ends it with a line break', () => {
    const line = redactText(`{"token":"${canary}","text":"${'a'.repeat(10_000_000)}"}\n`);
    expect(line).toMatch(/^\{"token":"\[redacted\]","text":"a{1000}/);
    expect(line.endsWith('\n')).toBe(true);
    expect(line.length).toBeLessThan(300_000);
  });

  test('masks secrets in the message too, and keeps other texts', () => {
    const { log, last } = captured();
    log.info(
      { sha: 'a'.repeat(40), url: 'https://github.com/o/r?page=2', basic: 'basic test', secretRef: 'scm' },
      `token ghp_${canary}`,
    );
    expect(last()).toMatchObject({
      sha: 'a'.repeat(40),
      url: 'https://github.com/o/r?page=2',
      basic: 'basic test',
      secretRef: 'scm',
      msg: 'token [redacted]',
    });
  });
});

describe('a logger inside a span', () => {
  afterEach(() => context.disable());

  test('adds the IDs of the active span to lines', () => {
    context.setGlobalContextManager(synchronousContexts());
    const { log, last } = captured();
    const span = trace.wrapSpanContext({
      traceId: '1'.repeat(32),
      spanId: '2'.repeat(16),
      traceFlags: TraceFlags.SAMPLED,
    });
    context.with(trace.setSpan(context.active(), span), () => log.info({}, 'inside'));
    expect(last()).toMatchObject({ trace_id: '1'.repeat(32), span_id: '2'.repeat(16) });
    log.info({}, 'outside');
    expect(last()).not.toHaveProperty('trace_id');
  });
});

/** Returns a context manager for synchronous code: the SDK that provides a real one is not loaded here. */
function synchronousContexts(): ContextManager {
  let active: Context = ROOT_CONTEXT;
  const manager: ContextManager = {
    active: () => active,
    with(next, task, self, ...args) {
      const before = active;
      active = next;
      try {
        return task.call(self, ...args);
      } finally {
        active = before;
      }
    },
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
