import { lineAt } from './doc-comments.js';

/** A word to avoid, and its replacement. */
interface Word {
  /** Matches the words of a text in lower case. The words of a name in camelCase are separate words. */
  pattern: RegExp;
  instead: string;
}

/** A use of such a word. */
interface WordProblem {
  line: number;
  found: string;
  instead: string;
}

const comparisons = 'longer|more|less|later|earlier|older|newer|larger|smaller|different';

/** Words to avoid, because they are unclear or unusual in technical English. */
const words: readonly Word[] = [
  { pattern: /\bmend(?:s|ed|ing)?\b/g, instead: 'fix, repair, recover' },
  { pattern: /\b(?:tells?|told|teller)\b/g, instead: 'report, record, log, state, distinguish' },
  { pattern: /\bwhoever\b/g, instead: 'any user who, any client that' },
  { pattern: /\bwish(?:es|ed)?\b/g, instead: 'request, desired, require' },
  { pattern: /\bpatience\b/g, instead: 'timeout' },
  { pattern: /\b(?:somebody|everybody|anybody)\b/g, instead: 'a user, every client, any process' },
  { pattern: /\b(?:story|stories|played)\b/g, instead: 'demo, scenario' },
  { pattern: /\bworlds?\b/g, instead: 'fixture, environment, harness' },
  { pattern: /\b(?:looks|looked)\b(?!\s+(?:up|like)\b)/g, instead: 'read, check, poll, observe' },
  {
    pattern: new RegExp(`(?<!\\bthere\\s+)\\bis\\s+no\\b(?!\\s+(?:${comparisons})\\b)`, 'g'),
    instead: 'is not a',
  },
];

/** Returns the uses of words to avoid in a text. */
export function wordProblems(text: string): WordProblem[] {
  const plain = spaced(text);
  const lower = plain.toLowerCase();
  return words
    .flatMap(({ pattern, instead }) =>
      [...lower.matchAll(pattern)].map(({ index, 0: found }) => ({
        line: lineAt(plain, index),
        found,
        instead,
      })),
    )
    .sort((a, b) => a.line - b.line);
}

/**
 * Returns a text with a space between the words of each name, and without comment markers. It has the same number of
 * lines.
 */
function spaced(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/\bhello,? world\b/gi, '')
    .replace(/\n[ \t]*(?:\*|\/\/|#)[ \t]+/g, '\n')
    .replace(/[ \t]+/g, ' ');
}
