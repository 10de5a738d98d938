import type { Environment } from '@marcbachmann/cel-js';
import { constantProblem } from './check/constants.js';
import { DeclaredTypes } from './declared-type.js';
import { engineOf, ruleEnvironment } from './environment.js';
import type { CelEnvironment } from './environment.js';
import { compileExpression, refersTo } from './expression.js';
import type { Expression } from './expression.js';
import { normalizeFieldPath } from './field-path.js';
import { CelTypes } from './types.js';
import type { Schema, ValidationRule } from '../types.js';

/** A rule that can be evaluated, or the error that prevents its evaluation. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression: Expression | { error: string };
  /** Why the API server refuses the rule; undefined for a valid rule. */
  readonly problem: string | undefined;
  readonly message: Expression | { error: string } | undefined;
  readonly usesOldSelf: boolean;
  /** Where in the value the cause is placed, as a path relative to it; empty for the value itself. */
  readonly fieldPath: string;
}

/** The rules of a schema and of the schemas below it that have any. */
export interface RuleNode {
  readonly schema: Schema;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly items: RuleNode | undefined;
  readonly additionalProperties: RuleNode | undefined;
}

/** Compiles the rules of one schema after the other, sharing the types of the resource. */
export class RuleCompiler {
  readonly types: CelTypes;
  readonly declared = new DeclaredTypes();
  readonly #engine: Environment;

  constructor(root: Schema, isResource = true) {
    this.types = new CelTypes(root, isResource);
    this.declared.of(root, isResource);
    this.#engine = engineOf(this.types);
  }

  /**
   * Returns the rules of one schema, in order; those below it are not included. Returns none when rules cannot see the
   * values of the schema.
   */
  rulesOf(schema: Schema): CompiledRule[] {
    const rules = schema['x-kubernetes-validations'] ?? [];
    const declared = this.declared.of(schema);
    const engineType = this.types.typeOf(schema);
    if (declared === undefined || engineType === undefined) return [];
    const environments = new Map<boolean, CelEnvironment>();
    return rules.map((rule) => {
      const isOptional = rule.optionalOldSelf === true;
      const env =
        environments.get(isOptional) ?? ruleEnvironment(this.#engine, { engineType, declared }, isOptional);
      environments.set(isOptional, env);
      return this.#compile(rule, schema, env);
    });
  }

  #compile(rule: ValidationRule, schema: Schema, env: CelEnvironment): CompiledRule {
    const expression = compileExpression(env, rule.rule);
    const { messageExpression = '' } = rule;
    return {
      rule,
      expression,
      problem: ruleProblem(expression),
      message: messageExpression === '' ? undefined : compileExpression(env, messageExpression),
      usesOldSelf: 'ast' in expression && expression.type === 'bool' && refersTo(expression.ast, 'oldSelf'),
      fieldPath: normalizeFieldPath(rule.fieldPath ?? '', schema)?.path ?? '',
    };
  }
}

function ruleProblem(expression: Expression | { error: string }): string | undefined {
  if ('error' in expression) return `compilation failed: ${expression.error}`;
  if (expression.type !== 'bool') return 'cel expression must evaluate to a bool';
  const problem = constantProblem(expression.checked);
  return problem === undefined ? undefined : `program instantiation failed: ${problem}`;
}

/**
 * Returns the rules of a schema at every level; undefined when there are none.
 *
 * @param isResource whether the schema describes a whole resource, or else the value of a field.
 */
export function compileRules(
  root: Schema,
  isResource = true,
): { types: CelTypes; node: RuleNode } | undefined {
  if (!hasRules(root)) return undefined;
  const compiler = new RuleCompiler(root, isResource);
  const node = compileNode(root, compiler);
  return node === undefined ? undefined : { types: compiler.types, node };
}

function compileNode(schema: Schema, compiler: RuleCompiler): RuleNode | undefined {
  if (!hasRules(schema) || compiler.types.typeOf(schema) === undefined) return undefined;
  const { items, additionalProperties, properties = {} } = schema;
  const below = Object.entries(properties).flatMap(([name, property]) => {
    const node = compileNode(property, compiler);
    return node === undefined ? [] : [[name, node] as const];
  });
  return {
    schema,
    rules: compiler.rulesOf(schema),
    properties: new Map(below),
    items: items === undefined ? undefined : compileNode(items, compiler),
    additionalProperties:
      typeof additionalProperties === 'object' ? compileNode(additionalProperties, compiler) : undefined,
  };
}

/** Returns whether a schema, or a schema below it, has rules. */
export function hasRules(schema: Schema): boolean {
  const { items, additionalProperties, properties = {} } = schema;
  return (
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    (items !== undefined && hasRules(items)) ||
    (typeof additionalProperties === 'object' && hasRules(additionalProperties)) ||
    Object.values(properties).some(hasRules)
  );
}
