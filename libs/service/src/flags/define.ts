import { messageOf } from '@interlock/api/errors';
import { parseDuration } from '../durations.js';

/** One command-line flag; `T` is the type of its value. */
export interface Flag<T> {
  description: string;
  /** What stands for the value in the help, such as `duration`. */
  placeholder: string;
  /** As a person would write it; without one the flag is required or its value undefined. */
  default?: string;
  required: boolean;
  /** A switch may stand without a value. */
  isSwitch: boolean;
  /** May be given several times; the texts are joined by commas. */
  isList?: boolean;
  /** @throws an Error whose message completes "invalid value … for flag …: ". */
  parse(text: string): T;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of flags, by the same names. */
export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never;
};

interface Common {
  description: string;
}
type WithDefault = Common & { default: string };
type Required = Common & { required: true };
type Optional = Common;

/* A flag with a default, or a required one, has always a value; any other may have none. */
interface Definer<T, More = object> {
  (options: (WithDefault | Required) & More): Flag<T>;
  (options: Optional & More): Flag<T | undefined>;
}

function define<T>(
  options: Common & { default?: string; required?: boolean },
  placeholder: string,
  parse: (text: string) => T,
): Flag<T> {
  return {
    description: options.description,
    placeholder,
    ...(options.default === undefined ? {} : { default: options.default }),
    required: options.required ?? false,
    isSwitch: false,
    parse,
  };
}

/** Any text. */
export const stringFlag: Definer<string> = (options: Common) => define(options, 'string', (text) => text);

/** A whole number within bounds. */
export const integerFlag: Definer<number, { min?: number; max?: number }> = (
  options: Common & { min?: number; max?: number },
) => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  return define(options, 'int', (text) => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new Error('it is not a whole number');
    if (value < min || value > max) throw new Error(`it must be from ${min} to ${max}`);
    return value;
  });
};

/** A Go duration such as `90s` or `1h30m`, in milliseconds; not negative. */
export const durationFlag: Definer<number, { minMs?: number }> = (options: Common & { minMs?: number }) =>
  define(options, 'duration', (text) => {
    const value = parseDuration(text);
    if (value < (options.minMs ?? 0))
      throw new Error(`it must be ${options.minMs ? `at least ${options.minMs} ms` : '0 or more'}`);
    return value;
  });

/** Texts separated by commas, or each given by a flag of its own; blanks around them and empty ones are dropped. */
export const listFlag: Definer<readonly string[]> = (options: Common) => ({
  ...define(options, 'a,b,…', (text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
  isList: true,
});

/** On or off: `--name`, `--name=true`, `--name=false`. Off by default. */
export function booleanFlag(options: Common & { default?: boolean }): Flag<boolean> {
  const flag = define({ ...options, default: String(options.default ?? false) }, 'boolean', (text) => {
    if (text !== 'true' && text !== 'false') throw new Error('write true or false');
    return text === 'true';
  });
  return { ...flag, isSwitch: true };
}

/** One of some words. */
export function enumFlag<const T extends string>(
  options: Common & { values: readonly T[]; default: NoInfer<T> },
): Flag<T> {
  return define(options, options.values.join('|'), (text) => {
    const value = options.values.find((word) => word === text);
    if (value === undefined) throw new Error(`write one of ${options.values.join(', ')}`);
    return value;
  });
}

/** Returns the flag's name on the command line: `pollInterval` is `--poll-interval`. */
export function flagName(key: string): string {
  return `--${key.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()}`;
}

/** Returns the flag's twin in the environment: `pollInterval` is `INTERLOCK_POLL_INTERVAL`. */
export function environmentName(key: string, prefix: string): string {
  return prefix + flagName(key).slice(2).replaceAll('-', '_').toUpperCase();
}

/** Returns the value of a text. @throws UsageError naming flag, value and fix. */
export function flagValue<T>(flag: Flag<T>, text: string, source: string): T {
  try {
    return flag.parse(text);
  } catch (error) {
    throw new UsageError(`invalid value ${JSON.stringify(text)} for ${source}: ${messageOf(error)}`);
  }
}

/** The command line cannot be used as it is; the message is for the person who wrote it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
