import { libraryFunctions } from './library-functions.js';
import { readSignatures } from './signature.js';
import type { Overload } from './signature.js';
import { standardFunctions } from './standard-functions.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  stringType,
  structType,
  timestampType,
  typeOfType,
  uintType,
} from './type.js';
import type { CelType } from './type.js';

const libraryTypes = ['URL', 'Quantity', 'Semver', 'NamedFormat'].map((name) => `kubernetes.${name}`);

/** The names that represent types, as in `type(self) == string`. */
const typeNames: ReadonlyMap<string, CelType> = new Map(
  [
    ['bool', boolType] as const,
    ['bytes', bytesType] as const,
    ['double', doubleType] as const,
    ['google.protobuf.Duration', durationType] as const,
    ['google.protobuf.Timestamp', timestampType] as const,
    ['int', intType] as const,
    ['list', listOf(dynType)] as const,
    ['map', mapOf(dynType, dynType)] as const,
    ['null_type', nullType] as const,
    ['string', stringType] as const,
    ['type', typeOfType(dynType)] as const,
    ['uint', uintType] as const,
    ['net.IP', { kind: 'opaque', name: 'net.IP', params: [] }] as const,
    ['net.CIDR', { kind: 'opaque', name: 'net.CIDR', params: [] }] as const,
    ...libraryTypes.map((name) => [name, structType(name)] as const),
  ].map(([name, type]) => [name, typeOfType(type)]),
);

const functions: ReadonlyMap<string, readonly Overload[]> = readSignatures(
  `${standardFunctions}\n${libraryFunctions}`,
);

/** What an expression can refer to: its variables, and the functions and types of the API server. */
export class Declarations {
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(variables: Iterable<readonly [string, CelType]>) {
    this.#variables = new Map(variables);
  }

  variable(name: string): CelType | undefined {
    return this.#variables.get(name) ?? typeNames.get(name);
  }

  overloads(name: string): readonly Overload[] | undefined {
    return functions.get(name);
  }
}
