/** What is read of a line of the log. */
interface LogLine {
  msg?: string;
  error?: { message?: string };
}

/** Returns the error of a line of the log of an app, else its message, else the line. */
export function messageOfLine(line: string): string {
  try {
    const { msg, error } = JSON.parse(line) as LogLine;
    return error?.message ?? msg ?? line;
  } catch {
    return line;
  }
}
