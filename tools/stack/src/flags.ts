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
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('write a whole number from 1.');
  return value;
}

/* What an API server accepts as the external name of a Service. */
const dnsName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function hostName(text: string): string {
  if (dnsName.test(text)) return text;
  throw new InvalidArgumentError('write a DNS name in lower case or an IPv4 address, without a port.');
}

const program = new Command('npm start --')
  .description(
    'Runs the whole fleet on this machine: an embedded Kubernetes API or a given cluster, a local forge and the apps.',
  )
  .addOption(
    new Option(
      '--scenario <name>',
      'promote: changes go from environment to environment; revert: one is bad; freeze: gates hold them; respond: security events are answered with pull requests; jobs: CI jobs run on the runners of a tenant; tenants: two tenants of the gmc, each with a controller and an egress proxy',
    )
      .choices(scenarios)
      .default('promote'),
  )
  .addOption(
    new Option(
      '--fleet <mode>',
      'deployments: the charts of the apps, in pods of the embedded cluster; processes: beside the cluster, which a given one needs',
    )
      .choices(fleetModes)
      .env('INTERLOCK_FLEET'),
  )
  .option(
    '--once',
    'end when every environment is on the newest dry commit, or all jobs have ended; the exit code is 1 when anything went wrong',
  )
  .option('--repo <path>', 'a hydrated repository: a bundle, a repository on disk or a URL; default: a demo')
  .option('--replay <n>', 'go back by N promotions first and live through them again', positive)
  .option(
    '--keep',
    'do not delete the folder with kubeconfigs, repositories and logs at the end, nor what was created in a given cluster',
  )
  .option(
    '--kubeconfig <file>',
    'use this cluster, with the rights of a cluster admin, instead of an embedded one; what is created there is removed at the end',
  )
  .option('--context <name>', 'context of the kubeconfig; default: its current one')
  .addOption(
    new Option(
      '--webhook-host <name>',
      'with --kubeconfig: name or IPv4 address at which the API server reaches this machine, for admission webhooks',
    )
      .argParser(hostName)
      .default('localhost'),
  )
  .option('--clean', 'with --kubeconfig: remove what earlier runs left in the cluster, and end')
  .showHelpAfterError();

/* The pods of jobs are made for the embedded cluster, and nothing is promoted. */
function refuseForRunners({ scenario, kubeconfig, repo, replay, fleet }: Partial<StackFlags>): void {
  const why: [given: boolean, flag: string, reason: string][] = [
    [kubeconfig !== undefined, '--kubeconfig', 'a given cluster has no stand-in for the image of the runner'],
    [repo !== undefined, '--repo', 'jobs do not promote a repository'],
    [replay !== undefined, '--replay', 'jobs do not promote a repository'],
    [
      fleet === 'processes',
      '--fleet processes',
      'its programs are pods of Deployments; unset INTERLOCK_FLEET too',
    ],
  ];
  const [first] = why.filter(([given]) => given);
  if (first === undefined) return;
  const [, flag, reason] = first;
  program.error(
    `error: the scenario ${scenario ?? ''} runs in the embedded cluster; leave out '${flag}': ${reason}`,
  );
}

/** Returns the flags of this process. Ends it with the help when they do not fit together. */
export function parseFlags(): StackFlags {
  const flags = program.parse().opts<Omit<StackFlags, 'fleet'> & { fleet?: FleetMode }>();
  const { scenario, repo, replay, kubeconfig, context, clean } = flags;
  if (scenario === 'jobs' || scenario === 'tenants') refuseForRunners(flags);
  if (replay !== undefined && repo === undefined) {
    program.error("error: option '--replay <n>' replays a repository: name it with --repo");
  }
  if ((scenario === 'freeze' || scenario === 'respond') && repo !== undefined) {
    program.error(`error: the scenario ${scenario} plays with the demo; leave out '--repo'`);
  }
  if (kubeconfig === undefined) {
    const [flag] = [
      ...(context === undefined ? [] : ['--context <name>']),
      ...(program.getOptionValueSource('webhookHost') === 'default' ? [] : ['--webhook-host <name>']),
      ...(clean === undefined ? [] : ['--clean']),
    ];
    if (flag !== undefined) {
      program.error(`error: option '${flag}' is about a given cluster: name it with --kubeconfig`);
    }
  }
  if (kubeconfig !== undefined && flags.fleet === 'deployments') {
    program.error(
      "error: option '--fleet deployments' needs the embedded cluster: a given one has no images of the apps; leave it out, or use '--fleet processes'",
    );
  }
  return { ...flags, fleet: flags.fleet ?? (kubeconfig === undefined ? 'deployments' : 'processes') };
}
