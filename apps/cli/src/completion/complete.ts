import { EventResponse, Gate, GateOverride, type Kind } from '@interlock/api';
import type { Command, Option } from 'commander';
import { loadAll } from '../load.js';
import { inSession, type ClusterOptions } from '../session.js';
import { viewNamed, viewNames, views, type ViewName } from '../gate/views.js';
import type { Io } from '../io.js';
import { shells } from './scripts.js';

/** Cobra's directive for "do not complete file names"; 0 is the default behavior of the shell. */
const noFiles = 4;
const files = 0;
/** A shell that waits for candidates must not wait for an unreachable cluster. */
const timeout = '3s';

/**
 * Prints the candidates for the last word, one per line, with a description after a tab; then the directive (Cobra,
 * "Shell completions"; Flux calls its plugins in this way).
 */
export async function complete(io: Io, root: Command, words: readonly string[]): Promise<void> {
  const current = words.at(-1) ?? '';
  const { command, positional, options, open } = walk(root, words.slice(0, -1));
  const candidates =
    open !== undefined
      ? valuesOf(open)
      : current.startsWith('-')
        ? flagsOf(command)
        : await argumentsOf(io, command, positional, options);
  const prefix = open !== undefined && current === '=' ? '' : current;
  const wanted = candidates.candidates.filter((candidate) => candidate.startsWith(prefix));
  io.stdout([...wanted, `:${candidates.directive}`, ''].join('\n'));
}

interface Candidates {
  candidates: string[];
  directive: number;
}

/**
 * Returns the command that the completed words select, its other arguments, the values of its flags, and the flag whose
 * value is the next word, if there is one.
 */
function walk(root: Command, words: readonly string[]) {
  let command = root;
  let open: Option | undefined;
  const positional: string[] = [];
  const options: Record<string, string> = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const flag = [...command.options, ...root.options].find(
      ({ short, long }) => name === short || name === long,
    );
    if (flag !== undefined) {
      /* Bash splits --flag=value into three words. */
      if (flag.required && value === undefined) index += words[index + 1] === '=' ? 2 : 1;
      const given = value ?? (flag.required ? words[index] : undefined);
      if (given !== undefined) options[flag.attributeName()] = given;
      else if (flag.required) open = flag;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word);
    if (next !== undefined && positional.length === 0) command = next;
    else if (!word.startsWith('-')) positional.push(word);
  }
  return { command, positional, options, open };
}

function valuesOf({ argChoices = [], flags }: Option): Candidates {
  return { candidates: argChoices, directive: /<(path|file)>/.test(flags) ? files : noFiles };
}

function flagsOf(command: Command): Candidates {
  const candidates = command.options
    .filter(({ long }) => long !== undefined)
    .map(({ long, description }) => `${long ?? ''}\t${description}`);
  return { candidates, directive: noFiles };
}

async function argumentsOf(
  io: Io,
  command: Command,
  positional: readonly string[],
  options: Record<string, string>,
): Promise<Candidates> {
  const [first] = positional;
  const none: Candidates = { candidates: [], directive: noFiles };
  if (command.commands.length > 0)
    return {
      candidates: command.commands
        .filter((one) => !one.name().startsWith('__'))
        .map((one) => `${one.name()}\t${one.description()}`),
      directive: noFiles,
    };
  switch (command.name()) {
    case 'get':
      if (first === undefined) return { candidates: [...viewNames], directive: noFiles };
      return positional.length === 1 ? ofView(io, viewNamed(first), options) : none;
    case 'open':
    case 'close':
    case 'simulate':
    case 'calendar':
    case 'audit':
    case 'export':
      return first === undefined ? names(io, Gate, options) : none;
    case 'approve':
      return first === undefined ? names(io, GateOverride, options) : none;
    case 'explain':
      return first === undefined ? names(io, EventResponse, options) : none;
    case 'completion':
      return { candidates: [...shells], directive: noFiles };
    case 'lint':
      return { candidates: [], directive: files };
    default:
      return none;
  }
}

function ofView(io: Io, view: ViewName | undefined, options: Record<string, string>): Promise<Candidates> {
  return view === undefined
    ? Promise.resolve({ candidates: [], directive: noFiles })
    : names(io, views[view].kind, options);
}

/** Returns the names of the objects; none if the cluster does not answer. */
async function names(io: Io, kind: Kind, options: Record<string, string>): Promise<Candidates> {
  const clusterOptions: ClusterOptions = { ...options, timeout };
  try {
    const objects = await inSession(io, clusterOptions, (session) =>
      loadAll(session, kind, { namespace: session.namespace }),
    );
    return { candidates: objects.map(({ metadata }) => metadata.name), directive: noFiles };
  } catch {
    return { candidates: [], directive: noFiles };
  }
}
