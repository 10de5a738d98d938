#!/usr/bin/env node
import { run } from './run.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
const outputEnd = new AbortController();

/**
 * Returns a function that writes to a stream until its reader ends, as `head` does. The command continues then: it may be
 * half-way through its changes, and a script may need its exit code.
 */
function writerTo(stream: NodeJS.WriteStream, onEnd: () => void = () => undefined): (text: string) => void {
  let hasEnded = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    hasEnded = true;
    onEnd();
  });
  return (text) => {
    if (!hasEnded) stream.write(text);
  };
}

const [, path = '', ...args] = process.argv;
process.exitCode = await run(path, args, {
  stdout: writerTo(process.stdout, () => outputEnd.abort()),
  stderr: writerTo(process.stderr),
  env: process.env,
  now: () => Date.now(),
  signal: stopping.signal,
  outputEnd: outputEnd.signal,
});
