import { lineAt } from './doc-comments.js';

/** A citation that a reader of the repository cannot follow. */
interface CitationProblem {
  line: number;
  found: string;
}

/** Citations of documents that are not part of the repository. A section of an RFC can be followed. */
const citations: readonly RegExp[] = [
  /\b(?:seed|research|spec)\s+(?:[a-z]+\s+)?§?\s*\d+(?:\.\d+)+/gi,
  /(?<=\s)\((?:seed|research)(?=[,)])/gi,
  /(?<!\bRFC \d{3,5},? )§ ?\d[\d.]*/g,
  /\bshared\/(?:research|review|seed|spec)\b/g,
];

/** Returns the citations of documents that are not part of the repository. */
export function citationProblems(text: string): CitationProblem[] {
  return citations
    .flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ line: lineAt(text, index), found })),
    )
    .sort((a, b) => a.line - b.line);
}
