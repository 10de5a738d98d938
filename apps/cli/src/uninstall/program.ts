import type { Command } from 'commander';
import { examples, type Run } from '../command.js';
import { usage } from '../exit.js';
import { inSession, withConnection, withOutput, type ClusterOptions } from '../session.js';
import { uninstall, type UninstallFlags } from './uninstall.js';

/** Adds `uninstall` to a command. */
export function addUninstallCommand(root: Command, { io, name, ended }: Run): void {
  withOutput(withConnection(root.command('uninstall')))
    .description('List what is left when the apps are gone, and with --yes remove it')
    .option('-n, --namespace <name>', 'only what is in this namespace (default all, and what has none)')
    .option('--yes', 'make the changes; refused while an app runs')
    .option('--dry-run', 'with --yes: the API server checks the changes and stores none')
    .option('--keep-holds', 'leave suspended and pinned what gates hold')
    .option('--crds', 'also remove the CustomResourceDefinitions, and so every object of their kinds')
    .addHelpText(
      'after',
      examples(
        `${name} uninstall`,
        '# What is left, and what would be done?',
        '',
        '# A namespace hangs in deletion, and the apps are gone',
        '-n team-a --yes',
        '# Everything',
        '--yes --crds',
      ),
    )
    .action((options: ClusterOptions & UninstallFlags) => {
      if (options.crds === true && options.namespace !== undefined)
        throw usage('--crds removes the objects of all namespaces; leave out --namespace');
      if (options.dryRun === true && options.yes !== true)
        throw usage('--dry-run is for --yes; without --yes nothing is sent');
      return inSession(io, options, async (session) => ended(await uninstall(session, options)));
    });
}
