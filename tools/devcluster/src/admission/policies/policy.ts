import { objectAt, objectsAt, textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { labelSelectorRequirements, type Requirement } from '../../selectors/labels.js';
import type { Store } from '../../store/store.js';
import { ruleOf, type Matching } from '../webhooks/hook.js';
import { PolicyCompiler, type Compiled, type Offered } from './compile.js';

const group = 'admissionregistration.k8s.io';

/** An expression with its source, which messages quote. */
export interface PolicyExpression {
  source: string;
  compiled: Compiled;
}

/** One of the validations of a policy. */
export interface Validation extends PolicyExpression {
  message: string;
  messageExpression: PolicyExpression | undefined;
  /** A reason of a Status; empty for Invalid. */
  reason: string;
}

/** The match criteria of a policy or a binding. */
export interface ResourceMatch extends Matching {
  excluded: Matching['rules'];
}

/** A ValidatingAdmissionPolicy, compiled. */
export interface Policy {
  name: string;
  ignoresFailure: boolean;
  paramKind: { apiVersion: string; kind: string } | undefined;
  match: ResourceMatch;
  matchConditions: readonly PolicyExpression[];
  variables: readonly (PolicyExpression & { name: string })[];
  validations: readonly Validation[];
  auditAnnotations: readonly (PolicyExpression & { key: string })[];
}

/** A binding's reference to its parameters. */
export interface ParamRef {
  name: string;
  namespace: string;
  selector: readonly Requirement[] | undefined;
  deniesWithout: boolean;
}

/** A ValidatingAdmissionPolicyBinding. */
export interface Binding {
  name: string;
  policyName: string;
  paramRef: ParamRef | undefined;
  /** Undefined if the binding does not restrict the requests that the policy matches. */
  match: ResourceMatch | undefined;
  actions: readonly string[];
}

/* Stored objects are immutable; a write stores a new object. */
const knownPolicies = new WeakMap<KubeObject, Policy>();
const knownBindings = new WeakMap<KubeObject, Binding>();

/** Returns every policy that has bindings, together with its bindings, in the order of names. */
export function boundPolicies(store: Store): { policy: Policy; bindings: Binding[] }[] {
  const bindings = read(store, 'validatingadmissionpolicybindings', knownBindings, bindingOf);
  if (bindings.length === 0) return [];
  return read(store, 'validatingadmissionpolicies', knownPolicies, policyOf).flatMap((policy) => {
    const own = bindings.filter(({ policyName }) => policyName === policy.name);
    return own.length === 0 ? [] : [{ policy, bindings: own }];
  });
}

function read<T>(
  store: Store,
  plural: string,
  known: WeakMap<KubeObject, T>,
  parse: (object: KubeObject) => T,
): T[] {
  return store.entries(`${plural}.${group}`).map(({ object }) => {
    const parsed = known.get(object) ?? parse(object);
    known.set(object, parsed);
    return parsed;
  });
}

/** Compiles a policy. Invalid expressions fail when they are evaluated. */
export function policyOf(object: KubeObject): Policy {
  const spec = objectAt(object, 'spec');
  const compiler = new PolicyCompiler();
  const offered: Offered = { params: valueAt(spec, 'paramKind') !== undefined };
  const compile = (source: string, ...returns: string[]): PolicyExpression => ({
    source,
    compiled: compiler.compile(source, offered, ...returns),
  });
  const variables = objectsAt(spec, 'variables').map((variable) => {
    const [name, source] = [textAt(variable, 'name'), textAt(variable, 'expression')];
    return { name, source, compiled: compiler.addVariable(name, source, offered) };
  });
  const kind = objectAt(spec, 'paramKind');
  return {
    name: object.metadata.name,
    ignoresFailure: textAt(spec, 'failurePolicy') === 'Ignore',
    paramKind: offered.params
      ? { apiVersion: textAt(kind, 'apiVersion'), kind: textAt(kind, 'kind') }
      : undefined,
    match: matchOf(objectAt(spec, 'matchConstraints')),
    matchConditions: objectsAt(spec, 'matchConditions').map((one) =>
      compile(textAt(one, 'expression'), 'bool'),
    ),
    variables,
    validations: objectsAt(spec, 'validations').map((one) => {
      const message = textAt(one, 'messageExpression');
      const without = { ...offered, authorizer: false };
      return {
        ...compile(textAt(one, 'expression'), 'bool'),
        message: textAt(one, 'message'),
        messageExpression:
          message === ''
            ? undefined
            : { source: message, compiled: compiler.compile(message, without, 'string') },
        reason: textAt(one, 'reason'),
      };
    }),
    auditAnnotations: objectsAt(spec, 'auditAnnotations').map((one) => ({
      key: textAt(one, 'key'),
      ...compile(textAt(one, 'valueExpression'), 'string', 'null_type'),
    })),
  };
}

function bindingOf(object: KubeObject): Binding {
  const spec = objectAt(object, 'spec');
  const ref = objectAt(spec, 'paramRef');
  const selector = valueAt(ref, 'selector');
  return {
    name: object.metadata.name,
    policyName: textAt(spec, 'policyName'),
    paramRef:
      valueAt(spec, 'paramRef') === undefined
        ? undefined
        : {
            name: textAt(ref, 'name'),
            namespace: textAt(ref, 'namespace'),
            selector:
              selector === undefined ? undefined : labelSelectorRequirements(objectAt(ref, 'selector')),
            deniesWithout: textAt(ref, 'parameterNotFoundAction') === 'Deny',
          },
    match:
      valueAt(spec, 'matchResources') === undefined ? undefined : matchOf(objectAt(spec, 'matchResources')),
    actions: textsAt(spec, 'validationActions'),
  };
}

function matchOf(match: JsonObject): ResourceMatch {
  return {
    rules: objectsAt(match, 'resourceRules').map(ruleOf),
    excluded: objectsAt(match, 'excludeResourceRules').map(ruleOf),
    matchesEquivalent: textAt(match, 'matchPolicy') !== 'Exact',
    namespaceSelector: labelSelectorRequirements(objectAt(match, 'namespaceSelector')),
    objectSelector: labelSelectorRequirements(objectAt(match, 'objectSelector')),
  };
}
