import { internal } from '../../api/api-error.js';
import type { AdmissionRequest, Cluster } from '../../api/cluster.js';
import { decode } from '../../api/decode.js';
import { jsonPatch } from '../../apply/index.js';
import type { KubeObject } from '../../object.js';
import { isObject, jsonEqual } from '../../schema/json.js';
import type { Json } from '../../schema/types.js';
import { ask, failedClosed, WebhookFailure } from './ask.js';
import type { WebhookClient } from './client.js';
import { hooksOf, type Hook } from './hook.js';
import { invocationOf, type Invocation } from './match.js';
import { converted, shown, type Verdict } from './review.js';

/** Webhooks to call again, because a later webhook changed the object. */
interface Reinvocation {
  earlier: Set<Hook>;
  again: Set<Hook>;
  changed: boolean;
}

/**
 * Calls the mutating webhooks, which change the object of a write in place, one after the other. Webhooks with a
 * reinvocation policy are called again if a later webhook changed the object. Throws ApiError. Source: apiserver
 * plugin/webhook/mutating, dispatcher.go.
 */
export async function callMutatingWebhooks(
  cluster: Cluster,
  client: WebhookClient,
  request: AdmissionRequest,
): Promise<void> {
  const hooks = hooksOf(cluster.store, 'mutating');
  if (hooks.length === 0) return;
  const state: Reinvocation = { earlier: new Set(), again: new Set(), changed: false };
  for (const hook of hooks) await callOne(cluster, client, hook, request, state);
  if (!state.changed) return;
  for (const hook of hooks) {
    if (state.again.has(hook)) await callOne(cluster, client, hook, request, state);
  }
}

async function callOne(
  cluster: Cluster,
  client: WebhookClient,
  hook: Hook,
  request: AdmissionRequest,
  state: Reinvocation,
): Promise<void> {
  const invocation = invocationOf(cluster, hook, request);
  if (invocation === undefined) return;
  const changed = await mutate(client, invocation, request);
  if (changed) {
    for (const earlier of state.earlier) state.again.add(earlier);
    state.earlier.clear();
    state.changed = true;
  }
  if (hook.reinvocable) state.earlier.add(hook);
}

/** Calls a webhook and applies its patch. Returns whether the object changed. */
async function mutate(
  client: WebhookClient,
  invocation: Invocation,
  request: AdmissionRequest,
): Promise<boolean> {
  const { hook } = invocation;
  try {
    const verdict = await ask(client, 'mutating', invocation, request);
    return applyPatch(invocation, verdict, request);
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    if (hook.ignoresFailure) return false;
    throw failedClosed(error);
  }
}

function applyPatch({ hook, resource }: Invocation, verdict: Verdict, request: AdmissionRequest): boolean {
  const operations = operationsOf(hook, verdict.patch);
  if (operations.length === 0) return false;
  const { object } = request;
  if (object === undefined) {
    throw internal(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (verdict.patchType !== 'JSONPatch') {
    throw new WebhookFailure(hook.name, `unsupported patch type ${JSON.stringify(verdict.patchType)}`);
  }
  const before = shown(object, request, resource);
  const after = orInternal(() => jsonPatch(structuredClone(before), operations));
  if (request.view !== undefined) {
    request.view.restore(object, after);
    return !jsonEqual(before, after);
  }
  /* Sets defaults and removes unknown fields. */
  const decoded = orInternal(() => decode(after, resource, 'Ignore').object);
  if (jsonEqual(before, decoded)) return false;
  replace(object, converted(decoded, resource, request.resource));
  return true;
}

function operationsOf(hook: Hook, patch: string): Json[] {
  if (patch === '') return [];
  const undecodable = 'received undecodable patch in webhook response';
  try {
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as Json;
    if (Array.isArray(operations) && operations.every(isObject)) return operations;
  } catch {
    throw new WebhookFailure(hook.name, `${undecodable}: it is not JSON`);
  }
  throw new WebhookFailure(hook.name, `${undecodable}: it is not a list of operations`);
}

/** Throws a 500 if a patch cannot be applied, or if its result is invalid. */
function orInternal<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw internal(String((error as { message?: unknown }).message));
  }
}

function replace(object: KubeObject, content: KubeObject): void {
  for (const key of Object.keys(object)) Reflect.deleteProperty(object, key);
  Object.assign(object, content);
}
