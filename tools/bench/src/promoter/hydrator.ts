import { join } from 'node:path';
import { initBare, type LocalRepository } from '@interlock/stack';
import { begin, commitDry, dryBranch, hydrate, proposedBranchOf } from './repository.js';
import type { Promotion, Promotions } from './promotions.js';
import type { Team, Fixture } from './fixture.js';

/** A team with the local repository of its hydrator. */
export interface Hydrator extends Team {
  source: LocalRepository;
  /** Dry commits that have not been hydrated yet. */
  waiting: string[];
  env: Record<string, string>;
}

interface HydratorOptions {
  name: string;
  environments: readonly string[];
  /** Number of dry commits, each for one promotion. */
  commits: number;
}

/** Creates a team with a strategy whose environments run the first dry commit. */
export async function createHydrator(
  fixture: Fixture,
  { name, environments, commits }: HydratorOptions,
): Promise<Hydrator> {
  const { forge } = fixture.platform;
  const source = await initBare(join(fixture.folder, `${name}.git`), dryBranch);
  const [first = '', ...waiting] = await commitDry(source, commits + 1);
  await begin(source, environments, first);
  const team = await fixture.team(name, { path: source.path });
  const { login, token } = await forge.createUser({ login: `hydrator-of-${name}` });
  await forge.grant({ owner: name, name: team.repository.name, login, role: 'write' });
  await fixture.applyStrategy(team, 'app', environments);
  const credential = Buffer.from(`${login}:${token}`).toString('base64');
  const env = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credential}`,
  };
  return { ...team, source, waiting, env };
}

/**
 * Pushes the hydrated commit of the next dry commit to the proposed branch of an environment, and waits for the merge.
 */
export async function promote(
  fixture: Fixture,
  promotions: Promotions,
  { source, waiting, env, repository }: Hydrator,
  environment: string,
  signal: AbortSignal,
): Promise<Promotion> {
  const drySHA = waiting.shift();
  if (drySHA === undefined) throw new Error('no dry commit is left');
  const branch = proposedBranchOf(environment);
  await hydrate(source, environment, drySHA);
  const promotion = promotions.begin(repository.id, branch);
  await source.git(['push', '--quiet', repository.cloneUrl, branch], { env });
  await fixture.until(() => promotion.merged, signal);
  return promotion;
}
