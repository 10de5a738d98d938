import { Environment } from '@marcbachmann/cel-js';
import { Declarations } from './check/declarations.js';
import { dynType, optionalOf } from './check/type.js';
import type { DeclaredType } from './declared-type.js';
import { registerAuthorizer } from './library-authorizer.js';
import { registerCollections } from './library-collections.js';
import { registerComparisons } from './library-comparisons.js';
import { registerLoops } from './library-loops.js';
import { registerSemver } from './library-semver.js';
import { registerLists } from './library-lists.js';
import { registerMacros } from './library-macros.js';
import { registerStrings } from './library-strings.js';
import { registerAddresses, registerFormats, registerQuantities, registerUrls } from './library-values.js';
import type { CelTypes, Struct, StructType } from './types.js';
import { equalBySchema } from './values.js';

/** What an expression can use: `declarations` decides what is valid, and `engine` evaluates it. */
export interface CelEnvironment {
  readonly engine: Environment;
  readonly declarations: Declarations;
}

const libraries = [
  registerMacros,
  registerStrings,
  registerLists,
  registerCollections,
  registerLoops,
  registerSemver,
  registerComparisons,
  registerUrls,
  registerQuantities,
  registerAddresses,
  registerFormats,
  registerAuthorizer,
];

let shared: Environment | undefined;

/**
 * Returns a new engine with what the API server offers: the standard library, optional types, and Kubernetes'
 * libraries.
 */
function kubernetesEngine(): Environment {
  if (shared === undefined) {
    shared = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
    for (const register of libraries) register(shared);
  }
  return shared.clone();
}

/** Returns the environment for expressions over variables without a schema, whose values are those of `dynamicValue`. */
export function dynamicEnvironment(variables: readonly string[]): CelEnvironment {
  return {
    engine: dynamicEngine(variables),
    declarations: new Declarations(variables.map((name) => [name, dynType] as const)),
  };
}

/** Returns an engine for variables of which it does not know the types. */
export function dynamicEngine(variables: readonly string[]): Environment {
  const engine = kubernetesEngine();
  for (const name of variables) engine.registerVariable(name, 'dyn');
  return engine;
}

/** Returns an engine that knows the types of all objects of a schema. */
export function engineOf(types: CelTypes): Environment {
  const env = kubernetesEngine();
  for (const struct of types.structs) registerStruct(env, struct);
  return env;
}

/**
 * Returns the environment for the rules of one schema.
 *
 * @param engine the engine for the whole of which the schema is a part.
 * @param isOptional whether `oldSelf` is an optional value.
 */
export function ruleEnvironment(
  engine: Environment,
  self: { engineType: string; declared: DeclaredType },
  isOptional: boolean,
): CelEnvironment {
  const { engineType } = self;
  const type = self.declared.typeNamed('selfType');
  return {
    engine: engine
      .clone()
      .registerVariable('self', engineType)
      .registerVariable('oldSelf', isOptional ? `optional<${engineType}>` : engineType),
    declarations: new Declarations([
      ['self', type],
      ['oldSelf', isOptional ? optionalOf(type) : type],
    ]),
  };
}

function registerStruct(env: Environment, { name, construct, fields }: StructType): void {
  const equal = (a: Struct, b: Struct): boolean => equalBySchema(a.source, b.source, a.schema);
  env
    .registerType(name, {
      ctor: construct,
      fields: Object.fromEntries([...fields].map(([field, { type }]) => [field, type])),
    })
    .registerOperator(`${name} == ${name}`, equal)
    .registerOperator(`${name} == null`, (a: unknown, b: unknown) => a === b);
}
