import { startProgram, type SpawnedProcess } from '@interlock/process';

/** Starts a process that removes the folder when this process is gone, however it ended. */
export function startCleaner(folder: string): SpawnedProcess {
  const script = 'trap "" TERM; read -r _; until rm -rf -- "$1"; do sleep 0.1; done';
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const cleaner = startProgram({
    program: 'sh',
    args: ['-c', script, 'interlock-cleaner', folder],
    environment,
    ignore: ['stdout', 'stderr'],
  });
  return cleaner.on('error', () => undefined);
}
