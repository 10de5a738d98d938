/** The fields of a log line that are read. */
interface LogLine {
  msg?: string;
  error?: { message?: string };
}

/** Returns the error of a log line of an app, or its message if it has no error, or the line if it has neither. */
export function messageOfLine(line: string): string {
  try {
    const { msg, error } = JSON.parse(line) as LogLine;
    return error?.message ?? msg ?? line;
  } catch {
    return line;
  }
}
