const wideDot = '\uff0e';
const wideMark = '\uff3e';

/** An error of an expression that is known before it runs. */
export interface ExpressionProblem {
  readonly message: string;
  /** The offset in the source. */
  readonly at: number;
}

/**
 * Returns the text that cel-go prints for the errors of an expression: in the order of their positions, each with its
 * line and a mark.
 */
export function describeProblems(problems: readonly ExpressionProblem[], source: string): string {
  return problems
    .map(({ message, at }) => ({ message, ...placeOf(source, at) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ message, line, column, text }) => {
      const characters = [...text];
      const dots = characters.slice(0, column).map((character) => (isWide(character) ? wideDot : '.'));
      const mark = isWide(characters[column] ?? '') ? wideMark : '^';
      return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${dots.join('')}${mark}`;
    })
    .join('\n');
}

function placeOf(source: string, at: number): { line: number; column: number; text: string } {
  const before = source.slice(0, at).split('\n');
  const text = source.split('\n')[before.length - 1] ?? '';
  return {
    line: before.length,
    column: [...(before.at(-1) ?? '')].length,
    text: text.replaceAll('\t', ' '),
  };
}

function isWide(character: string): boolean {
  return Buffer.byteLength(character) > 1;
}
