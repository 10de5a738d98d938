import { Launcher } from '../launcher.js';
import { runBy } from '../run.js';

/** A process that starts programs and reports each action as one line of JSON. */
const launcher = new Launcher();
const environment = { PATH: process.env['PATH'] ?? '' };
const write = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

async function runOnce(): Promise<void> {
  const limits = { timeoutMs: 60_000, maxOutputBytes: 1_000 };
  const { code } = await runBy(launcher, { program: 'true', args: [], environment, ...limits });
  write({ code, launcher: launcher.pid });
}

/** Starts a shell that waits for a child process; neither ends by itself or by SIGTERM. */
function startForever(): void {
  const script = 'trap "" TERM; sleep 600 & echo "$!"; while :; do wait; done';
  const child = launcher.start({ program: 'sh', args: ['-c', script], environment });
  child.stdout.once('data', (text: Buffer) => {
    write({ launcher: launcher.pid, child: child.pid, grandchild: Number(text.toString()) });
  });
}

/** Starts a program that waits only for the end of its input, and then ends. */
function startBrief(): void {
  const child = launcher.start({ program: 'cat', args: [], environment });
  child.once('exit', (code) => write({ code }));
  child.stdin.end('text');
}

const [mode] = process.argv.slice(2);
if (mode === 'once') await runOnce();
else if (mode === 'forever') startForever();
else startBrief();
