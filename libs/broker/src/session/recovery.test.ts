import { describe, expect, test } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { refusalOfAnswer } from '../wire/refusal.js';
import { countBlankAnswers, isEndOfSession, Recovery } from './recovery.js';

const refusal = (status: number, body: object = {}, headers = {}): Error =>
  refusalOfAnswer('x', { status, headers, body: Buffer.from(JSON.stringify(body)) }, 0);
const transport = (reason: string): Error => new TypedError('Transient', 'x', { reason });
const host = new TypedError('Permanent', 'x', { reason: 'HostNotAllowed' });
const unreadable = new TypedError('Invalid', 'x', { reason: 'MalformedAnswer' });

/** Returns the actions after consecutive errors, each with the milliseconds to wait before it. */
function steps(errors: readonly unknown[], tookMs = 0): string[] {
  const recovery = new Recovery(() => 0.5);
  return errors.map((error) => {
    const step = recovery.next(error, tookMs);
    if (step.type !== 'repeat') return step.type;
    const forgets = [step.forgetsToken && 'token', step.forgetsSession && 'session'].filter(Boolean);
    return [`repeat in ${step.waitMs}`, ...forgets].join(', without ');
  });
}

type Answer = readonly [status: number, tookMs: number];
const blank: Answer = [200, 5];

const seconds = (...waits: number[]): string[] => waits.map((wait) => `repeat in ${wait * 1000}`);
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('after a poll has failed, a session', () => {
  test.each<[title: string, errors: readonly unknown[], expected: string[]]>([
    [
      'repeats after a transient failure',
      times(7, refusal(503)),
      seconds(22.5, 22.5, 22.5, 22.5, 22.5, 45, 45),
    ],
    [
      'repeats after a broken connection',
      [transport('AnswerLost'), transport('ConnectFailed')],
      seconds(22.5, 22.5),
    ],
    [
      'repeats once at once when the server has closed a connection that was reused',
      times(2, transport('StaleConnection')),
      seconds(0, 22.5),
    ],
    ['repeats after an unreadable answer', [unreadable], seconds(22.5)],
    ['leaves a limit to the governor of the host', [refusal(429), refusal(429)], seconds(0, 0)],
    ['requests another token once', [refusal(401), refusal(401)], ['repeat in 0, without token', 'fail']],
    [
      'is created again when it has expired, at once and then later',
      times(4, refusal(400, { errorKind: 'RunnerSessionInvalid' })),
      ['repeat in 0, without session', ...times(2, 'repeat in 22500, without session'), 'fail'],
    ],
    ['is created again when the service no longer has it', [refusal(410)], ['repeat in 0, without session']],
    ['ends with its runner', [refusal(404, { errorKind: 'RunnerNotFound' })], ['fail']],
    ['ends with its pool', [refusal(404, { typeKey: 'TaskAgentPoolNotFoundException' })], ['fail']],
    ['ends when access is denied', [refusal(403)], ['fail']],
    [
      'ends when the version of its runner is refused',
      [refusal(400, { errorKind: 'RunnerVersionTooOld' })],
      ['fail'],
    ],
    ['ends when its host may not be reached', [host], ['fail']],
    ['ends when it is redirected', [refusal(302)], ['fail']],
    ['ends after an internal error', [new RangeError('x')], ['fail']],
  ])('%s', (_title, errors, expected) => {
    expect(steps(errors)).toEqual(expected);
  });

  test.each(['AnswerLost', 'StaleConnection', 'Timeout'])(
    'treats %s as an empty poll that was held for long',
    (reason) => {
      expect(steps([transport(reason)], 25_000)).toEqual(['idle']);
    },
  );

  test('does not repeat at once what precedes a poll', () => {
    expect(steps([transport('StaleConnection')], -Infinity)).toEqual(seconds(22.5));
  });

  test('counts only consecutive failures', () => {
    const recovery = new Recovery(() => 0);
    for (let n = 0; n < 6; n++) recovery.next(refusal(503), 0);
    recovery.succeeded();
    expect(recovery.next(refusal(503), 0)).toEqual({ type: 'repeat', waitMs: 15_000 });
  });
});

describe('after answers without a message, a session', () => {
  test.each<[title: string, answers: readonly Answer[], ends: number]>([
    ['ends once if they are blank and immediate', times(10, blank), 1],
    ['does not end if they are blank, but were held', times<Answer>(10, [200, 1_000]), 0],
    ['does not end if they have the status for no message', times<Answer>(10, [202, 5]), 0],
    ['ends again if another one came between', [...times(3, blank), [202, 5], ...times(3, blank)], 2],
  ])('%s', (_title, answers, ends) => {
    let count = 0;
    const counts = answers.map(([status, tookMs]) => (count = countBlankAnswers(count, status, tookMs)));
    expect(counts.filter(isEndOfSession)).toHaveLength(ends);
  });
});
