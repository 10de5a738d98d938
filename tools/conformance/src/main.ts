import { Command, InvalidArgumentError } from 'commander';
import { groups } from './groups/index.js';
import type { Need } from './suite/need.js';
import { textReporter, summaryOf, toJson } from './suite/report.js';
import { runGroups } from './suite/run.js';
import { openServer, type ServerFlags } from './suite/server.js';
import { connect } from './suite/target.js';

interface Flags extends ServerFlags {
  group?: string[];
  list?: boolean;
  json?: boolean;
  concurrency: number;
  webhookHost: string;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('must be a whole number from 1.');
  return value;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function run(flags: Flags): Promise<number> {
  const chosen = groups.filter(({ name }) => flags.group?.includes(name) ?? true);
  if (flags.list) {
    for (const { name, cases } of chosen) for (const one of cases) print(`${name}: ${one.name}`);
    return 0;
  }
  const isNamed = flags.group !== undefined;
  const requiresNodes =
    isNamed && chosen.some(({ cases }) => cases.some(({ needs }) => needs.includes('nodes')));
  const server = await openServer(flags, requiresNodes ? [{ name: 'node-1' }] : []);
  try {
    const assume: Need[] = requiresNodes ? ['nodes'] : [];
    const target = await connect({ ...server, webhookHost: flags.webhookHost, assume });
    try {
      if (!flags.json) print(`${target.url} (${target.version ?? 'states no version'})`);
      const onResult = flags.json ? () => undefined : textReporter(print);
      const results = await runGroups(target, chosen, { concurrency: flags.concurrency, onResult });
      print(flags.json ? toJson(target, results) : summaryOf(results));
      return results.some(({ outcome }) => outcome.kind === 'failed') ? 1 : 0;
    } finally {
      await target.close();
    }
  } finally {
    await server.close();
  }
}

const program = new Command('npm run conformance --')
  .description(
    'Checks that an API server keeps the rules of the Kubernetes API that the fleet relies on. Without --kubeconfig and --envtest it examines the embedded server.',
  )
  .option(
    '--kubeconfig <path>',
    'examine the server of this kubeconfig; the user must be a cluster administrator',
  )
  .option('--context <name>', 'context of the kubeconfig; default: its current context')
  .option(
    '--envtest',
    'start kube-apiserver and etcd from the folder KUBEBUILDER_ASSETS and examine that server',
  )
  .option('--group <name...>', `run only these groups: ${groups.map(({ name }) => name).join(', ')}`)
  .option('--list', 'print the cases and end')
  .option('--json', 'print the results as one JSON object')
  .option('--concurrency <n>', 'cases that run side by side', positive, 8)
  .option('--webhook-host <host>', 'host at which the API server reaches this machine', 'localhost')
  .showHelpAfterError();

const flags = program.parse().opts<Flags>();
const unknown = flags.group?.find((name) => !groups.some((group) => group.name === name));
if (unknown !== undefined) {
  program.error(`error: --group ${unknown} does not exist; use ${groups.map(({ name }) => name).join(', ')}`);
}
if (flags.envtest && flags.kubeconfig !== undefined) {
  program.error('error: --envtest starts its own server; omit --kubeconfig');
}
if (flags.context !== undefined && flags.kubeconfig === undefined) {
  program.error('error: --context selects a context of a kubeconfig; add --kubeconfig');
}
try {
  process.exitCode = await run(flags);
} catch (error) {
  print(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
