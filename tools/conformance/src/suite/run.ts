import { randomBytes } from 'node:crypto';
import type { ConformanceCase, Group } from './case.js';
import { removeNamespaces } from './remove.js';
import { createNamespace, createScope } from './scope.js';
import type { Target } from './target.js';
import type { Need } from './need.js';

/** Timeout of a case. */
export const caseTimeoutMs = 60_000;
const setUpTimeoutMs = 30_000;

type Outcome = { kind: 'passed' } | { kind: 'failed'; problem: string } | { kind: 'skipped'; reason: string };

export interface Result {
  group: string;
  name: string;
  outcome: Outcome;
}

const reasons: Readonly<Record<Need, string>> = {
  core: 'the server has no core API',
  controllers: 'no controller manager works on this server',
  nodes: 'no node of this server is Ready',
  webhooks: 'no --webhook-host is given at which the API server reaches this machine',
};

/** Returns why a case cannot run on a server; undefined when it can. */
function skipReason({ needs }: ConformanceCase, target: Target): string | undefined {
  const missing = needs.find((need) => !target.needs.has(need));
  return missing && reasons[missing];
}

/** A run against a server, with unique names, which removes the remaining objects of its cases. */
export class Run {
  readonly id = randomBytes(3).toString('hex');
  readonly #target: Target;
  readonly #namespaces = new Map<string, Promise<string>>();
  #number = 0;

  constructor(target: Target) {
    this.#target = target;
  }

  /** Runs a case that the server can run. @throws the error of the case, or of the removal of its objects. */
  async runCase(group: Group, { name, run }: ConformanceCase): Promise<void> {
    const signal = AbortSignal.timeout(caseTimeoutMs);
    const { scope, undo } = createScope({
      api: this.#target.api(signal),
      namespace: await this.#namespaceOf(group),
      needs: this.#target.needs,
      webhookHost: this.#target.webhookHost,
      run: this.id,
      nextNumber: () => ++this.#number,
      signal,
    });
    try {
      await run(scope);
    } catch (error) {
      throw signal.aborted
        ? new Error(`"${name}" did not end within ${caseTimeoutMs / 1000} s: ${String(error)}`, {
            cause: error,
          })
        : error;
    } finally {
      await undo();
    }
  }

  /** Removes the namespaces of the run and waits until they are gone. @throws Error that names what remains. */
  async close(): Promise<void> {
    if (this.#target.needs.has('core')) await removeNamespaces(this.#target, this.id);
  }

  /** Returns the namespace of a group, which does not have to exist on a server without the core API. */
  #namespaceOf({ name }: Group): Promise<string> {
    let namespace = this.#namespaces.get(name);
    if (namespace === undefined) {
      namespace = this.#createNamespace(`conformance-${this.id}-${name}`);
      this.#namespaces.set(name, namespace);
    }
    return namespace;
  }

  async #createNamespace(name: string): Promise<string> {
    if (this.#target.needs.has('core')) {
      await createNamespace(this.#target.api(AbortSignal.timeout(setUpTimeoutMs)), name, this.id);
    }
    return name;
  }
}

/**
 * Runs cases concurrently.
 *
 * @param onResult is called with each result when its case has ended
 */
export async function runGroups(
  target: Target,
  groups: readonly Group[],
  { concurrency, onResult }: { concurrency: number; onResult: (result: Result) => void },
): Promise<Result[]> {
  const run = new Run(target);
  const results: Result[] = [];
  const queue = groups.flatMap((group) => group.cases.map((one) => ({ group, one })));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { group, one } = next;
      const result = { group: group.name, name: one.name, outcome: await outcomeOf(run, target, group, one) };
      results.push(result);
      onResult(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    await run.close();
  }
  return results;
}

async function outcomeOf(run: Run, target: Target, group: Group, one: ConformanceCase): Promise<Outcome> {
  const reason = skipReason(one, target);
  if (reason !== undefined) return { kind: 'skipped', reason };
  try {
    await run.runCase(group, one);
    return { kind: 'passed' };
  } catch (error) {
    return { kind: 'failed', problem: error instanceof Error ? error.message : String(error) };
  }
}
