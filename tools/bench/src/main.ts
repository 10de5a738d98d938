import { messageOf } from '@interlock/api';
import { Command, InvalidArgumentError } from 'commander';
import { benchmarks } from './benchmarks.js';
import { thisMachine } from './machine.js';
import { reportOf, tableOf } from './report.js';

const names = [...benchmarks.keys()];

function benchmarkNamed(name: string) {
  const benchmark = benchmarks.get(name);
  if (benchmark === undefined) throw new InvalidArgumentError(`write one of: ${names.join(', ')}.`);
  return { name, benchmark };
}

const list = [...benchmarks].map(([name, { description }]) => `  ${name}  ${description}`).join('\n');
const program = new Command('npm run bench --')
  .description('Measures, on this machine, and prints the figures.')
  .argument('<name>', 'what to measure', benchmarkNamed)
  .option('--json', 'print one JSON object: {name, machine, results: [{metric, value, unit, peer, ratio}]}')
  .addHelpText('after', `\nBenchmarks:\n${list}`)
  .parse();

const [{ name, benchmark }] = program.processedArgs as [ReturnType<typeof benchmarkNamed>];
const { json = false } = program.opts<{ json?: boolean }>();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
const say = (line: string): void => void process.stderr.write(`${line}\n`);
try {
  const machine = thisMachine();
  const report = reportOf(name, machine, await benchmark.run({ say, signal: stopping.signal }));
  process.stdout.write(`${json ? JSON.stringify(report) : tableOf(report)}\n`);
} catch (error) {
  say(stopping.signal.aborted ? 'Stopped.' : `FAILED: ${messageOf(error)}`);
  process.exitCode = 1;
}
