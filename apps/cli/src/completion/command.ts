import type { Command } from 'commander';
import type { Io } from '../io.js';

/** Adds the command `__complete …`, which the completion scripts call. */
export function addComplete(command: Command, io: Io): void {
  command
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .passThroughOptions()
    .action(async (words: string[]) => {
      const { complete } = await import('./complete.js');
      await complete(io, topOf(command), words);
    });
}

/** Returns the root command: the words of `interlock gate …` begin with `gate`; the words of `flux-gate …` do not. */
function topOf(command: Command): Command {
  return command.parent === null ? command : topOf(command.parent);
}
