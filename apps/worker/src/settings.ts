import { maxWorkerGraceSeconds, workerDefaults, workerEnv } from '@interlock/api/worker-contract';
import { Misconfigured } from './misconfigured.js';

/** The validated settings from the environment of the container. */
export interface WorkerSettings {
  payloadFolder: string;
  runnerHome: string;
  runnerName: string;
  /** Decimal. */
  runnerId: string;
  gitHubUrl: URL | undefined;
  shutdownGraceMs: number;
  /** PEM files of further authorities. */
  caFiles: readonly string[];
}

const maxNameLength = 255;

/**
 * Returns the settings of the container.
 *
 * @throws Misconfigured that names the variable
 */
export function readWorkerSettings(env: NodeJS.ProcessEnv): WorkerSettings {
  const { proxyCaCert, gitHubCaCert, runnerHome, payloadFolder } = workerEnv;
  const caFiles = [env[proxyCaCert], env[gitHubCaCert]];
  return {
    payloadFolder: env[payloadFolder] || workerDefaults.payloadFolder,
    runnerHome: env[runnerHome] || workerDefaults.runnerHome,
    runnerName: runnerName(env),
    runnerId: runnerId(env),
    gitHubUrl: gitHubUrl(env),
    shutdownGraceMs: shutdownGrace(env),
    caFiles: caFiles.flatMap((file) => file || []),
  };
}

/** Returns the path of the termination message, which is written before the other settings are checked. */
export function terminationMessagePath(env: NodeJS.ProcessEnv): string {
  return env[workerEnv.terminationMessage] || workerDefaults.terminationMessage;
}

/** Returns the environment without the variables that are for this program. */
export function runnerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = new Set<string>(Object.values(workerEnv));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.has(name)));
}

function runnerName(env: NodeJS.ProcessEnv): string {
  const name = env[workerEnv.runnerName] ?? '';
  if (name !== '' && name.length <= maxNameLength) return name;
  throw new Misconfigured(
    `${workerEnv.runnerName} has ${name.length} characters; set it to the name of the registered runner`,
  );
}

function runnerId(env: NodeJS.ProcessEnv): string {
  const id = env[workerEnv.runnerId] || '0';
  if (/^\d{1,20}$/.test(id)) return id;
  throw new Misconfigured(`${workerEnv.runnerId} is not a decimal number; set it to the id of the runner`);
}

function gitHubUrl(env: NodeJS.ProcessEnv): URL | undefined {
  const text = env[workerEnv.gitHubUrl] ?? '';
  if (text === '') return undefined;
  if (URL.canParse(text)) return new URL(text);
  throw new Misconfigured(
    `${workerEnv.gitHubUrl} is not a URL; set it to one such as https://github.com/acme`,
  );
}

/** Hours, minutes and seconds of a Go duration. */
function shutdownGrace(env: NodeJS.ProcessEnv): number {
  const text = env[workerEnv.shutdownGrace] || workerDefaults.shutdownGrace;
  const parts = /^(?:(\d{1,2})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?$/.exec(text);
  const [hours, minutes, seconds] = (parts ?? []).slice(1).map((digits) => Number(digits ?? 0));
  const ms = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  if (ms <= maxWorkerGraceSeconds * 1000) return ms;
  throw new Misconfigured(
    `${workerEnv.shutdownGrace} is not a duration from 0s to 1h; set it to one such as 25s`,
  );
}
