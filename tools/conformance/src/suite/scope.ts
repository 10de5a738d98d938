import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Api } from './api.js';
import type { Need } from './need.js';

const pollMs = 50;
const undoTimeoutMs = 15_000;

/** The resources of a case: a client, unique names, and the cleanup. */
export interface Scope {
  /** Client with the credentials of the kubeconfig, whose requests end with the deadline of the case. */
  readonly api: Api;
  /** A namespace that the cases of the group share; objects in it need names from {@link name}. */
  readonly namespace: string;
  /** Returns whether the server offers a feature that only some cases, or parts of a case, need. */
  has(need: Need): boolean;
  /** The host at which the API server reaches this machine. */
  readonly webhookHost: string;
  /** Returns a name that no other case and no other run uses: `<prefix>-<run>-<number>`, at most 40 characters. */
  name(prefix: string): string;
  /** Returns the path of a namespaced core collection in the namespace of the group, or of an object in it. */
  core(plural: string, name?: string): string;
  /** Creates a namespace for this case alone, and deletes it afterwards. @returns its name. */
  ownNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  /**
   * Registers a function to run after the case, even a failed one. The last function runs first. The client that
   * it receives has a deadline.
   */
  cleanup(undo: (api: Api) => Promise<unknown>): void;
  /** Deletes an object after the case, if it still exists. */
  deleteAfterwards(path: string): void;
  /** Repeats a GET until the answer passes a check; rejects with the last answer at the deadline of the case. */
  eventually(path: string, passes: (answer: Answer) => boolean): Promise<Answer>;
}

interface ScopeOptions {
  api: Api;
  namespace: string;
  needs: ReadonlySet<Need>;
  webhookHost: string;
  run: string;
  /** Yields numbers that are unique in the run. */
  nextNumber: () => number;
  signal: AbortSignal;
}

/** Returns a scope, and the function that removes what its case left behind. */
export function createScope(options: ScopeOptions): { scope: Scope; undo: () => Promise<void> } {
  const { api, namespace, needs, webhookHost, signal } = options;
  const undos: ((api: Api) => Promise<unknown>)[] = [];
  const name = (prefix: string): string => `${prefix}-${options.run}-${options.nextNumber()}`;
  const scope: Scope = {
    api,
    namespace,
    webhookHost,
    has: (need) => needs.has(need),
    name,
    core: (plural, object) =>
      `/api/v1/namespaces/${namespace}/${plural}${object === undefined ? '' : `/${object}`}`,
    ownNamespace: async (labels) => {
      const created = name('conformance');
      await createNamespace(api, created, options.run, labels);
      scope.deleteAfterwards(`/api/v1/namespaces/${created}`);
      return created;
    },
    cleanup: (undo) => void undos.push(undo),
    deleteAfterwards: (path) => scope.cleanup((after) => after.delete(path)),
    eventually: async (path, passes) => {
      for (;;) {
        const answer = await api.get(path);
        if (passes(answer)) return answer;
        if (signal.aborted) throw new Error(`GET ${path} still answers ${answer.status}: ${answer.text}`);
        await delay(pollMs);
      }
    },
  };
  return {
    scope,
    undo: async () => {
      const after = api.until(AbortSignal.timeout(undoTimeoutMs));
      for (const undo of undos.splice(0).reverse()) await undo(after);
    },
  };
}

/** The label of every namespace that a run creates; its value is the run. */
export const runLabel = 'conformance.interlock.dev/run';

/** Creates a namespace with the label of its run. @throws Error with the answer when the server refuses. */
export async function createNamespace(
  api: Api,
  name: string,
  run: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const metadata = { name, labels: { [runLabel]: run, ...labels } };
  const answer = await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  if (answer.status !== 201)
    throw new Error(`the namespace ${name} cannot be created: ${answer.status} ${answer.text}`);
}
