/** A line of output. The text is Latin-1, so that every byte is preserved. */
export interface LogLine {
  /** RFC 3339 with nanoseconds. */
  time: string;
  stream: 'stdout' | 'stderr';
  /** Whether the line continues in the next entry of its stream. */
  isPartial: boolean;
  text: string;
}

export interface LogFollower {
  onLine: (line: LogLine) => void;
  /** Called when the container has ended and all of its lines were reported. */
  onEnd: () => void;
}

/** The output of one run of a container. */
export interface ContainerLog {
  /** Whether the output is complete. */
  readonly isEnded: boolean;
  /** Returns the kept lines, oldest first. */
  lines(): LogLine[];
  /** Reports each further line to the follower. Returns a function that stops the reports. */
  follow(follower: LogFollower): () => void;
}

/** The kubelet of a node, as the API server uses it. */
export interface NodeAgent {
  /** Returns the log of a run of a container by its id; undefined when it is not kept. */
  log(containerId: string): ContainerLog | undefined;
  /** Sends SIGKILL to a running container. Returns whether the container ran. */
  kill(podUid: string, container: string): boolean;
}
