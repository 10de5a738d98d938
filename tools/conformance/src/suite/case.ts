import type { Need } from './need.js';
import type { Scope } from './scope.js';

/** A rule of the Kubernetes API and its check. */
export interface ConformanceCase {
  /** The rule as a sentence about the server, unique in its group: "rejects an update with a stale resourceVersion". */
  name: string;
  needs: readonly Need[];
  /** Rejects like the matchers of `expect` when the server violates the rule. */
  run: (scope: Scope) => Promise<void>;
}

/** Cases about one part of the API. */
export interface Group {
  /** The name for `--group`. */
  name: string;
  /** The page of the Kubernetes documentation that states the rules. */
  source: string;
  cases: readonly ConformanceCase[];
}

/** Collects the cases of a group; see {@link defineGroup}. */
export type Rule = (name: string, run: ConformanceCase['run'], ...needs: Need[]) => void;

/**
 * Defines a group.
 *
 * @param needs the features that every case of the group needs; a case can add further features
 * @throws Error when two cases have the same name
 */
export function defineGroup(
  name: string,
  { source, needs = ['core'] }: { source: string; needs?: readonly Need[] },
  define: (rule: Rule) => void,
): Group {
  const cases: ConformanceCase[] = [];
  define((title, run, ...more) => {
    if (cases.some((one) => one.name === title)) throw new Error(`${name} has two cases named "${title}"`);
    cases.push({ name: title, needs: [...new Set([...needs, ...more])], run });
  });
  return { name, source, cases };
}
