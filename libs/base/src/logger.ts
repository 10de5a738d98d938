/** The part of a pino logger that libraries use. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /**
   * Returns a logger whose lines also have `fields`.
   *
   * @param options level of the child; defaults to the level of this logger
   */
  child(fields: object, options?: { level?: string }): Logger;
}

const discard = (): void => undefined;

/** A logger that discards all lines. */
export const silentLog: Logger = {
  debug: discard,
  info: discard,
  warn: discard,
  error: discard,
  child: () => silentLog,
};
