import type { Command } from 'commander';
import { examples, type Run } from '../command.js';
import { usage } from '../exit.js';
import { inSession, withConnection, withOutput, type ClusterOptions } from '../session.js';
import { uninstall, type UninstallFlags } from './uninstall.js';

/** Adds the command `uninstall`. */
export function addUninstallCommand(root: Command, { io, name, ended }: Run): void {
  withOutput(withConnection(root.command('uninstall')))
    .description('List what remains after the apps were uninstalled; with --yes, remove it')
    .option(
      '-n, --namespace <name>',
      'only this namespace (default: all namespaces, and cluster-scoped objects)',
    )
    .option('--yes', 'make the changes; refused while an app is running')
    .option('--dry-run', 'with --yes: let the API server check the changes without storing them')
    .option('--keep-holds', 'keep the objects that gates hold suspended or pinned')
    .option('--crds', 'also remove the CustomResourceDefinitions, and thereby every object of their kinds')
    .addHelpText(
      'after',
      examples(
        `${name} uninstall`,
        '# Show what remains, and what would be done',
        '',
        '# Free a namespace whose deletion hangs after the apps were uninstalled',
        '-n team-a --yes',
        '# Remove everything',
        '--yes --crds',
      ),
    )
    .action((options: ClusterOptions & UninstallFlags) => {
      if (options.crds === true && options.namespace !== undefined)
        throw usage('--crds removes the objects of all namespaces; remove the flag --namespace');
      if (options.dryRun === true && options.yes !== true)
        throw usage('--dry-run requires --yes; without --yes nothing is sent');
      return inSession(io, options, async (session) => ended(await uninstall(session, options)));
    });
}
