import { Command, InvalidArgumentError, Option } from 'commander';

import { fleetModes, type FleetMode } from './fleet/fleet.js';

const scenarios = ['promote', 'revert', 'freeze', 'respond', 'jobs', 'tenants'] as const;

export interface StackFlags {
  scenario: (typeof scenarios)[number];
  once?: boolean;
  fleet: FleetMode;
  repo?: string;
  replay?: number;
  keep?: boolean;
  kubeconfig?: string;
  context?: string;
  webhookHost: string;
  clean?: boolean;
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('specify a positive integer.');
  return value;
}

/* Pattern of the names that an API server accepts as the external name of a Service. */
const dnsName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function hostName(text: string): string {
  if (dnsName.test(text)) return text;
  throw new InvalidArgumentError('specify a DNS name in lower case or an IPv4 address, without a port.');
}

/** Returns the command line of `npm start`, without a value of a flag. */
function stackProgram(): Command {
  return new Command('npm start --')
    .description(
      'Runs all apps on this machine with a local forge, in an embedded Kubernetes cluster or in an existing one.',
    )
    .addOption(
      new Option(
        '--scenario <name>',
        'promote: changes are promoted from environment to environment; revert: a bad change is reverted; freeze: gates hold changes; respond: pull requests respond to security events; jobs: CI jobs run on the runners of a tenant; tenants: two tenants of the gmc, each with a controller and an egress proxy',
      )
        .choices(scenarios)
        .default('promote'),
    )
    .addOption(
      new Option(
        '--fleet <mode>',
        'deployments: the charts of the apps, in pods of the embedded cluster; processes: outside of the cluster, required with --kubeconfig',
      )
        .choices(fleetModes)
        .env('INTERLOCK_FLEET'),
    )
    .option(
      '--once',
      'exit when every environment is on the newest dry commit, or when all jobs have ended; the exit code is 1 if there were problems',
    )
    .option(
      '--repo <path>',
      'a hydrated repository: a Git bundle, a repository on disk or a URL; default: the demo repository',
    )
    .option('--replay <n>', 'first go back by N promotions, and then repeat them', positive)
    .option(
      '--keep',
      'at the end, keep the folder with kubeconfigs, repositories and logs, and the objects in an existing cluster',
    )
    .option(
      '--kubeconfig <file>',
      'kubeconfig of a cluster administrator for an existing cluster, which is used instead of an embedded cluster; all created objects are deleted at the end',
    )
    .option('--context <name>', 'context of the kubeconfig; default: its current context')
    .addOption(
      new Option(
        '--webhook-host <name>',
        'with --kubeconfig: name or IPv4 address at which the API server reaches this machine, for admission webhooks',
      )
        .argParser(hostName)
        .default('localhost'),
    )
    .option(
      '--clean',
      'with --kubeconfig: delete the objects that earlier runs left in the cluster, and exit',
    )
    .showHelpAfterError();
}

/* The pods of jobs require the embedded cluster, and these scenarios do not promote changes. */
function refuseForRunners(
  program: Command,
  { scenario, kubeconfig, repo, replay, fleet }: Partial<StackFlags>,
): void {
  const why: [given: boolean, flag: string, reason: string][] = [
    [
      kubeconfig !== undefined,
      '--kubeconfig',
      'an existing cluster does not have the simulated image of the runner',
    ],
    [repo !== undefined, '--repo', 'jobs do not promote a repository'],
    [replay !== undefined, '--replay', 'jobs do not promote a repository'],
    [
      fleet === 'processes',
      '--fleet processes',
      'its programs run as pods of Deployments; also unset INTERLOCK_FLEET',
    ],
  ];
  const [first] = why.filter(([given]) => given);
  if (first === undefined) return;
  const [, flag, reason] = first;
  program.error(
    `error: the scenario ${scenario ?? ''} runs in the embedded cluster; leave out '${flag}': ${reason}`,
  );
}

/**
 * Returns the flags in the arguments of this process. Exits with the help text if they contradict each other.
 *
 * @param prepare changes what the command line does before it exits, or instead
 */
export function parseFlags(
  argv: readonly string[],
  prepare: (program: Command) => unknown = () => undefined,
): StackFlags {
  const program = stackProgram();
  prepare(program);
  const flags = program.parse(argv).opts<Omit<StackFlags, 'fleet'> & { fleet?: FleetMode }>();
  const { scenario, repo, replay, kubeconfig, context, clean } = flags;
  if (scenario === 'jobs' || scenario === 'tenants') refuseForRunners(program, flags);
  if (replay !== undefined && repo === undefined) {
    program.error("error: option '--replay <n>' requires a repository: specify it with --repo");
  }
  if ((scenario === 'freeze' || scenario === 'respond') && repo !== undefined) {
    program.error(`error: the scenario ${scenario} uses the demo repository; leave out '--repo'`);
  }
  if (kubeconfig === undefined) {
    const [flag] = [
      ...(context === undefined ? [] : ['--context <name>']),
      ...(program.getOptionValueSource('webhookHost') === 'default' ? [] : ['--webhook-host <name>']),
      ...(clean === undefined ? [] : ['--clean']),
    ];
    if (flag !== undefined) {
      program.error(`error: option '${flag}' requires an existing cluster: specify it with --kubeconfig`);
    }
  }
  if (kubeconfig !== undefined && flags.fleet === 'deployments') {
    program.error(
      "error: option '--fleet deployments' requires the embedded cluster, because an existing cluster does not have the images of the apps; leave out the option, or use '--fleet processes'",
    );
  }
  return { ...flags, fleet: flags.fleet ?? (kubeconfig === undefined ? 'deployments' : 'processes') };
}
