import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findDocuments, withoutDocument } from './documents.js';
import { findObject } from './objects.js';
import { parseYaml } from './source.js';

const without = (text: string, name: string): string | undefined => {
  const source = parseYaml('a', text);
  return withoutDocument(source, findObject('a', source, { name })!);
};
const named = (name: string) => `kind: A\nmetadata: {name: ${name}} # ${name}\n`;

describe('withoutDocument', () => {
  it.each<[string, string, string | undefined]>([
    [named('x'), 'x', undefined],
    [`# head\n${named('x')}---\n# nothing\n`, 'x', undefined],
    [`${named('x')}---\n${named('y')}`, 'x', `---\n${named('y')}`],
    [`# head\n${named('x')}---\n${named('y')}`, 'x', `# head\n---\n${named('y')}`],
    [`# head\n---\n${named('x')}---\n${named('y')}`, 'x', `# head\n---\n${named('y')}`],
    [`---\n${named('x')}...\n---\n${named('y')}`, 'y', `---\n${named('x')}...\n`],
    [`\uFEFF${named('x')}---\r\n${named('y')}`, 'y', `\uFEFF${named('x')}`],
    [`\uFEFF${named('x')}---\r\n${named('y')}`, 'x', `\uFEFF---\r\n${named('y')}`],
  ])('removes from %j the document that is named %s', (text, name, expected) => {
    expect(without(text, name)).toBe(expected);
  });

  it('does not change the other documents', () => {
    const part = fc.constantFrom('', '# c\n', '\n');
    const document = fc.tuple(part, part).map(
      ([before, after]) =>
        (name: string) =>
          before + named(name) + after,
    );
    const eol = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 2, maxLength: 5 }),
        fc.nat(),
        fc.boolean(),
        eol,
        (all, pick, marked, lineBreak) => {
          const bodies = all.map((write, index) => write(`n${index}`));
          const text = ((marked ? '---\n' : '') + bodies.join('---\n')).replaceAll('\n', lineBreak);
          const removed = pick % all.length;
          const rest = without(text, `n${removed}`) ?? '';
          const names = findDocuments('a', parseYaml('a', rest)).map(({ value }) => JSON.stringify(value));
          const kept = bodies.flatMap((body, index) => (index === removed ? [] : [body]));
          expect(names).toHaveLength(kept.length);
          for (const body of kept) expect(rest).toContain(body.trim().replaceAll('\n', lineBreak));
          expect(rest).not.toContain(`name: n${removed}}`);
        },
      ),
    );
  });
});
