import { PolicyCompiler, type Compiled, type Offered } from '../../admission/policies/compile.js';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { checkLabel1035, checkQualifiedName, checkSubdomain } from '../../registry/names.js';
import { duplicate, internal, invalid, notSupported, required } from '../../schema/field-error.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { checkMatchResources } from './match-resources.js';
import { checkMatchConditions, failurePolicies } from '../webhook-configuration/validation.js';

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const maxAnnotations = 20;
const maxAnnotationBytes = 5 * 1024;
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved =
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  );

/**
 * Returns the problems with a ValidatingAdmissionPolicy. Source: kubernetes pkg/apis/admissionregistration/validation.
 */
export function validatePolicy(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  const hasParams = valueAt(spec, 'paramKind') !== undefined;
  const compiler = new PolicyCompiler();
  const variables = objectsAt(spec, 'variables');
  const offered: Offered = { params: hasParams, variables: variables.length > 0 };
  const failure = textAt(spec, 'failurePolicy');
  return [
    ...(failurePolicies.includes(failure)
      ? []
      : [notSupported('spec.failurePolicy', failure, failurePolicies)]),
    ...(hasParams ? checkParamKind(objectAt(spec, 'paramKind')) : []),
    ...checkConstraints(spec),
    ...checkMatchConditions(objectsAt(spec, 'matchConditions'), 'spec.matchConditions', (expression) => {
      const compiled = compiler.compile(expression, { params: hasParams, variables: false }, 'bool');
      return 'error' in compiled ? compiled.error : undefined;
    }),
    ...variables.flatMap((variable, index) =>
      checkVariable(variable, `spec.variables[${String(index)}]`, (name, source) =>
        compiler.addVariable(name, source, offered),
      ),
    ),
    ...checkExpressions(o, compiler, offered),
  ];
}

function checkConstraints(spec: JsonObject): Cause[] {
  const path = 'spec.matchConstraints';
  if (valueAt(spec, 'matchConstraints') === undefined) return [required(path)];
  const constraints = objectAt(spec, 'matchConstraints');
  const hasRules = objectsAt(constraints, 'resourceRules').length > 0;
  return [
    ...checkMatchResources(constraints, path),
    ...(hasRules ? [] : [required(`${path}.resourceRules`)]),
  ];
}

function checkParamKind(paramKind: JsonObject): Cause[] {
  const [apiVersion, kind] = [textAt(paramKind, 'apiVersion'), textAt(paramKind, 'kind')];
  const causes = checkApiVersion(apiVersion, 'spec.paramKind.apiVersion');
  const path = 'spec.paramKind.kind';
  if (kind === '') return [...causes, required(path)];
  const wrong = checkLabel1035(kind.toLowerCase());
  if (wrong === undefined) return causes;
  return [...causes, invalid(path, kind, `may have mixed case, but should otherwise match: ${wrong}`)];
}

function checkApiVersion(apiVersion: string, path: string): Cause[] {
  if (apiVersion === '') return [required(path)];
  const [first = '', second, ...rest] = apiVersion.split('/');
  if (rest.length > 0) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const badGroup = group === '' ? undefined : checkSubdomain(group);
  const causes = badGroup === undefined ? [] : [invalid(path, group, badGroup)];
  if (version === '') return [...causes, invalid(path, apiVersion, 'version must be specified')];
  const badVersion = checkLabel1035(version);
  return badVersion === undefined ? causes : [...causes, invalid(path, version, badVersion)];
}

function checkVariable(
  variable: JsonObject,
  path: string,
  compile: (name: string, source: string) => Compiled,
): Cause[] {
  const [name, source] = [textAt(variable, 'name'), textAt(variable, 'expression')];
  const causes: Cause[] = [];
  if (name.trim() === '') causes.push(required(`${path}.name`, 'name is not specified'));
  else if (!identifier.test(name) || reserved.includes(name)) {
    causes.push(invalid(`${path}.name`, name, 'name is not a valid CEL identifier'));
  }
  if (source.trim() === '') return [...causes, required(`${path}.expression`, 'expression is not specified')];
  return [...causes, ...problemOf(compile(name, source), `${path}.expression`, source)];
}

function problemOf(compiled: Compiled, path: string, source: string): Cause[] {
  if (!('error' in compiled)) return [];
  return [
    compiled.isInternal === true ? internal(path, compiled.error) : invalid(path, source, compiled.error),
  ];
}

function checkExpressions(o: KubeObject, compiler: PolicyCompiler, offered: Offered): Cause[] {
  const validations = objectsAt(o, 'spec', 'validations');
  const annotations = objectsAt(o, 'spec', 'auditAnnotations');
  if (validations.length === 0 && annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item';
    return [required('spec.validations', why), required('spec.auditAnnotations', why)];
  }
  const keys = annotations.map((annotation) => textAt(annotation, 'key'));
  const why = `must not have more than ${String(maxAnnotations)} auditAnnotations`;
  return [
    ...validations.flatMap((validation, index) =>
      checkValidation(validation, `spec.validations[${String(index)}]`, compiler, offered),
    ),
    ...(annotations.length > maxAnnotations ? [invalid('spec.auditAnnotations', annotations, why)] : []),
    ...annotations.flatMap((annotation, index) => {
      const path = `spec.auditAnnotations[${String(index)}]`;
      const key = keys[index] ?? '';
      return [
        ...checkAnnotation(annotation, o.metadata.name, path, compiler, offered),
        ...(keys.indexOf(key) < index ? [duplicate(`${path}.key`, key)] : []),
      ];
    }),
  ];
}

function checkValidation(
  validation: JsonObject,
  path: string,
  compiler: PolicyCompiler,
  offered: Offered,
): Cause[] {
  const [source, message] = [textAt(validation, 'expression'), textAt(validation, 'message')];
  const causes =
    source.trim() === ''
      ? [required(`${path}.expression`, 'expression is not specified')]
      : problemOf(compiler.compile(source, offered, 'bool'), `${path}.expression`, source);
  const made = textAt(validation, 'messageExpression');
  if (made !== '' && made.trim() === '') {
    causes.push(invalid(`${path}.messageExpression`, made, 'must be non-empty if specified'));
  } else if (made !== '') {
    const compiled = compiler.compile(made, { ...offered, authorizer: false }, 'string');
    causes.push(...problemOf(compiled, `${path}.messageExpression`, made));
  }
  if (message !== '' && message.trim() === '') {
    causes.push(invalid(`${path}.message`, message, 'message must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    causes.push(invalid(`${path}.message`, message, 'message must not contain line breaks'));
  }
  const reason = valueAt(validation, 'reason');
  if (reason !== undefined && !(typeof reason === 'string' && reasons.includes(reason))) {
    causes.push(notSupported(`${path}.reason`, reason, reasons));
  }
  return causes;
}

function checkAnnotation(
  annotation: JsonObject,
  policy: string,
  path: string,
  compiler: PolicyCompiler,
  offered: Offered,
): Cause[] {
  const [key, written] = [`${policy}/${textAt(annotation, 'key')}`, textAt(annotation, 'valueExpression')];
  const wrong = checkQualifiedName(key);
  const causes = wrong === undefined ? [] : [invalid(`${path}.key`, key, wrong)];
  const source = written.trim();
  const place = `${path}.valueExpression`;
  if (source === '') return [...causes, required(place, 'valueExpression is not specified')];
  if (Buffer.byteLength(source) > maxAnnotationBytes) {
    return [...causes, required(place, `must not exceed ${String(maxAnnotationBytes)} bytes in length`)];
  }
  const compiled = compiler.compile(source, offered, 'string', 'null_type');
  return [...causes, ...problemOf(compiled, place, written)];
}
