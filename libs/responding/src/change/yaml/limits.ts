import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type CollectionTag,
  type Document,
  type Tags,
} from 'yaml';

const maxDepth = 500;
const maxNodes = 1_000_000;
export const maxAliases = 1000;
const maxAnchors = 10_000;

const orderedMap = 'tag:yaml.org,2002:omap';
/* The library compares each key of an ordered map with all keys before it. */
const plainOrderedMap: CollectionTag = { tag: orderedMap, collection: 'seq', resolve: (seq) => seq };

/**
 * Options for untrusted YAML, without the checks of the library that compare each key with all others. {@link
 * documentProblem} makes them in one pass.
 */
export const foreignYaml = {
  uniqueKeys: false,
  customTags: (tags: Tags): Tags => [
    ...tags.filter((tag) => typeof tag === 'string' || tag.tag !== orderedMap),
    plainOrderedMap,
  ],
};

/** A problem of a document, with its offset in characters. */
interface DocumentProblem {
  message: string;
  offset: number;
}

/**
 * Returns why a document is refused: it has a duplicate key or a key that is not a scalar, or its value would be much
 * larger or deeper than its text. The time is linear in the length of the text.
 */
export function documentProblem(document: Document): DocumentProblem | undefined {
  const walk = new Walk();
  try {
    walk.sizeOf(document.contents, 0);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return { message: error.message, offset: error.offset };
    throw error;
  }
}

class Refusal extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** One pass through a document, in the order of its text: an alias refers to the last anchor before it. */
class Walk {
  readonly #sizes = new Map<string, number>();
  readonly #collections = new Set<string>();
  #aliases = 0;
  #anchors = 0;
  #offset = 0;

  /**
   * Returns how many nodes the value of a node has after its aliases are resolved.
   *
   * @param copies how often the node is created: each merge key around it copies it again
   */
  sizeOf(node: unknown, depth: number, copies = 1): number {
    this.#offset = offsetOf(node) ?? this.#offset;
    if (depth > maxDepth) this.#refuse(`it is nested deeper than ${maxDepth} levels`);
    if (isAlias(node)) return this.#sizeOfAlias(node.source) * copies;
    let size = copies;
    if (isCollection(node)) {
      const seen = isMap(node) ? new Set<unknown>() : undefined;
      for (const item of node.items) size += this.#sizeOfItem(item, depth + 1, copies, seen);
    }
    if (size > maxNodes) this.#refuse(`it has more than ${maxNodes} values after its aliases are resolved`);
    this.#remember(node, size);
    return size;
  }

  #sizeOfItem(item: unknown, depth: number, copies: number, seen: Set<unknown> | undefined): number {
    if (!isPair(item)) return this.sizeOf(item, depth, copies);
    if (seen !== undefined) this.#checkKey(item.key, seen);
    const copiesOfValue = isMergeKey(item.key) ? copies + 1 : copies;
    return this.sizeOf(item.key, depth, copies) + this.sizeOf(item.value, depth, copiesOfValue);
  }

  #sizeOfAlias(anchor: string): number {
    this.#aliases += 1;
    if (this.#aliases > maxAliases) this.#refuse(`it has more than ${maxAliases} aliases`);
    return this.#sizes.get(anchor) ?? 1;
  }

  #remember(node: unknown, size: number): void {
    if (!isScalar(node) && !isCollection(node)) return;
    const { anchor } = node;
    if (anchor === undefined) return;
    this.#anchors += 1;
    if (this.#anchors > maxAnchors) this.#refuse(`it has more than ${maxAnchors} anchors`);
    this.#sizes.set(anchor, size);
    if (isCollection(node)) this.#collections.add(anchor);
  }

  #checkKey(key: unknown, seen: Set<unknown>): void {
    this.#offset = offsetOf(key) ?? this.#offset;
    const isList = isCollection(key) || (isAlias(key) && this.#collections.has(key.source));
    if (isList) this.#refuse('a key of a map must not be a map or a list');
    if (!isScalar(key)) return;
    if (seen.has(key.value)) this.#refuse('Map keys must be unique');
    seen.add(key.value);
  }

  #refuse(message: string): never {
    throw new Refusal(message, this.#offset);
  }
}

/** Returns whether the library resolves a key as a merge key, whose value it represents as a symbol. */
function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

function offsetOf(node: unknown): number | undefined {
  if (!isAlias(node) && !isScalar(node) && !isCollection(node)) return undefined;
  return node.range?.[0];
}
