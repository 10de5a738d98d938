import { Environment } from '@marcbachmann/cel-js';
import { registerAddresses } from './library-addresses.js';
import { registerComprehensions } from './library-comprehensions.js';
import { registerLists } from './library-lists.js';
import { registerMacros } from './library-macros.js';
import { registerStrings } from './library-strings.js';
import { registerOptionals } from './library-optionals.js';
import { registerSets } from './library-sets.js';
import { registerFormats, registerQuantities, registerUrls } from './library-values.js';
import type { CelTypes, Struct, StructType } from './types.js';
import { equalBySchema } from './values.js';

const libraries = [
  registerMacros,
  registerComprehensions,
  registerStrings,
  registerLists,
  registerSets,
  registerOptionals,
  registerUrls,
  registerQuantities,
  registerAddresses,
  registerFormats,
];

let shared: Environment | undefined;

/**
 * A new CEL environment with what the API server offers: the standard library, optional types, and Kubernetes' libraries. Register variables
 * on it; those without a schema have the type `dyn` and values from `dynamicValue`.
 */
export function kubernetesEnvironment(): Environment {
  if (shared === undefined) {
    shared = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
    for (const register of libraries) register(shared);
  }
  return shared.clone();
}

/** The environment for the rules of a schema: it knows the types of all its objects. */
export function environmentOf(types: CelTypes): Environment {
  const env = kubernetesEnvironment();
  for (const struct of types.structs) registerStruct(env, struct);
  return env;
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
