import { messageOf } from '@interlock/api';
import { Command, InvalidArgumentError } from 'commander';
import { benchmarks } from './benchmarks.js';
import { thisMachine } from './machine.js';
import { reportOf, tableOf } from './report.js';

const names = [...benchmarks.keys()];

function benchmarkNamed(name: string) {
  const benchmark = benchmarks.get(name);
  if (benchmark === undefined) throw new InvalidArgumentError(`specify one of: ${names.join(', ')}.`);
  return { name, benchmark };
}

function minutesIn(text: string): number {
  const minutes = Number(text);
  if (!Number.isInteger(minutes) || minutes < 1)
    throw new InvalidArgumentError('specify a positive integer.');
  return minutes;
}

const list = [...benchmarks].map(([name, { description }]) => `  ${name}  ${description}`).join('\n');
const program = new Command('npm run bench --')
  .description('Runs a benchmark on this machine and prints the figures.')
  .argument('<name>', 'name of the benchmark', benchmarkNamed)
  .option('--json', 'print one JSON object: {name, machine, results: [{metric, value, unit, peer, ratio}]}')
  .option('--soak <minutes>', 'agc only: run the soak test for this number of minutes', minutesIn)
  .addHelpText('after', `\nBenchmarks:\n${list}`)
  .parse();

const [{ name, benchmark }] = program.processedArgs as [ReturnType<typeof benchmarkNamed>];
const { json = false, soak } = program.opts<{ json?: boolean; soak?: number }>();
if (soak !== undefined && benchmark.soak === undefined) program.error(`error: ${name} has no --soak`);
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
const say = (line: string): void => void process.stderr.write(`${line}\n`);
try {
  const machine = thisMachine();
  const context = { say, signal: stopping.signal };
  const measured = soak === undefined ? benchmark.run(context) : benchmark.soak?.(context, soak);
  const report = reportOf(name, machine, (await measured) ?? []);
  process.stdout.write(`${json ? JSON.stringify(report) : tableOf(report)}\n`);
} catch (error) {
  say(stopping.signal.aborted ? 'Stopped.' : `FAILED: ${messageOf(error)}`);
  process.exitCode = 1;
}
