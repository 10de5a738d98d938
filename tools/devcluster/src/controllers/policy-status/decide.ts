import { PolicyCompiler, type Offered } from '../../admission/policies/compile.js';
import { objectsAt, textAt, textsAt, valueAt, objectAt, type KubeObject } from '../../object.js';
import { objectMetaName } from '../../registry/object-meta.js';
import type { Resource } from '../../registry/resource.js';
import type { CelType } from '../../schema/cel/check/type.js';
import { DeclaredTypes } from '../../schema/cel/declared-type.js';
import { string } from '../../schema/dsl.js';
import type { JsonObject } from '../../schema/types.js';

const maxKinds = 10;

/**
 * Returns the status of a policy whose current generation was not checked: the expressions that do not fit the types of
 * the resources that its rules name. Undefined if it was checked already. Source: kube-controller-manager,
 * validatingadmissionpolicystatus, and apiserver policy/validating, typechecking.go.
 *
 * @param resources all resources that are served.
 */
export function checkedStatus(policy: KubeObject, resources: readonly Resource[]): JsonObject | undefined {
  const { generation = 1 } = policy.metadata;
  const before = objectAt(policy, 'status');
  if (before['observedGeneration'] === generation) return undefined;
  const warnings = expressionWarnings(objectAt(policy, 'spec'), resources);
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  return { ...before, observedGeneration: generation, typeChecking };
}

function expressionWarnings(spec: JsonObject, resources: readonly Resource[]): JsonObject[] {
  const kinds = kindsOf(spec, resources).map((resource) => ({
    name: `${resource.group === '' ? '/' : `${resource.group}/`}${resource.version}, Kind=${resource.kind}`,
    type: typeOf(resource),
  }));
  const params = paramsOf(spec, resources);
  return objectsAt(spec, 'validations').flatMap((validation, index) =>
    ['expression', 'messageExpression'].flatMap((field) => {
      const source = textAt(validation, field);
      if (source === '') return [];
      const found = kinds.flatMap(({ name, type }) => {
        const problem = problemOf(spec, source, type, params);
        return problem === undefined ? [] : [`${name}: ${problem}\n`];
      });
      if (found.length === 0) return [];
      return [{ fieldRef: `spec.validations[${String(index)}].${field}`, warning: found.join('\n') }];
    }),
  );
}

function problemOf(
  spec: JsonObject,
  source: string,
  object: CelType | undefined,
  params: CelType | undefined,
): string | undefined {
  const compiler = new PolicyCompiler({ object, params });
  const offered: Offered = { params: valueAt(spec, 'paramKind') !== undefined };
  for (const variable of objectsAt(spec, 'variables')) {
    compiler.addVariable(textAt(variable, 'name'), textAt(variable, 'expression'), offered);
  }
  const compiled = compiler.compile(source, offered);
  return 'error' in compiled ? compiled.error.replace(/^compilation failed: /, '') : undefined;
}

/** Returns the resources that the rules name without wildcards, by group, version and kind. */
function kindsOf(spec: JsonObject, resources: readonly Resource[]): Resource[] {
  const found = new Set<Resource>();
  for (const rule of objectsAt(spec, 'matchConstraints', 'resourceRules')) {
    const [groups, versions] = [textsAt(rule, 'apiGroups'), textsAt(rule, 'apiVersions')];
    if ([...groups, ...versions].some((text) => text.includes('*'))) continue;
    const plurals = textsAt(rule, 'resources');
    for (const resource of resources) {
      const { group, version, plural } = resource;
      if (groups.includes(group) && versions.includes(version) && plurals.includes(plural))
        found.add(resource);
    }
  }
  const key = ({ group, version, kind }: Resource): string => [group, version, kind].join('\0');
  return [...found].sort((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, maxKinds);
}

function paramsOf(spec: JsonObject, resources: readonly Resource[]): CelType | undefined {
  const [apiVersion, kind] = [textAt(spec, 'paramKind', 'apiVersion'), textAt(spec, 'paramKind', 'kind')];
  const resource = resources.find((one) => {
    const own = one.group === '' ? one.version : `${one.group}/${one.version}`;
    return own === apiVersion && one.kind === kind;
  });
  return resource && typeOf(resource);
}

/** Returns the type of the objects of a resource for expressions, or undefined if it is unknown. */
function typeOf({ schema, kind }: Resource): CelType | undefined {
  const meta = { apiVersion: string(), kind: string(), metadata: objectMetaName };
  const whole = { ...schema, type: 'object' as const, properties: { ...schema.properties, ...meta } };
  return new DeclaredTypes().of(whole, false)?.typeNamed(kind);
}
