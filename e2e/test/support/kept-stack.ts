import { join } from 'node:path';
import { startForge } from '@interlock/forge';
import { LocalRepository } from '@interlock/stack';
import { ForgeApi, type PullRequestView } from './forge-api.js';
import { run } from './program.js';

/** The forge of a stack that ran with `--keep`. */
interface KeptStack {
  /** A copy of the repository. */
  local: LocalRepository;
  /** Pull requests in the order of creation. */
  pullRequests: PullRequestView[];
}

/**
 * Opens the forge of a stack that has ended, and copies the repository.
 *
 * @param stdout output of the stack
 * @param folder the folder for the copy
 * @throws Error if nothing was kept
 */
export async function openKeptStack(stdout: string, folder: string): Promise<KeptStack> {
  const kept = /^Kept: (.*)$/m.exec(stdout)?.[1];
  if (kept === undefined) throw new Error(stdout);
  const forge = await startForge({ dataDir: join(kept, 'forge') });
  try {
    const user = await forge.createUser({ login: 'stranger' });
    const at = { owner: 'acme', name: 'deployments' };
    await forge.grant({ ...at, login: user.login, role: 'read' });
    const pullRequests = await new ForgeApi(forge.apiUrl, user.token).pullRequests('acme/deployments');
    const clone = join(folder, 'result.git');
    const url = `${forge.url.replace('//', `//${user.login}:${user.token}@`)}/acme/deployments.git`;
    const cloned = await run('git', ['clone', '--quiet', '--mirror', url, clone]);
    if (cloned.code !== 0) throw new Error(cloned.stderr);
    return { local: new LocalRepository(clone), pullRequests };
  } finally {
    await forge.close();
  }
}
