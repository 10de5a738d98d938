/** A request to the launcher: one line of JSON on its standard input. */
export type LauncherRequest = StartRequest | ReleaseRequest;

export interface StartRequest {
  type: 'start';
  /** A UUID. */
  id: string;
  program: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  folder: string;
  /** Which of standard input, output and error are sockets; the others are `/dev/null`. */
  piped: readonly [boolean, boolean, boolean];
}

/** The process group of a process that has exited will receive no further signals. */
interface ReleaseRequest {
  type: 'release';
  id: string;
}

/** A report of the launcher: one line of JSON on its standard output. */
export type LauncherReport = StartedReport | FailedReport | ExitedReport;

interface StartedReport {
  type: 'started';
  id: string;
  pid: number;
}

export interface FailedReport {
  type: 'failed';
  id: string;
  /** An error code of the system, such as `ENOENT`. */
  code: string | undefined;
  message: string;
  hasFolder: boolean;
}

interface ExitedReport {
  type: 'exited';
  id: string;
  code: number | null;
  signal: NodeJS.Signals | null;
}
