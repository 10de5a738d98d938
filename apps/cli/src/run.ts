import { basename } from 'node:path';
import { isTyped, messageOf } from '@interlock/api';
import { Command, CommanderError } from 'commander';
import type { Run } from './command.js';
import { addComplete } from './completion/command.js';
import { exitCodeOf, exitCodes, type ExitCode } from './exit.js';
import { addGateCommands } from './gate/program.js';
import type { Io } from './io.js';
import { progressOn } from './output/progress.js';
import { visible } from './output/visible.js';
import { addRespondCommands } from './respond/program.js';
import { addUninstallCommand } from './uninstall/program.js';
import { version } from './version.js';

/** As a plugin of Flux the program is `flux-gate`, and `flux gate …` calls it without the word `gate`. */
const fluxPlugin = 'flux-gate';
const kubectlPlugin = 'kubectl-interlock';
const mainName = 'interlock';

/**
 * Runs one command line, and returns the exit code; see {@link exitCodes}.
 *
 * @param path path of the program; its name determines whether it is a plugin
 * @param args arguments without the program
 */
export async function run(path: string, args: readonly string[], terminal: Io): Promise<ExitCode> {
  const io = withVisibleOutput(terminal);
  let code: ExitCode = exitCodes.ok;
  const program = programFor(basename(path).replace(/\.(mjs|js)$/, ''), io, (ended) => (code = ended));
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const text = io.signal.aborted ? 'interrupted' : messageText(error);
    progressOn(io).failure(text);
    return exitCodeOf(error);
  }
}

/**
 * Makes special characters visible, because other users wrote much of the output, such as the reasons of overrides
 * and the names of events.
 */
function withVisibleOutput(io: Io): Io {
  return {
    ...io,
    stdout: (text) => io.stdout(visible(text)),
    stderr: (text) => io.stderr(visible(text)),
  };
}

function programFor(called: string, io: Io, ended: Run['ended']): Command {
  const isFluxPlugin = called === fluxPlugin;
  const name = isFluxPlugin ? fluxPlugin : called === kubectlPlugin ? 'kubectl interlock' : mainName;
  const root = new Command(name)
    .description('Hold changes with gates, and answer security events with pull requests')
    .version(`${name}: v${version}`, '--version', 'print the version')
    .configureHelp({ showGlobalOptions: false })
    .helpCommand(false)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: io.stdout,
      writeErr: io.stderr,
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      outputError: (text, write) => write(`✗ ${text.replace(/^error: /, '')}`),
    });
  if (isFluxPlugin) {
    addGateCommands(root, { io, name, ended });
    return root;
  }
  const gate = root.command('gate').description('Work with gates').helpCommand(false);
  addGateCommands(gate, { io, name: `${name} gate`, ended });
  const respond = root
    .command('respond')
    .description('Work with responses to security events')
    .helpCommand(false);
  addRespondCommands(respond, { io, name: `${name} respond`, ended });
  addUninstallCommand(root, { io, name, ended });
  addComplete(root, io);
  return root;
}

function messageText(error: unknown): string {
  if (isTyped(error) || error instanceof Error) return messageOf(error);
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
