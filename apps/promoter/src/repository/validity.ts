import { type CommitStatus, endOfSuccess, keyOf, keyString } from '@interlock/api';
import { aborted } from '@interlock/base';
import type { Cache, Manager } from '@interlock/kube';

interface Timer {
  cancel(): void;
}

/**
 * Wakes the readers of a CommitStatus when its success ends, although its reporter does not run.
 *
 * @param wake enqueues the objects that read a CommitStatus
 */
export function addValidityTimers(
  manager: Pick<Manager, 'add' | 'clock'>,
  commitStatuses: Pick<Cache<CommitStatus>, 'subscribe'>,
  wake: (status: CommitStatus) => void,
): void {
  const { clock } = manager;
  const timers = new Map<string, Timer>();
  let isStopped = false;
  const forget = (key: string): void => {
    timers.get(key)?.cancel();
    timers.delete(key);
  };
  const wait = (status: CommitStatus): void => {
    const key = keyString(keyOf(status));
    forget(key);
    const end = endOfSuccess(status);
    if (isStopped || end === undefined || !(end > clock.now())) return;
    const onTime = (): void => {
      /* The wall clock may have been set back. */
      if (end > clock.now()) return wait(status);
      timers.delete(key);
      wake(status);
    };
    timers.set(key, clock.setTimeout(onTime, end - clock.now()));
  };
  commitStatuses.subscribe(({ type, object }) => {
    if (type === 'deleted') forget(keyString(keyOf(object)));
    else wait(object);
  });
  manager.add({
    name: 'commit-status-validity',
    needsLeaderElection: false,
    async run(signal) {
      await aborted(signal);
      isStopped = true;
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  });
}
