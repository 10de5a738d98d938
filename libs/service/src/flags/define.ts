import { parseDuration } from '../durations.js';

/** One command-line flag; `T` is the type of its value. */
export interface Flag<T> {
  description: string;
  /** Placeholder for the value in the help, such as `duration`. */
  placeholder: string;
  /** The default as a user would write it. A flag without a default is required, or its value can be undefined. */
  default?: string | undefined;
  required: boolean;
  /** A switch, which needs no value. */
  isSwitch: boolean;
  /** Whether the flag may be repeated; the texts are joined by commas. */
  isList?: boolean;
  /** An environment variable without the prefix, which is read after the one that is named like the flag. */
  variable?: { name: string; parse(text: string): T } | undefined;
  /**
   * Parses a text.
   *
   * @throws Error whose message completes "invalid value … for flag …: "
   */
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

/* A flag with a default and a required flag always have a value; other flags may have none. */
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
    default: options.default,
    required: options.required ?? false,
    isSwitch: false,
    parse,
  };
}

/** Defines a flag with any text. */
export const stringFlag: Definer<string> = (options: Common) => define(options, 'string', (text) => text);

/** Defines a flag with an integer within bounds. */
export const integerFlag: Definer<number, { min?: number; max?: number }> = (
  options: Common & { min?: number; max?: number },
) => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  return define(options, 'int', (text) => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new Error('it is not an integer');
    if (value < min || value > max) throw new Error(`it must be from ${min} to ${max}`);
    return value;
  });
};

/** Defines a flag with a Go duration such as `90s` or `1h30m`, in milliseconds; it must not be negative. */
export const durationFlag: Definer<number, { minMs?: number }> = (options: Common & { minMs?: number }) =>
  define(options, 'duration', (text) => {
    const value = parseDuration(text);
    if (value < (options.minMs ?? 0))
      throw new Error(`it must be ${options.minMs ? `at least ${options.minMs} ms` : '0 or more'}`);
    return value;
  });

/** Defines a flag with texts separated by commas, or repeated. Surrounding blanks and empty texts are dropped. */
export const listFlag: Definer<readonly string[]> = (options: Common) => ({
  ...define(options, 'a,b,…', (text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
  isList: true,
});

/** Defines a flag that is on or off: `--name`, `--name=true`, `--name=false`. It is off by default. */
export function booleanFlag(options: Common & { default?: boolean }): Flag<boolean> {
  const flag = define({ ...options, default: String(options.default ?? false) }, 'boolean', (text) => {
    if (text !== 'true' && text !== 'false') throw new Error('write true or false');
    return text === 'true';
  });
  return { ...flag, isSwitch: true };
}

/** Defines a flag with one of several words. */
export function enumFlag<const T extends string>(
  options: Common & { values: readonly T[]; default: NoInfer<T> },
): Flag<T> {
  return define(options, options.values.join('|'), (text) => {
    const value = options.values.find((word) => word === text);
    if (value === undefined) throw new Error(`write one of ${options.values.join(', ')}`);
    return value;
  });
}

/**
 * Returns a flag that is also set by an environment variable without the prefix.
 *
 * @param parse parses the text of the variable, if it has another form than the text of the flag
 */
export function withVariable<T>(flag: Flag<T>, name: string, parse = flag.parse): Flag<T> {
  return { ...flag, variable: { name, parse } };
}

/** Reports an error in the command line; the message is for the user who wrote it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
