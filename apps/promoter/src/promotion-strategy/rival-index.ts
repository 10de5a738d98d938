import type { ObjectKey, PromotionStrategy } from '@interlock/api';
import type { Cache } from '@interlock/kube';
import { activePathOf, proposedBranchOf } from '../promotion/strategy-spec.js';
import { childNames } from './taken-names.js';

const rivalIndex = 'rival';

/**
 * Number of levels by which folders are compared: each costs an entry and a search. Strategies whose folders differ only below are
 * rivals, which the exact comparison sorts out.
 */
const comparedLevels = 8;

type StrategyCache = Pick<Cache<PromotionStrategy>, 'byIndex'>;

/** Adds the index of strategies by what they claim in their namespace. Call it before the cache runs. */
export function addRivalIndex(strategies: Pick<Cache<PromotionStrategy>, 'addIndex'>): void {
  strategies.addIndex(rivalIndex, (strategy) =>
    claimed(strategy).map((claim) => valueOf(strategy.metadata, claim)),
  );
}

/**
 * Returns the strategies that refer to one of the repositories and that may claim what a strategy claims: an environment branch, or
 * a folder of it, a proposed branch, or the name of a child. Many strategies may share a repository, each with a folder of its own,
 * so they are not compared with each other. The strategy itself may be among them.
 *
 * The number of searches does not depend on the repositories, of which a tenant may create thousands for one remote.
 *
 * @param repositories GitRepositories in the namespace of the strategy
 */
export function rivalsAmong(
  strategies: StrategyCache,
  repositories: readonly ObjectKey[],
  strategy: PromotionStrategy,
): PromotionStrategy[] {
  const names = new Set(repositories.map(({ name }) => name));
  const found = [...new Set(contested(strategy))].flatMap((claim) =>
    strategies
      .byIndex(rivalIndex, valueOf(strategy.metadata, claim))
      .filter(({ spec }) => names.has(spec.repoRef.name)),
  );
  return [...new Set(found)];
}

/** Returns what a strategy claims, as other strategies search for it. */
function claimed(strategy: PromotionStrategy): string[] {
  return [
    ...foldersOf(strategy).flatMap(({ branch, folder }) => [
      at(branch, folder),
      ...prefixesOf(folder).map((one) => within(branch, one)),
    ]),
    ...proposedBranchesOf(strategy).map(proposed),
    ...usedBranchesOf(strategy).map(used),
    ...[...childNames(strategy)].map(child),
  ];
}

/** Returns the claims of other strategies that a strategy must not have as well. */
function contested(strategy: PromotionStrategy): string[] {
  return [
    ...foldersOf(strategy).flatMap(({ branch, folder }) => [
      within(branch, folder),
      ...prefixesOf(folder).map((one) => at(branch, one)),
    ]),
    ...[...proposedBranchesOf(strategy), ...usedBranchesOf(strategy)].map(proposed),
    ...proposedBranchesOf(strategy).map(used),
    ...[...childNames(strategy)].map(child),
  ];
}

/**
 * Returns the folders that a strategy promotes, as far as they are compared, each with a slash at its end; the whole branch is the
 * empty folder.
 */
function foldersOf(strategy: PromotionStrategy): { branch: string; folder: string }[] {
  return strategy.spec.environments.map((environment) => {
    const levels = activePathOf(strategy, environment)?.split('/').slice(0, comparedLevels) ?? [];
    return { branch: environment.branch, folder: levels.map((level) => `${level}/`).join('') };
  });
}

/** Returns a folder and the folders that contain it. */
function prefixesOf(folder: string): string[] {
  const ends = [...folder.matchAll(/\//g)].map(({ index }) => index + 1);
  return ['', ...ends.map((end) => folder.slice(0, end))];
}

function proposedBranchesOf(strategy: PromotionStrategy): string[] {
  return strategy.spec.environments.map((environment) => proposedBranchOf(strategy, environment));
}

function usedBranchesOf({ spec }: PromotionStrategy): string[] {
  return [spec.dryBranch, ...spec.environments.map(({ branch }) => branch)];
}

const at = (branch: string, folder: string): string => `at ${branch}\n${folder}`;
const within = (branch: string, folder: string): string => `within ${branch}\n${folder}`;
const proposed = (branch: string): string => `proposed ${branch}`;
const used = (branch: string): string => `used ${branch}`;
const child = (name: string): string => `child ${name}`;

function valueOf({ namespace = '' }: Pick<ObjectKey, 'namespace'>, claim: string): string {
  return `${namespace} ${claim}`;
}
