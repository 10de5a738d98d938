const docComment = /\/\*\*([^*]*\*+(?:[^/*][^*]*\*+)*)\//g;

/**
 * Returns the lines of doc comments that state with `@returns` what a function returns and have no summary. A summary
 * sentence comes first: "Returns the key of …".
 */
export function commentsWithoutSummary(text: string): number[] {
  return [...text.matchAll(docComment)]
    .filter(([, content = '']) => {
      const lines = content.split('\n').map((line) => line.replace(/^\s*\*?\s*/, '').trim());
      const first = lines.find((line) => line !== '' && line !== '*') ?? '';
      return first.startsWith('@') && lines.some((line) => /(^|\s)@returns\b/.test(line));
    })
    .map(({ index }) => lineAt(text, index));
}

/** Returns the number of the line at an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
