import { expect, it } from '@jest/globals';
import { aborted, abortReason, listenForAbort, onAbort, Stop, waitFor, type StopSignal } from './abort.js';

it('calls back once when the signal aborts, immediately if it has aborted, and never after the registration is removed', async () => {
  const controller = new AbortController();
  const calls: string[] = [];
  onAbort(controller.signal, () => calls.push('before'));
  onAbort(controller.signal, () => calls.push('withdrawn'))();
  controller.abort();
  onAbort(controller.signal, () => calls.push('after'));
  await aborted(controller.signal);
  expect(calls).toEqual(['before', 'after']);
});

it('returns a reason that can be thrown, whatever the signal was aborted with', () => {
  const reason = new Error('stop');
  expect(abortReason(AbortSignal.abort(reason))).toBe(reason);
  expect(abortReason(AbortSignal.abort('text'))).toMatchObject({ name: 'AbortError' });
});

it('ends the wait for shared work, but not the work itself, when the signal aborts', async () => {
  const controller = new AbortController();
  let finish: (value: string) => void = () => undefined;
  const work = new Promise<string>((resolve) => (finish = resolve));
  const waits = [
    waitFor(work),
    waitFor(work, controller.signal),
    waitFor(work, new AbortController().signal),
  ];
  controller.abort(new Error('stop'));
  await expect(waits[1]).rejects.toThrow('stop');
  finish('done');
  expect(await Promise.all([waits[0], waits[2]])).toEqual(['done', 'done']);
  await expect(waitFor(Promise.reject(new Error('failed')), new AbortController().signal)).rejects.toThrow(
    'failed',
  );
});

/** Creates what can be stopped, both kinds of which behave alike. */
const stoppable: [name: string, create: () => StopSignal & { abort(): void }][] = [
  ['a Stop', () => new Stop()],
  [
    'a signal',
    () => {
      const controller = new AbortController();
      return Object.assign(controller.signal, { abort: () => controller.abort() });
    },
  ],
];

it.each(stoppable)(
  'calls the method of an object once when %s aborts, and never after its removal',
  (_name, create) => {
    const stop = create();
    const calls: string[] = [];
    const [kept, removed] = ['kept', 'removed'].map((name) => ({ handleEvent: () => calls.push(name) }));
    listenForAbort(stop, kept!);
    listenForAbort(stop, removed!);
    stop.removeEventListener('abort', removed!);
    stop.abort();
    stop.abort();
    expect(calls).toEqual(['kept']);
  },
);

it.each(stoppable)('does not call what another listener withdraws when %s aborts', (_name, create) => {
  const stop = create();
  const calls: string[] = [];
  onAbort(stop, () => {
    calls.push('first');
    withdraw();
  });
  const withdraw = onAbort(stop, () => calls.push('withdrawn'));
  onAbort(stop, () => calls.push('last'));
  stop.abort();
  expect(calls).toEqual(['first', 'last']);
});

it('ends work by a Stop as by a signal: once, immediately if the work begins later, and not if the work has unsubscribed', async () => {
  const stop = new Stop();
  const calls: string[] = [];
  onAbort(stop, () => calls.push('first'));
  onAbort(stop, () => calls.push('withdrawn'))();
  onAbort(stop, () => calls.push('second'));
  const wait = waitFor(new Promise<never>(() => undefined), stop);
  stop.abort();
  stop.abort();
  onAbort(stop, () => calls.push('after'));
  await aborted(stop);
  await expect(wait).rejects.toMatchObject({ name: 'AbortError' });
  expect([calls, stop.aborted]).toEqual([['first', 'second', 'after'], true]);
});
