import { hostname } from 'node:os';

/** Returns whether a process `<host>/<process id>` ran on this machine and has ended. */
export function isEnded(text: string): boolean {
  const at = text.lastIndexOf('/');
  const pid = Number(text.slice(at + 1));
  if (at < 0 || text.slice(0, at) !== hostname() || !Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
