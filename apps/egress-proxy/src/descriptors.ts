import { readFileSync } from 'node:fs';

/** Returns how many files and sockets this process may open; undefined if that is unlimited or unknown. */
export function descriptorLimit(): number | undefined {
  try {
    /* See proc_pid_limits(5). Node.js has raised its soft limit, the first number, to the hard limit. */
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined; // This system has no such file.
  }
}
