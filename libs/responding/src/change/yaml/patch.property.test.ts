import { isTyped } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyOperation, valueAt } from '../json.js';
import type { Json, PatchOperation } from '../operation.js';
import { patchDocument } from './patch.js';
import { parseYaml, valueOf } from './source.js';
import { chunks, pointersInto } from './testing/random-yaml.js';

const newValue = fc.oneof(
  fc.constantFrom<Json>('new', 'yes', 'a\nb\n', '', 7, null, true),
  fc.json({ maxDepth: 2, depthSize: 'small' }).map((text) => JSON.parse(text) as Json),
);
const lineBreak = fc.constantFrom('\n', '\r\n');
const lead = fc.constantFrom('', '---\n', '# head\n---\n', '\uFEFF');
const tail = fc.constantFrom('', '---\nother: 1 # kept\n', '...\n');

interface Case {
  text: string;
  /** The text around the edited entry. */
  before: string;
  after: string;
  operation: PatchOperation;
}

/** Members of that name are refused, see patch.test.ts. */
const isPlain = ({ text, operation }: Case): boolean =>
  !`${text}${JSON.stringify(operation)}`.includes('__proto__');

const cases: fc.Arbitrary<Case> = fc
  .record({
    parts: chunks,
    eol: lineBreak,
    head: lead,
    end: tail,
    pick: fc.nat(),
    inner: fc.nat(),
    value: newValue,
    op: fc.constantFrom('replace', 'remove', 'append', 'insert', 'key'),
  })
  .map(({ parts, eol, head, end, pick, inner, value, op }) => {
    const index = pick % parts.length;
    const withEol = (text: string) => text.replaceAll('\n', eol);
    const text = withEol(head + parts.map((part) => part.text).join('') + end);
    const pointers = pointersInto(valueAt(read(text), `/${parts[index]!.key}`)!);
    const suited = pointers.filter((at) => suits(op, at.value));
    const at = suited[inner % Math.max(1, suited.length)] ?? pointers[0]!;
    const path = `/${parts[index]!.key}${at.path}`;
    return {
      text,
      before: withEol(
        head +
          parts
            .slice(0, index)
            .map((part) => part.text)
            .join(''),
      ),
      after: withEol(
        parts
          .slice(index + 1)
          .map((part) => part.text)
          .join('') + end,
      ),
      operation: operationOf(suits(op, at.value) ? op : 'replace', path, value),
    };
  })
  .filter(isPlain);

function suits(op: string, value: Json): boolean {
  if (op === 'append' || op === 'insert') return Array.isArray(value);
  return op !== 'key' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function operationOf(op: string, path: string, value: Json): PatchOperation {
  if (op === 'remove') return { op: 'remove', path };
  if (op === 'append') return { op: 'add', path: `${path}/-`, value };
  if (op === 'insert') return { op: 'add', path: `${path}/0`, value };
  if (op === 'key') return { op: 'add', path: `${path}/added`, value };
  return { op: 'replace', path, value };
}

const read = (text: string): Json => valueOf('a.yaml', parseYaml('a.yaml', text).documents[0]!);

/** Returns the edited text; undefined if the edit is refused, which is permitted near anchors. */
function editedOrRefused(text: string, operation: PatchOperation): string | undefined {
  try {
    return patchDocument('a.yaml', text, 0, [operation]);
  } catch (error) {
    if (isTyped(error, 'Invalid') && error.reason === 'EditNotPossible' && text.includes(': &'))
      return undefined;
    throw error;
  }
}

const aliasesIn = (text: string): number => text.match(/^ref\d+: \*/gm)?.length ?? 0;

describe('patchDocument, for random files', () => {
  it('applies the patch, and keeps every byte outside the entry', () => {
    fc.assert(
      fc.property(cases, ({ text, before, after, operation }) => {
        const value = read(text);
        const edited = editedOrRefused(text, operation);
        if (edited === text || edited === undefined) return;
        expect(read(edited)).toEqual(applyOperation(value, operation));
        /* Aliases of the edited value are copies now, wherever they are. */
        if (aliasesIn(edited) < aliasesIn(text)) return;
        expect(edited.startsWith(before)).toBe(true);
        /* Blank lines after block text with `+` are a part of it. */
        expect(edited.endsWith(text.includes('|+') ? after.trimStart() : after)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('keeps the bytes when nothing is changed', () => {
    fc.assert(
      fc.property(cases, ({ text }) => {
        const same: PatchOperation[] = pointersInto(read(text)).map((at) => ({
          op: 'replace',
          ...at,
        }));
        expect(patchDocument('a.yaml', text, 0, same)).toBe(text);
      }),
    );
  });
});
