import type { Answer } from './api.js';
import type { Body } from './body.js';
import { createNode, createRunning, podPath, type PodOptions } from './running-pods.js';
import type { Scope } from './scope.js';
import { create } from './write.js';

export const budgets = (namespace: string): string =>
  `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;

/** Returns a PodDisruptionBudget to create, for the pods with the label `app`. */
export function budget(name: string, app: string, spec: Readonly<Record<string, unknown>>): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app } }, ...spec },
  };
}

/** Returns the status of a PodDisruptionBudget as far as cases read it. */
export interface BudgetStatus {
  observedGeneration?: number;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: { type: string; status: string; reason: string }[];
}

/** Creates a budget and waits until the controller has computed its status. @returns its path. */
export async function createBudget(
  scope: Scope,
  app: string,
  spec: Readonly<Record<string, unknown>>,
  status: Partial<BudgetStatus>,
): Promise<string> {
  const name = scope.name('budget');
  await create(scope, budgets(scope.namespace), budget(name, app, spec));
  const path = `${budgets(scope.namespace)}/${name}`;
  await awaitStatus(scope, path, status);
  return path;
}

/** Waits until the status of a budget has these values. @returns the budget. */
export async function awaitStatus(
  scope: Scope,
  path: string,
  expected: Partial<BudgetStatus>,
): Promise<Body> {
  const answer = await scope.eventually(path, ({ body }) => {
    const status = (body.status ?? {}) as BudgetStatus & Record<string, unknown>;
    const isCurrent = status.observedGeneration === body.metadata.generation;
    return isCurrent && Object.entries(expected).every(([field, value]) => status[field] === value);
  });
  return answer.body;
}

/** Creates ready pods with a unique label. @returns the label `app` and the pods */
export async function createReady(
  scope: Scope,
  count: number,
  options: PodOptions & { ready?: boolean } = {},
): Promise<{ app: string; pods: Body[] }> {
  const app = scope.name('app');
  const node = await createNode(scope);
  const metadata = { labels: { app }, ...options.metadata };
  const pods: Body[] = [];
  for (let index = 0; index < count; index += 1) {
    pods.push(await createRunning(scope, node, { ...options, metadata }));
  }
  return { app, pods };
}

/** Requests the eviction of a pod. */
export function evict(
  scope: Scope,
  { metadata: { name } }: Body,
  deleteOptions?: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name },
    ...(deleteOptions && { deleteOptions }),
  };
  return scope.api.post(`${podPath(scope.namespace, name)}/eviction`, body, { query });
}
