/*
 * What a worker pod and its controller agree on. It imports nothing, so that the program in the pod, which is one small file,
 * can import it alone.
 */

/** File name of the program in its ConfigMap and in its folder. */
export const workerProgramFile = 'worker.mjs';

/**
 * Folder of the container at which the ConfigMap with the program is mounted.
 *
 * The program comes from an immutable ConfigMap and not from an init container with a separate image. No second image has to be
 * built, scanned, mirrored and pulled for a job, no container starts before the container of the job, and only the API server,
 * whose ConfigMap the controller wrote, must be trusted. The name is derived from the content, so that pods of an old and of a
 * new controller each mount their version of the program.
 */
export const workerProgramFolder = '/opt/interlock/worker';

/** Maximum size of the program in bytes, far below the 1 MiB of a ConfigMap. */
export const maxWorkerProgramBytes = 64 * 1024;

/**
 * Returns the name of the ConfigMap that holds a program.
 *
 * @param sha256 hexadecimal SHA-256 digest of the program
 */
export function workerConfigMapName(sha256: string): string {
  return `interlock-worker-${sha256.slice(0, 10)}`;
}

/** Name of the container that runs the job. */
export const runnerContainer = 'runner';

/** Environment variables of the program. Variables that are not set have the default in {@link workerDefaults}, if there is one. */
export const workerEnv = {
  /** Folder with the payload of the job. */
  payloadFolder: 'PAYLOAD_SECRET_PATH',
  /** Root folder of the runner. The controller sets it unless the pod template does: {@link workerCommand} reads it. */
  runnerHome: 'RUNNER_HOME_DIR',
  /** Name of the registered runner that took the job; required. */
  runnerName: 'RUNNER_NAME',
  /** Decimal id of that runner; without it the runner reports 0. */
  runnerId: 'RUNNER_AGENT_ID',
  /** URL of the organization, repository or enterprise, such as `https://github.com/acme`; decides whether GitHub hosts the server. */
  gitHubUrl: 'RUNNER_GITHUB_URL',
  /** Time between a signal and the SIGTERM that ends the runner, as a Go duration such as `25s`. */
  shutdownGrace: 'WORKER_SHUTDOWN_GRACE',
  /** PEM file with the authority of the egress proxy. */
  proxyCaCert: 'PROXY_CA_CERT_PATH',
  /** PEM file with the authority of a GitHub Enterprise Server. */
  gitHubCaCert: 'GITHUB_CA_CERT_PATH',
  /** The container's `terminationMessagePath`. */
  terminationMessage: 'TERMINATION_MESSAGE_PATH',
} as const;

/** The defaults of the variables of {@link workerEnv} that are not set. */
export const workerDefaults = {
  payloadFolder: '/run/secrets/job-payload',
  runnerHome: '/home/runner',
  shutdownGrace: '25s',
  terminationMessage: '/dev/termination-log',
} as const;

/**
 * Variables of the runner that only the controller sets, in upper case: programs read both cases. Neither a pod template nor the
 * image of the runner can set them.
 */
export const reservedRunnerVariables: ReadonlySet<string> = new Set([
  'ACTIONS_RUNTIME_TOKEN',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
]);

/** Seconds from the runner's SIGTERM, at the end of the grace period, to its SIGKILL. */
export const workerKillSeconds = 5;

/** Seconds from the runner's SIGKILL to the end of the program. */
const reportSeconds = 5;

/** When GitHub ends a cancelled job, unless `cancel-timeout-minutes` of the job states another time; in milliseconds. */
const usualCancelTimeoutMs = 300_000;

/** Maximum of `WORKER_SHUTDOWN_GRACE` in seconds. */
export const maxWorkerGraceSeconds = 3600;

/**
 * Returns the least `terminationGracePeriodSeconds` of a pod whose program has a grace period: its runner then ends before the
 * kubelet kills the container, and the termination message is written.
 *
 * @param graceSeconds value of `WORKER_SHUTDOWN_GRACE`
 */
export function workerPodGraceSeconds(graceSeconds: number): number {
  return graceSeconds + workerKillSeconds + reportSeconds;
}

/** Returns the longest `WORKER_SHUTDOWN_GRACE`, in seconds, of a pod with this `terminationGracePeriodSeconds`. */
export function workerGraceSeconds(podGraceSeconds: number): number {
  return Math.min(maxWorkerGraceSeconds, podGraceSeconds - workerKillSeconds - reportSeconds);
}

/**
 * Returns the seconds that the runner of a cancelled job has for the steps that run after a cancellation. GitHub's own listener ends
 * the runner 15 seconds before the service ends the job, but not within 45 seconds (`JobDispatcher.cs`). A pod has at most an hour.
 *
 * @param timeoutMs after how many milliseconds the service ends the job, as the cancellation states
 */
export function cancellationGraceSeconds(timeoutMs = usualCancelTimeoutMs): number {
  const seconds = Math.max(60, Math.floor(timeoutMs / 1000)) - 15;
  return Math.min(seconds, workerPodGraceSeconds(maxWorkerGraceSeconds));
}

/** Key of the Secret for a payload that fits into one. */
export const payloadKey = 'payload';

/**
 * Maximum size of a chunk in bytes. A Secret holds at most 1 MiB in all of its keys: a longer payload is cut into
 * chunks, each in a Secret of its own, which a projected volume puts into one folder. Chunks are cut anywhere, even
 * inside a character.
 */
export const payloadChunkBytes = 768 * 1024;

/** Maximum number of chunks of a payload. */
export const maxPayloadChunks = 100;

/** Returns the file name, and the key of the Secret, of a chunk of the payload, counted from 0. */
export function payloadChunkKey(index: number): string {
  return `${payloadKey}.${String(index).padStart(3, '0')}`;
}

/** Maximum size of the text of a job in bytes of UTF-16, which the runner enforces: 25 million characters of the Basic Multilingual Plane. */
export const maxJobTextBytes = 50_000_000;

/*
 * The image has Node.js for JavaScript actions, as externals/node20, node24 or both; the builds for Alpine do not start in it.
 * The path is a variable, which a cluster without mount namespaces can rewrite. The shell remains the first process of the
 * container: it reaps what a job leaves, which Node.js does not, and which otherwise counts towards the limit of processes.
 */
const startScript = [
  `for node in "$${workerEnv.runnerHome}"/externals/node[2-9][0-9]/bin/node; do`,
  '[ -x "$node" ] || continue;',
  `trap 'again=1; kill -TERM "$pid"' TERM; trap 'again=1; kill -INT "$pid"' INT;`,
  `"$node" ${workerProgramFolder}/${workerProgramFile} & pid=$!;`,
  /* A signal ends a wait early. */
  'again=1; while [ "$again" ]; do again=; wait "$pid"; code=$?; done;',
  'exit "$code";',
  'done;',
  `echo "interlock-worker: no executable $${workerEnv.runnerHome}/externals/node*/bin/node;`,
  `use an image with the GitHub Actions runner, or set ${workerEnv.runnerHome}" >&2;`,
  'exit 78',
].join(' ');

/** The `command` of the container: the first Node.js in the runner's image runs the program. */
export const workerCommand: readonly string[] = ['/bin/sh', '-c', startScript];

/** Exit codes of the program. A signal that ends the runner gives 128 + its number; other codes of a crash pass through. */
export const workerExitCodes = {
  /** The job has succeeded, with issues or without. */
  succeeded: 0,
  /** The runner has ended without a result, or could not be started or contacted. */
  crashed: 1,
  /** A file, a variable or the payload is missing or malformed; the job has not started. */
  misconfigured: 78,
  failed: 102,
  canceled: 103,
  skipped: 104,
  abandoned: 105,
} as const;
