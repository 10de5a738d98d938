import type { Environment } from '@marcbachmann/cel-js';
import { constantProblem } from '../../schema/cel/check/constants.js';
import { Declarations } from '../../schema/cel/check/declarations.js';
import { dynType, structType, type CelType } from '../../schema/cel/check/type.js';
import { Meter } from '../../schema/cel/cost/meter.js';
import { dynamicEngine } from '../../schema/cel/environment.js';
import { compileExpression } from '../../schema/cel/expression.js';
import {
  authorizerType,
  describeType,
  namespaceType,
  requestType,
  resourceCheckType,
  variableType,
} from './types.js';

/** The reason why an expression cannot be used. */
interface CompileProblem {
  error: string;
  /** Whether the expression is valid, but a program cannot be made of it. */
  isInternal?: boolean;
}

/** An expression that can be evaluated. */
interface Program {
  meter: Meter;
  type: CelType;
}

export type Compiled = Program | CompileProblem;

/** The variables of an expression in addition to the common ones. */
export interface Offered {
  params: boolean;
  authorizer?: boolean;
  variables?: boolean;
}

let engine: Environment | undefined;

/** Returns the engine for all policies. Only the checker knows the types of the variables of a policy. */
function policyEngine(): Environment {
  engine ??= dynamicEngine([
    'object',
    'oldObject',
    'request',
    'namespaceObject',
    'params',
    'authorizer',
    'variables',
  ]);
  return engine;
}

/** Compiles the expressions of one policy. Source: apiserver admission/plugin/cel, compile.go and composition.go. */
export class PolicyCompiler {
  readonly #variables = new Map<string, CelType>();
  readonly #declarations = new Map<string, Declarations>();

  /** @param types types of the objects and the parameters; default: unknown. */
  constructor(readonly types: { object?: CelType | undefined; params?: CelType | undefined } = {}) {}

  /**
   * Compiles an expression.
   *
   * @param returns the allowed types of its value; if empty, any type.
   */
  compile(source: string, offered: Offered, ...returns: string[]): Compiled {
    const declarations = this.#declarationsOf(offered);
    const compiled = compileExpression({ engine: policyEngine(), declarations }, source);
    if ('error' in compiled) return { error: `compilation failed: ${compiled.error}` };
    const type = compiled.checked.typeOf(compiled.checked.expr);
    const described = describeType(type);
    if (returns.length > 0 && !returns.includes(described)) {
      const expected = returns.length === 1 ? returns.join() : `one of [${returns.join(' ')}]`;
      return { error: `must evaluate to ${expected} but got ${described}` };
    }
    const problem = constantProblem(compiled.checked);
    if (problem === undefined) return { meter: new Meter(compiled), type };
    return { error: `program instantiation failed: ${problem}`, isInternal: true };
  }

  /** Compiles a variable, and offers it to the expressions that follow. */
  addVariable(name: string, source: string, offered: Offered): Compiled {
    const compiled = this.compile(source, offered);
    this.#variables.set(name, 'error' in compiled ? dynType : variableType(compiled.type));
    return compiled;
  }

  #declarationsOf({ params, authorizer = true, variables = true }: Offered): Declarations {
    const key = [params, authorizer, variables].join();
    const known = this.#declarations.get(key);
    if (known !== undefined) return known;
    const { object = dynType } = this.types;
    const declarations = new Declarations([
      ['object', object],
      ['oldObject', object],
      ['request', requestType],
      ['namespaceObject', namespaceType],
      ...(params ? [['params', this.types.params ?? dynType] as const] : []),
      ...(authorizer
        ? [
            ['authorizer', authorizerType] as const,
            ['authorizer.requestResource', resourceCheckType] as const,
          ]
        : []),
      ...(variables
        ? [['variables', structType('kubernetes.variables', (name) => this.#variables.get(name))] as const]
        : []),
    ]);
    this.#declarations.set(key, declarations);
    return declarations;
  }
}
