import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { labelSelectorRequirements, type Requirement } from '../../selectors/labels.js';
import type { Store } from '../../store/store.js';
import { compileMatchCondition, type MatchCondition } from './match-conditions.js';

export type HookType = 'mutating' | 'validating';

/** The requests that match a rule. */
export interface HookRule {
  operations: readonly string[];
  apiGroups: readonly string[];
  apiVersions: readonly string[];
  /** `plural` or `plural/subresource`. */
  resources: readonly string[];
  scope: string;
  /** The names of the objects; if empty, all names match. Rules of webhooks have no names. */
  resourceNames: readonly string[];
}

/** The match criteria of a webhook or a policy. */
export interface Matching {
  rules: readonly HookRule[];
  /** Whether the rules also match other versions of a resource. */
  matchesEquivalent: boolean;
  namespaceSelector: readonly Requirement[];
  objectSelector: readonly Requirement[];
}

/** The address of a webhook: `url`, or a port of a Service. */
export interface HookClient {
  url: string | undefined;
  service: { namespace: string; name: string; path: string; port: number } | undefined;
  /** PEM; if empty, the authorities of the system are trusted. */
  caBundle: string;
}

/** A webhook of a configuration. */
export interface Hook extends Matching {
  name: string;
  client: HookClient;
  /** Whether the write continues if the webhook cannot be called. */
  ignoresFailure: boolean;
  matchConditions: readonly MatchCondition[];
  timeoutSeconds: number;
  /** Whether the webhook may be called for a dry run. */
  allowsDryRun: boolean;
  /** Whether the webhook is called again after a later webhook changed the object. */
  reinvocable: boolean;
}

/** Stored configurations are immutable; a write stores a new object. */
const known = new WeakMap<KubeObject, readonly Hook[]>();

/**
 * Returns all webhooks of a type, by the name of their configuration and in its order (apiserver
 * admission/configuration).
 */
export function hooksOf(store: Store, type: HookType): Hook[] {
  return [...store.entries(`${type}webhookconfigurations.admissionregistration.k8s.io`)]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ object }) => {
      const hooks = known.get(object) ?? objectsAt(object, 'webhooks').map(hookOf);
      known.set(object, hooks);
      return hooks;
    });
}

function hookOf(webhook: JsonObject): Hook {
  const timeout = valueAt(webhook, 'timeoutSeconds');
  return {
    name: textAt(webhook, 'name'),
    client: clientOf(objectAt(webhook, 'clientConfig')),
    rules: objectsAt(webhook, 'rules').map(ruleOf),
    ignoresFailure: textAt(webhook, 'failurePolicy') === 'Ignore',
    matchesEquivalent: textAt(webhook, 'matchPolicy') !== 'Exact',
    namespaceSelector: labelSelectorRequirements(objectAt(webhook, 'namespaceSelector')),
    objectSelector: labelSelectorRequirements(objectAt(webhook, 'objectSelector')),
    matchConditions: objectsAt(webhook, 'matchConditions').map((condition) => ({
      expression: textAt(condition, 'expression'),
      compiled: compileMatchCondition(textAt(condition, 'expression')),
    })),
    timeoutSeconds: typeof timeout === 'number' ? timeout : 10,
    allowsDryRun: ['None', 'NoneOnDryRun'].includes(textAt(webhook, 'sideEffects')),
    reinvocable: textAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
  };
}

/** Returns a rule of a webhook or a policy in parsed form. */
export function ruleOf(rule: JsonObject): HookRule {
  return {
    operations: textsAt(rule, 'operations'),
    apiGroups: textsAt(rule, 'apiGroups'),
    apiVersions: textsAt(rule, 'apiVersions'),
    resources: textsAt(rule, 'resources'),
    scope: textAt(rule, 'scope'),
    resourceNames: textsAt(rule, 'resourceNames'),
  };
}

function clientOf(config: JsonObject): HookClient {
  const service = valueAt(config, 'service') === undefined ? undefined : objectAt(config, 'service');
  const port = service && valueAt(service, 'port');
  return {
    url: valueAt(config, 'url') === undefined ? undefined : textAt(config, 'url'),
    service: service && {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      path: textAt(service, 'path'),
      port: typeof port === 'number' ? port : 443,
    },
    caBundle: Buffer.from(textAt(config, 'caBundle'), 'base64').toString('utf8'),
  };
}
