#!/usr/bin/env node
import { run } from './run.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
/* A pipe that ends early, such as into `head`, is not a failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const [, path = '', ...args] = process.argv;
process.exitCode = await run(path, args, {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  env: process.env,
  now: () => Date.now(),
  signal: stopping.signal,
});
