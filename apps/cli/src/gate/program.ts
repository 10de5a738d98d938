import { Option, type Command } from 'commander';
import { examples, type Run } from '../command.js';
import { addComplete } from '../completion/command.js';
import { completionScript, kubectlCompletion, shells, type Shell } from '../completion/scripts.js';
import { exitCodes } from '../exit.js';
import { dataText, type Format } from '../output/print.js';
import { version } from '../version.js';
import { approve } from './approve.js';
import { audit } from './audit.js';
import { calendar } from './calendar.js';
import { close, type CloseOptions } from './close.js';
import { doctor } from './doctor.js';
import { exportGates } from './export.js';
import { get, type GetOptions } from './get.js';
import { lint } from './lint.js';
import { open, type OpenOptions } from './open.js';
import { collect, inSession, withCluster, withOutput, type ClusterOptions } from '../session.js';
import { simulate } from './simulate.js';
import { viewNames } from './views.js';
import { why } from './why.js';

type Cluster = ClusterOptions & { output?: Format };

/** Adds all commands for gates to a command. */
export function addGateCommands(root: Command, run: Run): void {
  addReading(root, run);
  addChanging(root, run);
  addApproving(root, run);
  addExplaining(root, run);
  addChecking(root, run);
  addProgram(root, run);
}

function addReading(root: Command, { io, name }: Run): void {
  withOutput(withCluster(root.command('get')))
    .description('List gates and related objects')
    .argument('<kind>', `one of ${viewNames.join(', ')}`)
    .argument('[name]', 'name of one object')
    .option('-A, --all-namespaces', 'list the objects of all namespaces')
    .option('-l, --label-selector <selector>', 'list only objects with matching labels')
    .option('-w, --watch', 'then print each change, until Ctrl-C')
    .option('--no-header', 'do not print headers')
    .addHelpText(
      'after',
      examples(
        name,
        '# List the gates and their state',
        'get gates',
        '# List the held objects',
        'get holds -A',
      ),
    )
    .action((kind: string, object: string | undefined, options: Cluster & GetOptions) =>
      inSession(io, options, (session) => get(session, kind, object, options)),
    );
}

function addChanging(root: Command, { io, name }: Run): void {
  withOutput(withCluster(root.command('open')))
    .description('Open a gate for a limited time, with a reason')
    .argument('<name>', 'name of the gate')
    .argument('<reason>', 'reason, for the audit trail')
    .option('--for <duration>', 'duration (default the longest that the gate allows)')
    .option('--until <time>', 'end, such as 2026-12-01T08:00:00Z')
    .option('--once', 'only until each bound target has taken one new revision')
    .option('--revision <revision>', 'only for this commit or digest; can be repeated', collect)
    .option('--target <kind/name>', 'only for this object; can be repeated', collect)
    .option('--ticket <id>', 'number of a ticket, incident or change')
    .option('--end-hold', 'end an override that keeps the gate closed')
    .option('--wait', 'wait until the override is in force and the objects are released')
    .addHelpText(
      'after',
      examples(
        name,
        '# Open a gate for the longest time that it allows',
        'open bypass-signoff "Patching a CVE: Signed off by Bob the builder"',
        '# Let one commit through, once',
        'open change-freeze "CVE-2026-1234" --for 30m --once --revision 0ee437c33f499e2f588f60e6a92a547f6d5845f8',
      ),
    )
    .action((gate: string, reason: string, options: Cluster & OpenOptions) =>
      inSession(io, options, async (session) => {
        const override = await open(session, gate, reason, options);
        if (session.format !== 'table') io.stdout(dataText(override, session.format));
      }),
    );

  withOutput(withCluster(root.command('close')))
    .description('End the overrides that open a gate; can also keep it closed')
    .argument('<name>', 'name of the gate')
    .argument('[reason]', 'reason; required with --for, --until and --hold')
    .option('--for <duration>', 'also keep it closed for this duration')
    .option('--until <time>', 'also keep it closed until this time')
    .option('--hold', 'also keep it closed until the override is ended')
    .option('--target <kind/name>', 'only for this object; can be repeated', collect)
    .option('--ticket <id>', 'number of a ticket, incident or change')
    .addHelpText(
      'after',
      examples(
        name,
        '# End the overrides that open a gate',
        'close bypass-signoff',
        '# Keep a gate closed until further notice',
        'close change-freeze "Data loss in production" --hold',
      ),
    )
    .action((gate: string, reason: string | undefined, options: Cluster & CloseOptions) =>
      inSession(io, options, async (session) => {
        const override = await close(session, gate, reason, options);
        if (session.format !== 'table' && override) io.stdout(dataText(override, session.format));
      }),
    );
}

function addApproving(root: Command, { io, name }: Run): void {
  withOutput(withCluster(root.command('approve')))
    .description('Approve an override of a gate that requires approvals')
    .argument('<override>', 'name of the GateOverride')
    .addHelpText(
      'after',
      examples(name, '# As a user other than the author', 'approve change-freeze-open-x7k2p'),
    )
    .action((override: string, options: Cluster) =>
      inSession(io, options, async (session) => {
        const approved = await approve(session, override);
        if (session.format !== 'table') io.stdout(dataText(approved, session.format));
      }),
    );
}

function addExplaining(root: Command, { io, name, ended }: Run): void {
  withOutput(withCluster(root.command('why')))
    .description('Show which gates hold an object; exits with 0 if it is open, 3 if it is held')
    .argument('<kind/name>', 'object, such as gitrepository/app, or gate/name')
    .addHelpText(
      'after',
      examples(name, '# Check whether a source may fetch', 'why gitrepository/flux-system'),
    )
    .action((object: string, options: Cluster) =>
      inSession(io, options, async (session) => ended(await why(session, object))),
    );

  withOutput(withCluster(root.command('simulate')))
    .description('Show the state of a gate at a given time, based on the current objects')
    .argument('<name>', 'name of the gate')
    .option('--at <time>', 'time, such as 2026-12-24T18:00:00Z (default now)')
    .option('--target <kind/name>', 'include the overrides for this object')
    .option('--revision <revision>', 'include the overrides for this commit or digest')
    .addHelpText(
      'after',
      examples(
        name,
        '# Is the gate closed at Christmas?',
        'simulate change-freeze --at 2026-12-24T18:00:00Z',
      ),
    )
    .action((gate: string, options: Cluster & { at?: string; target?: string; revision?: string }) =>
      inSession(io, options, (session) => simulate(session, gate, options)),
    );

  const output = new Option('-o, --output <format>', 'output format').choices([
    'table',
    'json',
    'yaml',
    'ics',
  ]);
  withCluster(root.command('calendar'))
    .description('List when a gate is open and closed')
    .argument('<name>', 'name of the gate')
    .option('--days <number>', 'number of days to evaluate', '90')
    .option('--tz <zone>', 'time zone of the times in the table', undefined)
    .addOption(output.default('table'))
    .addHelpText(
      'after',
      examples(name, '# Export freezes to other calendars', 'calendar change-freeze --days 365 -o ics'),
    )
    .action(
      (
        gate: string,
        options: Omit<Cluster, 'output'> & { days: string; tz?: string; output: Format | 'ics' },
      ) => {
        const { output: format, ...cluster } = options;
        return inSession(io, cluster, (session) => calendar(session, gate, { ...options, output: format }));
      },
    );
}

function addChecking(root: Command, { io, name, ended }: Run): void {
  withOutput(withCluster(root.command('audit')))
    .description('List the state changes of gates')
    .argument('[name]', 'name of one gate')
    .option('--verify', 'check that no stored record was changed, removed or moved')
    .option('--key <file>', 'with --verify: also check the signatures with this Ed25519 key (PEM)')
    .addHelpText(
      'after',
      `\n--verify alone proves that the stored records form an unbroken chain. A user who may write the\nstatus of a gate can replace all of them; signatures (--key) and the log of the controller reveal that.\n${examples(name, '# Check that the records are intact', 'audit --verify')}`,
    )
    .action((gate: string | undefined, options: Cluster & { verify?: boolean; key?: string }) =>
      inSession(io, options, async (session) => ended(await audit(session, gate, options))),
    );

  withOutput(withCluster(root.command('doctor')))
    .description('Find problems and forgotten objects; exits with 1 if there is an error')
    .option('--hold-age <duration>', 'warn about objects that have been held for longer', '168h')
    .action((options: Cluster & { holdAge: string }) =>
      inSession(io, options, async (session) => ended(await doctor(session, options))),
    );

  withOutput(root.command('lint'))
    .description('Check manifests without a cluster; exits with 1 if there is an error')
    .argument('<file...>', 'YAML files')
    .addHelpText('after', examples(name, '# In a pipeline', 'lint gates.yaml'))
    .action(async (files: string[], options: { output: Format }) =>
      ended(await lint(io, files, options.output)),
    );

  withCluster(root.command('export'))
    .description('Print gates with their keepers and bindings as manifests')
    .argument('[name]', 'name of one gate')
    .action((gate: string | undefined, options: Cluster) =>
      inSession(io, options, (session) => exportGates(session, gate)),
    );
}

function addProgram(root: Command, { io, name, ended }: Run): void {
  withOutput(root.command('version'))
    .description('Print the version')
    .action(({ output }: { output: Format }) => {
      io.stdout(output === 'table' ? `${name}: v${version}\n` : dataText({ [name]: `v${version}` }, output));
    });

  root
    .command('completion')
    .description('Print a completion script for a shell')
    .argument('<shell>', `one of ${shells.join(', ')}`)
    .addHelpText(
      'after',
      examples(name, '# For this shell', 'completion bash > /etc/bash_completion.d/interlock'),
    )
    .action((shell: string, _options: unknown, command: Command) => {
      const known = shells.find((one): one is Shell => one === shell);
      if (known === undefined)
        return command.error(`error: unknown shell ${shell}; write one of ${shells.join(', ')}`);
      const [program = name, plugin = ''] = name.split(' ');
      io.stdout(program === 'kubectl' ? kubectlCompletion(plugin) : completionScript(known, program));
      return ended(exitCodes.ok);
    });

  addComplete(root, io);
}
