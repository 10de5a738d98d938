import type { Clock, Logger } from '@interlock/base';
import type { LineWriter } from './line-writer.js';

/** The log levels, with the names that the other programs of the fleet use. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type LogLevel = (typeof logLevels)[number];

interface JsonLoggerOptions {
  writer: LineWriter;
  clock: Clock;
  level: LogLevel;
  /** Fields of every line. */
  fields: Readonly<Record<string, unknown>>;
}

/** Returns a logger whose lines have the format of the other programs: `level`, `ts`, the fields and `msg`, as one JSON object. */
export function jsonLogger(options: JsonLoggerOptions): Logger {
  const { writer, clock, level, fields } = options;
  const least = logLevels.indexOf(level);
  const at =
    (name: LogLevel) =>
    (more: object, msg: string): void => {
      if (logLevels.indexOf(name) < least) return;
      const line = { level: name, ts: new Date(clock.now()).toISOString(), ...fields, ...more, msg };
      writer.write(JSON.stringify('error' in more ? { ...line, error: textOf(more.error) } : line));
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (more) => jsonLogger({ ...options, fields: { ...fields, ...more } }),
  };
}

function textOf(error: unknown): unknown {
  return error instanceof Error ? { type: error.name, message: error.message } : error;
}
