import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevCluster } from '@interlock/devcluster';
import type { AppHandle, ForgeOptions, UserHandle } from '@interlock/forge';
import {
  createProcessFleet,
  ensureNamespace,
  startPlatform,
  type ProcessFleet,
  type ProcessFleetOptions,
  type Platform,
  type ScmName,
} from '@interlock/stack';
import { ForgeApi } from './forge-api.js';
import { giteaView, githubView, gitlabView, type ForgeView } from './forge-view.js';
import { openTestCluster } from './test-cluster.js';

export interface FixtureOptions {
  fleet?: Pick<ProcessFleetOptions, 'env' | 'args' | 'forgeUrl'>;
  forge?: ForgeOptions;
  /** The SCM that the forge simulates for the apps. Default: GitHub. */
  scm?: ScmName;
}

/**
 * A cluster, a forge in this process, and the bundles of the apps as processes with the permissions of their charts.
 */
export interface Fixture {
  readonly platform: Platform;
  readonly scm: ScmName;
  readonly fleet: ProcessFleet;
  /** The GitHub App of the apps. */
  readonly app: AppHandle;
  readonly user: UserHandle;
  /** A user of the forge through GitHub's API. */
  readonly forgeApi: ForgeApi;
  /** A user of the forge through the API of its SCM. */
  readonly view: ForgeView;
  readonly folder: string;
  /** Creates further processes, such as a second replica of each app. Does not start them. */
  addFleet(name: string): Promise<ProcessFleet>;
  close(): Promise<void>;
}

/**
 * One replica without leader election, so that a killed process leaves no lease for which the next process has to
 * wait.
 */
export const alone: Partial<ProcessFleetOptions> = {
  args: {
    promoter: ['--leader-elect=false'],
    'commit-status-sync': ['--leader-elect=false'],
    'gate-controller': ['--leader-elect=false'],
    'gitops-responder': ['--leader-elect=false'],
  },
};

function viewOf(scm: ScmName, github: ForgeApi, gitlab: ForgeApi): ForgeView {
  if (scm === 'gitlab') return gitlabView(gitlab);
  return scm === 'github' ? githubView(github) : giteaView(github);
}

/** Returns the embedded cluster. @throws Error for another cluster; such a test has to use `needsEmbedded` */
export function embeddedOf({ platform: { cluster } }: Fixture): DevCluster {
  if (cluster.embedded === undefined) throw new Error('the cluster is not embedded');
  return cluster.embedded;
}

/** Starts everything but the apps. */
export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-'));
  const fleets: ProcessFleet[] = [];
  const platform = await startPlatform(options.forge, openTestCluster);
  const close = async (): Promise<void> => {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    await platform.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return await equip(options, { platform, folder, fleets, close });
  } catch (error) {
    await close();
    throw error;
  }
}

/** The parts of a fixture. */
interface Parts extends Pick<Fixture, 'platform' | 'folder' | 'close'> {
  fleets: ProcessFleet[];
}

async function equip(options: FixtureOptions, { fleets, ...parts }: Parts): Promise<Fixture> {
  const { scm = 'github' } = options;
  const { platform, folder } = parts;
  const { forge, client, admin, cluster } = platform;
  const { namespaces } = cluster;
  await ensureNamespace(client, namespaces.system);
  const app = await forge.createApp({ owner: 'interlock', name: 'interlock' });
  const user = await forge.createUser({ login: 'ada' });
  const addFleet = async (name: string): Promise<ProcessFleet> => {
    const home = join(folder, name);
    await mkdir(home, { recursive: true });
    const fleet = await createProcessFleet({
      client,
      admin,
      namespaces,
      folder: home,
      forgeUrl: forge.url,
      ...options.fleet,
    });
    fleets.push(fleet);
    return fleet;
  };
  const forgeApi = new ForgeApi(forge.apiUrl, user.token);
  return {
    ...parts,
    scm,
    fleet: await addFleet('fleet'),
    app,
    user,
    forgeApi,
    view: viewOf(scm, forgeApi, new ForgeApi(`${forge.url}/api/v4`, user.token)),
    addFleet,
  };
}
