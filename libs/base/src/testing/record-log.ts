import type { Logger } from '../logger.js';

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  [field: string]: unknown;
}

/** Returns a logger that keeps its lines. */
export function recordLog(lines: LogLine[] = [], bindings: object = {}): Logger & { lines: LogLine[] } {
  const at = (level: LogLine['level']) => (fields: object, message: string) =>
    void lines.push({ ...bindings, ...fields, level, message });
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => recordLog(lines, { ...bindings, ...fields }),
  };
}
