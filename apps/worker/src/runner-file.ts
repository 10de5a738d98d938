import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, Misconfigured } from './misconfigured.js';
import type { WorkerSettings } from './settings.js';

const workFolder = '_work';

/**
 * Returns the text of `.runner`, the settings that the runner does not start without. Values are text, as in the settings that
 * GitHub issues for just-in-time runners. Without a URL the runner takes its server for one that GitHub hosts.
 */
export function runnerFile({ runnerName, runnerId, gitHubUrl }: WorkerSettings): string {
  return JSON.stringify({
    agentId: runnerId,
    agentName: runnerName,
    workFolder,
    disableUpdate: 'True',
    ephemeral: 'True',
    ...(gitHubUrl !== undefined && {
      gitHubUrl: gitHubUrl.href,
      isHostedServer: isHosted(gitHubUrl) ? 'True' : 'False',
    }),
  });
}

/** Returns whether GitHub hosts the server; any other server is a GitHub Enterprise Server. */
function isHosted({ hostname }: URL): boolean {
  return hostname === 'github.com' || hostname === 'www.github.com' || hostname.endsWith('.ghe.com');
}

/**
 * Writes `.runner`, readable by its owner only. An earlier file is replaced atomically.
 *
 * @throws Misconfigured when the root folder of the runner is missing or not writable
 */
export function writeRunnerFile(settings: WorkerSettings): void {
  const path = join(settings.runnerHome, '.runner');
  const unfinished = `${path}.${process.pid}`;
  try {
    rmSync(unfinished, { force: true });
    writeFileSync(unfinished, runnerFile(settings), { mode: 0o600, flag: 'wx' });
    renameSync(unfinished, path);
  } catch (error) {
    throw new Misconfigured(
      `cannot write ${path} (${errorCode(error)}); use an image with the GitHub Actions runner in ${settings.runnerHome}, in which the user of the image may write files`,
    );
  }
}
