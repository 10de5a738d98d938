import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { runWorker } from './run-worker.js';

/** The script of this module, which is the program of the image; the bundler inserts it here. */
export declare const source: string;

/** The exit code of Runner.Worker after an exception, which it writes to its standard output. */
const failed = 1;

async function main(): Promise<number> {
  const [command, input, output, ...rest] = process.argv.slice(2);
  if (command !== 'spawnclient' || !/^\d$/.test(input ?? '') || !/^\d$/.test(output ?? '') || rest.length > 0)
    throw new Error('usage: Runner.Worker spawnclient <descriptor to read> <descriptor to write>');
  const root = dirname(dirname(process.argv[1] ?? ''));
  const pipe = new Socket({ fd: Number(input), readable: true, writable: false });
  return runWorker({ root, input: pipe, fault: process.env['INTERLOCK_RUNNER_FAULT'] });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stdout.write(`Runner.Worker: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(failed);
  },
);
