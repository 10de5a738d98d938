import { annotations, GateBinding, typeMeta } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { isApplier, type FluxObject } from './flux-object.js';

/** The binding that the annotations of a source describe. */
interface VirtualBinding {
  binding: GateBinding;
  /** Describes an error in the annotations. The source is held while there is one. */
  problem?: string | undefined;
}

const requirements = ['all', 'any', 'oneOf'] as const;
const gateName = /^(?:([a-z0-9]([-a-z0-9]*[a-z0-9])?)\/)?([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/;
const maxGates = 16;
/**
 * Maximum number of characters of the annotation, which is more than 16 names need. A user can write thousands of names,
 * and they are read whenever any gate changes.
 */
const maxLength = 8_192;

/**
 * Returns the binding that the annotations `gates` and `require` of a source describe; undefined if it has none or is
 * not a source. The binding has the name of the source.
 */
export function virtualBindingOf(object: FluxObject): VirtualBinding | undefined {
  const { name, namespace, annotations: notes = {} } = object.metadata;
  const gates = notes[annotations.gates];
  if (gates === undefined || isApplier(object.kind)) return undefined;
  const require = notes[annotations.require] ?? 'all';
  const listed = prefixOf(gates, maxLength)
    .split(',')
    .map((gate) => gate.trim())
    .filter((gate) => gate !== '');
  const known = requirements.find((one) => one === require);
  const problem = gates.length > maxLength ? tooLong : problemOf(listed, require, known !== undefined);
  const refs = listed.flatMap((gate) => {
    const [, gateNamespace, , gateNameOnly] = gateName.exec(gate) ?? [];
    if (gateNameOnly === undefined) return [];
    return [{ name: gateNameOnly, ...(gateNamespace !== undefined && { namespace: gateNamespace }) }];
  });
  return {
    binding: {
      ...typeMeta(GateBinding),
      metadata: { name, ...(namespace !== undefined && { namespace }) },
      spec: {
        targets: [{ kind: object.kind, name }],
        require: known ?? 'all',
        refs: refs.slice(0, maxGates),
        mode: 'Suspend',
        scope: 'Updates',
      },
    },
    problem,
  };
}

const tooLong = `annotation ${annotations.gates} has more than ${maxLength} characters; name at most ${maxGates} gates`;

function problemOf(gates: readonly string[], require: string, isKnown: boolean): string | undefined {
  if (gates.length === 0)
    return `annotation ${annotations.gates} does not name a gate; write gate names, separated by commas`;
  if (gates.length > maxGates)
    return `annotation ${annotations.gates} names ${gates.length} gates; name at most ${maxGates}`;
  const wrong = gates.find((gate) => !gateName.test(gate));
  if (wrong !== undefined)
    return `annotation ${annotations.gates}: "${wrong}" is not the name of a Gate; write gate names, separated by commas`;
  if (isKnown) return undefined;
  return `annotation ${annotations.require}: "${require}" is unknown; write one of ${requirements.join(', ')}`;
}
