import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { splitLines } from './lines.js';
import type { LauncherReport, LauncherRequest, StartRequest } from './protocol.js';

/** The script of this module for a separate process; the bundler inserts it here. */
export declare const source: string;

/** Milliseconds between the two signals to the remaining processes when the parent has exited. */
const graceMs = 2_000;

const [, folder = '', socketPath = ''] = process.argv;
/* Ids of process groups, by id of the request. */
const groups = new Map<string, number>();
const running = new Set<ChildProcess>();
let isEnding = false;

function report(message: LauncherReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Opens a stream to the parent, which the head assigns to a process. The data of the parent is not read here. */
function open(head: string): { socket: Socket; isReady: Promise<void> } {
  const socket = connect(socketPath);
  socket.pause();
  const isReady = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(head, () => resolve());
  });
  return { socket, isReady };
}

/**
 * Starts a program whose standard streams are sockets to the parent: the data does not pass through this process, and the
 * system holds back a writer whose reader is slow.
 */
async function start(request: StartRequest): Promise<void> {
  const { id, program, args, environment, folder: cwd } = request;
  const streams = request.piped.map((isPiped, index) => (isPiped ? open(`${id}${index}`) : undefined));
  const fail = ({ code, message }: NodeJS.ErrnoException) =>
    report({ type: 'failed', id, code, message, hasFolder: existsSync(cwd) });
  try {
    await Promise.all(streams.flatMap((stream) => stream?.isReady ?? []));
    if (isEnding) return;
    const stdio = streams.map((stream) => stream?.socket ?? 'ignore');
    const child = spawn(program, args, { env: environment, cwd, stdio, detached: true });
    child.once('error', fail);
    if (child.pid === undefined) return;
    groups.set(id, child.pid);
    running.add(child);
    report({ type: 'started', id, pid: child.pid });
    child.once('exit', (code, signal) => {
      running.delete(child);
      report({ type: 'exited', id, code, signal });
      if (isEnding && running.size === 0) exit();
    });
  } catch (error) {
    fail(error as NodeJS.ErrnoException);
  } finally {
    for (const stream of streams) stream?.socket.destroy();
  }
}

function signalGroups(signal: NodeJS.Signals): void {
  for (const group of groups.values()) {
    try {
      process.kill(-group, signal);
    } catch {
      // The group is gone already.
    }
  }
}

function exit(): void {
  signalGroups('SIGKILL');
  process.exit();
}

/**
 * Ends all processes when the parent exits. The system closes the parent's end of the pipe, however the parent ended.
 */
function end(): void {
  if (isEnding) return;
  isEnding = true;
  rmSync(folder, { recursive: true, force: true });
  if (running.size === 0) return exit();
  signalGroups('SIGTERM');
  setTimeout(exit, graceMs);
}

process.title = 'interlock-launcher';
process.stdout.on('error', end);
process.stdin
  .setEncoding('utf8')
  .on(
    'data',
    splitLines((line) => {
      const request = JSON.parse(line) as LauncherRequest;
      if (request.type === 'start') void start(request);
      else groups.delete(request.id);
    }),
  )
  .on('error', end)
  .once('close', end);
