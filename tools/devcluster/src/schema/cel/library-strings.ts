import type { Environment } from '@marcbachmann/cel-js';
import type { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { RE2JS } from 're2js';
import { goNumber } from '../json.js';

/** The name of the RE2 version of `matches`; it has the same length, so that positions in errors are correct. */
export const re2Matches = 're2Find';

/**
 * Registers the functions for strings and regular expressions: cel-go's strings extension and Kubernetes' `find` and
 * `findAll`.
 */
export function registerStrings(env: Environment): void {
  env
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => {
      const characters = [...text];
      if (index < 0n || index > BigInt(characters.length)) throw new Error(`index out of range: ${index}`);
      return characters[Number(index)] ?? '';
    })
    .registerFunction('string.replace(string, string): string', (text: string, old: string, by: string) =>
      text.replaceAll(old, () => by),
    )
    .registerFunction('string.replace(string, string, int): string', replaceSome)
    .registerFunction('string.format(list<dyn>): string', formatString)
    .registerFunction(`string.${re2Matches}(string): bool`, (text: string, pattern: string) =>
      RE2JS.compile(pattern).matcher(text).find(),
    )
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern),
    )
    .registerFunction(
      'string.findAll(string, int): list<string>',
      (text: string, pattern: string, limit: bigint) =>
        findAll(text, pattern, limit < 0n ? Infinity : Number(limit)),
    )
    .registerType('StringsNamespace', StringsNamespace)
    .registerConstant('strings', 'StringsNamespace', new StringsNamespace())
    .registerFunction('StringsNamespace.quote(string): string', (_: StringsNamespace, text: string) =>
      quote(text),
    )
    .registerFunction('string(google.protobuf.Timestamp): string', formatTimestamp)
    .registerFunction('timestamp(google.protobuf.Timestamp): google.protobuf.Timestamp', (time: Date) => time)
    .registerFunction(
      'duration(google.protobuf.Duration): google.protobuf.Duration',
      (duration: Duration) => duration,
    )
    .registerFunction(
      'int(google.protobuf.Duration): int',
      (duration: Duration) => duration.seconds * 1_000_000_000n + BigInt(duration.nanos),
    )
    .registerFunction('int(uint): int', (value: UnsignedInt) => value.valueOf())
    .registerFunction('string(google.protobuf.Duration): string', (duration: Duration) => duration.toString())
    .registerFunction('int(google.protobuf.Timestamp): int', (date: Date) =>
      BigInt(Math.floor(date.getTime() / 1000)),
    );
}

class StringsNamespace {
  readonly name = 'strings';
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Returns a string literal of CEL for a text. */
function quote(text: string): string {
  return `"${[...text].map((character) => escapes[character] ?? character).join('')}"`;
}

function replaceSome(text: string, old: string, by: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(old, () => by);
  let left = limit;
  return text.replaceAll(old, (found) => (left-- > 0n ? by : found));
}

function findAll(text: string, pattern: string, limit = Infinity): string[] {
  const matcher = RE2JS.compile(pattern).matcher(text);
  const found: string[] = [];
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

function formatTimestamp(date: Date): string {
  return date.toISOString().replace(/\.?0*Z$/, 'Z');
}

function formatString(template: string, args: readonly unknown[]): string {
  let next = 0;
  return template.replace(
    /%(?:%|(?:\.(\d+))?([a-zA-Z]))/g,
    (clause, precision: string | undefined, verb?: string) => {
      if (clause === '%%') return '%';
      if (next >= args.length) throw new Error(`index ${next} out of range`);
      return formatClause(verb ?? '', args[next++], precision === undefined ? 6 : Number(precision));
    },
  );
}

function formatClause(verb: string, value: unknown, precision: number): string {
  const number = Number(value);
  switch (verb) {
    case 's':
      return formatValue(value);
    case 'd':
      return typeof value === 'number' ? goNumber(value) : String(value);
    case 'f':
      return number.toFixed(precision);
    case 'e':
      return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : BigInt(number).toString(2);
    case 'o':
      return BigInt(number).toString(8);
    case 'x':
    case 'X': {
      const hex =
        typeof value === 'string' ? Buffer.from(value).toString('hex') : BigInt(number).toString(16);
      return verb === 'X' ? hex.toUpperCase() : hex;
    }
    default:
      throw new Error(`unrecognized formatting clause "${verb}"`);
  }
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${formatValue(key)}: ${formatValue(item)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  if (value instanceof Date) return formatTimestamp(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'number' ? goNumber(value) : String(value);
}
