import type { Io } from '../io.js';

/**
 * Prints progress on standard error, with the glyphs of Flux. Sentences begin in lower case and end without a full
 * stop.
 */
export interface Progress {
  action(text: string): void;
  generated(text: string): void;
  waiting(text: string): void;
  success(text: string): void;
  warning(text: string): void;
  failure(text: string): void;
}

const glyphs = {
  action: '►',
  generated: '✚',
  waiting: '◎',
  success: '✔',
  warning: '⚠️',
  failure: '✗',
} as const;

export function progressOn(io: Pick<Io, 'stderr'>): Progress {
  /* Further lines are indented, so that a text of another user cannot look like progress. */
  const line = (glyph: string) => (text: string) =>
    io.stderr(`${glyph} ${text.replace(/\n(?=.)/g, '\n  ')}\n`);
  return {
    action: line(glyphs.action),
    generated: line(glyphs.generated),
    waiting: line(glyphs.waiting),
    success: line(glyphs.success),
    warning: line(glyphs.warning),
    failure: line(glyphs.failure),
  };
}
