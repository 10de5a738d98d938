import { messageOf } from '@interlock/api/errors';
import { Command, CommanderError, Help, Option } from 'commander';
import { UsageError, type Flag, type Flags, type FlagValues } from './define.js';

interface CommandDefinition<F extends Flags> {
  name: string;
  description: string;
  version: string;
  flags: F;
  /** Prefix of the environment variables. Default: `INTERLOCK_`. */
  environmentPrefix?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Either the values to run with, or a text that was requested instead (`--help`, `--version`). */
type Parsed<F extends Flags> = { values: FlagValues<F> } | { text: string };

const defaultPrefix = 'INTERLOCK_';

/**
 * Parses the flags. The command line takes precedence over the environment, and the environment over the default. An
 * empty variable counts as unset.
 *
 * @throws UsageError for an unknown flag, an invalid value or a missing required flag
 */
export function parseFlags<F extends Flags>(
  definition: CommandDefinition<F>,
  argv: readonly string[],
  env: Environment,
): Parsed<F> {
  const prefix = definition.environmentPrefix ?? defaultPrefix;
  let text = '';
  const command = new Command(definition.name)
    .description(definition.description)
    .version(definition.version)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: (out) => (text += out), writeErr: () => undefined })
    .configureHelp({
      helpWidth: 110,
      optionDescription: (option) =>
        option.attributeName() in definition.flags
          ? option.description
          : new Help().optionDescription(option),
    });
  for (const [key, flag] of Object.entries(definition.flags)) command.addOption(optionOf(key, flag, prefix));
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { text };
    // The parser suggests a similar flag only for a name without its value.
    const name = /^error: unknown option '(--[^'=]+)=/.exec(error.message)?.[1];
    if (name !== undefined) return parseFlags(definition, [name], env);
    throw new UsageError(`${error.message.replace(/^error: /, '')}; see ${definition.name} --help`);
  }
  const given: Readonly<Record<string, unknown>> = command.opts();
  const values = Object.entries(definition.flags).map(([key, flag]) => [
    key,
    valueOf(key, flag, given[key], prefix, env),
  ]);
  return { values: Object.fromEntries(values) as FlagValues<F> };
}

function optionOf(key: string, flag: Flag<unknown>, prefix: string): Option {
  const value = flag.isSwitch ? `[${flag.placeholder}]` : `<${flag.placeholder}>`;
  const facts = [
    ...(flag.default === undefined || flag.default === '' ? [] : [`default: ${flag.default}`]),
    ...(flag.required ? ['required'] : []),
    `env: ${environmentName(key, prefix)}`,
  ];
  const option = new Option(`${flagName(key)} ${value}`, `${flag.description} (${facts.join(', ')})`);
  if (option.attributeName() !== key)
    throw new Error(`flag key ${key} cannot be converted to a flag name; write it in camel case`);
  if (flag.isList === true) option.argParser(joined);
  return option;
}

/** Returns the value of a flag: the text of a repeated flag is appended to the previous value. */
function joined(text: string, before: string | undefined): string {
  return before === undefined ? text : `${before},${text}`;
}

function valueOf(
  key: string,
  flag: Flag<unknown>,
  given: unknown,
  prefix: string,
  env: Environment,
): unknown {
  const variable = environmentName(key, prefix);
  if (given === true) return flagValue(flag, 'true', `flag ${flagName(key)}`);
  if (typeof given === 'string') return flagValue(flag, given, `flag ${flagName(key)}`);
  const inherited = env[variable];
  if (inherited !== undefined && inherited !== '')
    return flagValue(flag, inherited, `environment variable ${variable}`);
  const further = flag.variable && env[flag.variable.name];
  if (flag.variable !== undefined && further !== undefined && further !== '')
    return flagValue(flag.variable, further, `environment variable ${flag.variable.name}`);
  if (flag.default !== undefined)
    return flagValue(flag, flag.default, `the default of flag ${flagName(key)}`);
  if (flag.required)
    throw new UsageError(`flag ${flagName(key)} (or environment variable ${variable}) is required`);
  return undefined;
}

/** Returns the name of the flag on the command line: `pollInterval` is `--poll-interval`. */
function flagName(key: string): string {
  return `--${key.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()}`;
}

/** Returns the environment variable of the flag: `pollInterval` is `INTERLOCK_POLL_INTERVAL`. */
function environmentName(key: string, prefix: string): string {
  return prefix + flagName(key).slice(2).replaceAll('-', '_').toUpperCase();
}

/**
 * Parses the text of a flag.
 *
 * @throws UsageError naming the flag, the value and the fix
 */
function flagValue<T>(flag: Pick<Flag<T>, 'parse'>, text: string, source: string): T {
  try {
    return flag.parse(text);
  } catch (error) {
    throw new UsageError(`invalid value ${JSON.stringify(text)} for ${source}: ${messageOf(error)}`);
  }
}
