import { messageOf } from '@interlock/api';
import { cleanCommand, cleanGivenCluster } from './cluster/given.js';
import { parseFlags, type StackFlags } from './flags.js';
import { runJobs } from './jobs/run-jobs.js';
import { runScenario } from './scenario/run-scenario.js';
import { runTenants } from './tenants/run-tenants.js';
import { temporaryFolder } from './scenario/scenarios.js';

/** The exit code that a shell reports for a process that SIGINT ended. */
const interruptedCode = 130;
const sameSignalMs = 500;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function run(flags: StackFlags, stopping: AbortSignal): Promise<number> {
  const { scenario, once = false } = flags;
  const folder = await temporaryFolder();
  try {
    const options = { folder: folder.path, once, print, signal: stopping };
    switch (scenario) {
      case 'jobs':
        return await runJobs(options);
      case 'tenants':
        return await runTenants(options);
      default:
        return await runScenario({ flags: { ...flags, scenario }, folder: folder.path, print, stopping });
    }
  } finally {
    if (!flags.keep) await folder.remove();
    else print(`Kept: ${folder.path}`);
  }
}

async function clean(flags: StackFlags, signal: AbortSignal): Promise<number> {
  const { kubeconfig = '', context } = flags;
  const problems = await cleanGivenCluster({ kubeconfig, context }, print, signal);
  for (const problem of problems) print(`PROBLEM: ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

const flags = parseFlags(process.argv);
const stopping = new AbortController();
let stoppedAt = Infinity;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (!stopping.signal.aborted) {
      stoppedAt = Date.now();
      stopping.abort();
      return;
    }
    /* A single Ctrl-C may arrive twice: from the terminal, and from the program that started this process. */
    if (Date.now() - stoppedAt < sameSignalMs) return;
    const { kubeconfig } = flags;
    const left =
      kubeconfig === undefined
        ? ''
        : ` To delete the remaining objects in the cluster: ${cleanCommand({ ...flags, kubeconfig })}`;
    print(`Stopped immediately.${left}`);
    process.exit(interruptedCode);
  });
}
try {
  const code = await (flags.clean ? clean : run)(flags, stopping.signal);
  process.exitCode ??= code;
} catch (error) {
  if (stopping.signal.aborted) print('Stopped.');
  else {
    print(`FAILED: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}
