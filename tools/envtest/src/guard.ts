/**
 * The program, as CommonJS, that runs a binary as its child and ends it when standard input closes. The operating
 * system closes that pipe when the parent process ends for any reason, so the binary does not outlive the parent.
 *
 * Its arguments are the milliseconds between `SIGTERM` and `SIGKILL`, the file, and the arguments of the file. It has
 * to be the leader of a process group, to which it sends both signals. It exits with the code of the child.
 */
export const guardProgram = `
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const [graceMs, file, ...args] = process.argv.slice(1);
const signalGroup = (signal) => process.kill(-process.pid, signal);
let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  signalGroup('SIGTERM');
  setTimeout(() => signalGroup('SIGKILL'), Number(graceMs));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.once('error', (error) => {
  console.error('cannot execute the file: ' + error.message);
  process.exit(127);
});
child.once('exit', (code, signal) => {
  if (stopping) signalGroup('SIGKILL');
  process.exit(code ?? 128 + constants.signals[signal]);
});
process.stdin.once('end', stop).once('close', stop).once('error', stop).resume();
`;
