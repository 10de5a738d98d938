import type { AppProcess } from './app-process.js';

const firstPauseMs = 1_000;

export interface Supervision {
  /** Maximum number of restarts of each app. */
  restarts: number;
  print: (line: string) => void;
  /** Called with the reason when an app exits after its last restart. */
  onFailure: (error: Error) => void;
}

/**
 * Restarts apps that exit, as the kubelet does. An app exits when it cannot renew its lease during an outage of the API
 * server. Each delay is twice the previous one. @returns a function that ends the supervision.
 */
export function supervise(
  processes: readonly AppProcess[],
  { restarts, print, onFailure }: Supervision,
): () => void {
  const timers = new Set<NodeJS.Timeout>();
  for (const process of processes) {
    let count = 0;
    process.onCrash = (reason) => {
      if (count >= restarts) {
        onFailure(new Error(reason));
        return;
      }
      const pauseMs = firstPauseMs * 2 ** count++;
      print(`  ${reason.slice(0, 200)}: starts again in ${pauseMs / 1000} s`);
      const timer = setTimeout(() => {
        timers.delete(timer);
        process.start();
      }, pauseMs);
      timers.add(timer);
    };
  }
  return () => {
    for (const process of processes) process.onCrash = () => undefined;
    for (const timer of timers) clearTimeout(timer);
  };
}
