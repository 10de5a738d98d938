import { isAlias, visit, type Alias, type Node } from 'yaml';
import type { Json } from '../operation.js';
import type { TextEdit } from './edit.js';
import { maxAliases } from './limits.js';
import { entryAt, type Slot } from './slot.js';
import type { YamlDocument } from './source.js';
import { flowText } from './style.js';

/* JSON has no aliases. */
const yamlStyle = { isJson: false };

/** Returns the alias on the path of a pointer: it becomes a copy of its target, so that the anchor keeps its value. */
export function aliasOn(root: Slot, steps: readonly string[]): { slot: Slot; depth: number } | undefined {
  let slot: Slot | undefined = root;
  for (const [depth, step] of steps.entries()) {
    if (slot !== undefined && isAlias(slot.node)) return { slot, depth };
    slot = slot && entryAt(slot, step);
  }
  return undefined;
}

/**
 * Returns the edits that turn the aliases of the values on the path of a pointer into copies, so that a change there does
 * not affect them.
 */
export function aliasesByCopies(document: YamlDocument, root: Slot, steps: readonly string[]): TextEdit[] {
  const changed = new Set<Node>();
  let slot: Slot | undefined = root;
  for (const step of [...steps, undefined]) {
    if (slot?.node) changed.add(slot.node);
    slot = slot && step !== undefined ? entryAt(slot, step) : undefined;
  }
  const edits: TextEdit[] = [];
  visit(document, {
    Alias(_key, alias: Alias) {
      const target = alias.resolve(document);
      if (target === undefined || !changed.has(target) || !alias.range) return;
      const value: unknown = target.toJS(document, { maxAliasCount: maxAliases });
      const [start, end] = alias.range;
      edits.push({
        start,
        end,
        text: flowText(JSON.parse(JSON.stringify(value ?? null)) as Json, yamlStyle),
      });
    },
  });
  return edits;
}
