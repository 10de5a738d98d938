import fc from 'fast-check';
import type { Json } from '../../operation.js';

/** A value in one of the ways to write it: on the line of its key, or on lines below. */
interface Written {
  /** After `key:` or `-`, without the space; lines after the first are for column 0. */
  inline?: string;
  /** Lines for column 0. */
  block?: string[];
}

/** One entry of a root map: its lines, with the comments above it. */
interface Chunk {
  key: string;
  text: string;
}

const words = fc.constantFrom(
  'a',
  'name',
  'app.kubernetes.io/name',
  'image',
  'x y',
  'true',
  '012',
  'ü',
  '#no',
  '- no',
  'a: b',
  '',
);
const scalar: fc.Arbitrary<Written> = fc.oneof(
  words.map((value) => ({ inline: JSON.stringify(value) })),
  words.map((value) => ({ inline: `'${value}'` })),
  fc.integer({ min: 0, max: 99 }).map((value) => ({ inline: String(value) })),
  fc.constantFrom('plain', 'plain text', 'http://x/y#z', 'v1.2').map((inline) => ({ inline })),
  fc.boolean().map((value) => ({ inline: String(value) })),
  fc.constant({ inline: '' }),
  fc.constantFrom('|', '|-', '|+', '>').map((header) => ({ inline: `${header}\n  one\n` })),
  fc.constant({ inline: '"two\n  lines"' }),
);

const comment = fc.constantFrom('', '', '', ' # note', '  #');
const above = fc.constantFrom<string[]>([], [], ['# above'], ['', '# after a blank'], ['']);

function written(depth: number): fc.Arbitrary<Written> {
  if (depth === 0) return scalar;
  const inner = written(depth - 1);
  const map = fc
    .uniqueArray(fc.tuple(fc.constantFrom('k', 'l', 'm/n', 'o-p'), inner, comment, above), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 3,
    })
    .map((entries) => ({
      block: entries.flatMap(([key, entry, note, before]) => [
        ...before,
        ...entryLines(`${key}:`, entry, note),
      ]),
    }));
  const list = fc.array(fc.tuple(inner, comment), { minLength: 1, maxLength: 3 }).map((items) => ({
    block: items.flatMap(([item, note]) => entryLines('-', item, note)),
  }));
  const flow = fc.json({ maxDepth: 2, depthSize: 'small' }).map((text) => ({ inline: text }));
  return fc.oneof(scalar, map, list, flow);
}

function entryLines(lead: string, { inline, block = [] }: Written, note: string): string[] {
  if (inline === undefined)
    return [`${lead}${note}`, ...block.map((line) => (line === '' ? '' : `  ${line}`))];
  const [first = '', ...rest] = inline.split('\n');
  const begin = first === '' ? lead : `${lead} ${first}`;
  return rest.length === 0 ? [`${begin}${note}`] : [begin, ...rest];
}

/**
 * Entries of a root map, of random styles; all keys differ. Some have an anchor, and another entry refers to
 * it.
 */
export const chunks: fc.Arbitrary<Chunk[]> = fc
  .array(fc.tuple(written(3), comment, above, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 5 })
  .map((entries) =>
    entries.flatMap(([entry, note, before, anchor], index) => {
      const key = `key${index}`;
      const lead = anchor === 0 ? `${key}: &${key}` : anchor === 1 ? `${key}: !!${tagOf(entry)}` : `${key}:`;
      const chunk = { key, text: linesText([...before, ...entryLines(lead, entry, note)]) };
      const alias = { key: `ref${index}`, text: `ref${index}: *${key}\n` };
      return anchor === 0 ? [chunk, alias] : [chunk];
    }),
  );

function tagOf({ block }: Written): string {
  if (block === undefined) return 'str';
  return block.some((line) => line.startsWith('-')) ? 'seq' : 'map';
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Returns every JSON Pointer into a value, with what it points to. */
export function pointersInto(value: Json, at = ''): { path: string; value: Json }[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const inner = entries.flatMap(([key, member]) =>
    pointersInto(member as Json, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [{ path: at, value }, ...inner];
}
