import { spawn } from 'node:child_process';

/*
 * The launcher of the server ends what it has started within two seconds; then what it has not found is killed. The folder
 * is in the environment of every container.
 */
const script = `read -r _; test -e "$1" || exit 0
until rm -rf -- "$1"; do sleep 0.1; done
sleep 3
for file in /proc/[0-9]*/environ; do
  if grep -qsF -- "$1/" "$file"; then id=\${file#/proc/}; kill -KILL "\${id%/environ}"; fi
done
rm -rf -- "$1"`;

/**
 * Starts a process that waits until this process has ended for any reason, and then removes the folder and kills the
 * processes that have the folder in their environment. The new process is not a child of the launcher, which kills its
 * own children. Returns a function that ends the wait; if the folder no longer exists, the process then does nothing.
 */
export function startCleaner(folder: string): () => Promise<void> {
  const cleaner = spawn('sh', ['-c', script, 'interlock-cleaner', folder], {
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    cleaner.once('close', () => resolve()).once('error', () => resolve());
  });
  cleaner.stdin.on('error', () => undefined);
  return () => {
    cleaner.stdin.end();
    return ended;
  };
}
